/* Demands of parameters on each other. */
#include "params/table.h"

#include <math.h>
#include <string.h>
#include "base/grid.h"
#include "base/log.h"
#include "base/schemes.h"

static bool differs(const tx_params *p, const tx_params *q, int index) {
  char a[TX_PARAM_TEXT_MAX], b[TX_PARAM_TEXT_MAX];
  tx_param_format(p, index, a, sizeof a);
  tx_param_format(q, index, b, sizeof b);
  return strcmp(a, b) != 0;
}

/* A parameter that was given, but does nothing, is a mistake of the user's. */
static tx_status check_used(const tx_params *p, const tx_param_source *source) {
  for (int i = 0; i < TX_PARAMS; i = tx_param_next(i)) {
    const param_condition *c = tx_param_condition(i);
    if (!tx_param_unused(p, i)) continue;
    if (!source->line[i] && !source->given[i] && !differs(p, &tx_param_defaults, i)) continue;
    char where[TX_PARAM_TEXT_MAX], value[TX_PARAM_TEXT_MAX];
    tx_param_where(source, i, where, sizeof where);
    if (tx_param_lacks(p, i)) {
      const char *name = tx_param_trait_name(tx_param_table[i].needs);
      TX_FAIL(TX_ERR_PARAM, "%s: the system %s has no %s; remove it", where,
              tx_param_system_name(p), strncmp(name, "a ", 2) == 0 ? name + 2 : name);
    }
    if (c->decides < 0)
      TX_FAIL(TX_ERR_PARAM, "%s: has no effect: it is used only if %s; remove it", where, c->text);
    tx_param_format(p, c->decides, value, sizeof value);
    TX_FAIL(TX_ERR_PARAM, "%s: has no effect: it is used only if %s, and %s is %s; remove it",
            where, c->text, tx_param_table[c->decides].key, value);
  }
  return TX_OK;
}

/* Back to the default, as if it were not given; its name goes to the list of the file's. */
static void drop(tx_params *p, int index, tx_param_source *source, char *names, size_t size) {
  size_t n = strlen(names);
  if (source->line[index] && !source->given[index])
    snprintf(names + n, size - n, "%s%s", n ? ", " : "", tx_param_table[index].key);
  tx_param_reset(p, index);
  source->line[index] = 0;
  source->given[index] = NULL;
}

void tx_param_drop_overridden(tx_params *p, const tx_params *file, tx_param_source *source) {
  bool may_drop[TX_PARAMS] = {false}, more = true;
  char names[2 * TX_PARAM_TEXT_MAX] = "";
  for (int i = 0; i < TX_PARAMS; i = tx_param_next(i)) {
    if (!source->line[i] && !source->given[i]) continue;
    may_drop[i] = !tx_param_unused(p, i) || (!source->given[i] && !tx_param_unused(file, i));
  }
  while (more) { /* what is dropped may have been all that another one was for */
    more = false;
    for (int i = 0; i < TX_PARAMS; i = tx_param_next(i)) {
      if (!may_drop[i] || !tx_param_unused(p, i)) continue;
      drop(p, i, source, names, sizeof names);
      may_drop[i] = false;
      more = true;
    }
  }
  if (names[0]) tx_warn("without effect after --set: %s", names);
}

/* "6 centred with 5, 4 upwinded with 5": what the program was built with; the last number is the order of the dissipation. */
static void list_schemes(char *text, size_t size) {
  size_t used = 0;
  text[0] = '\0';
#define ONE(a, suffix, order, upwinded, half)                                                      \
  if (used < size)                                                                                 \
    used += (size_t)snprintf(text + used, size - used, "%s%d %s with %d", used ? ", " : "", order, \
                             (upwinded) ? "upwinded" : "centred", 2 * (half)-1);
  TX_SCHEMES(ONE, )
#undef ONE
}

static tx_status check_scheme(const tx_params *p, const tx_param_source *s) {
  const bool upwinded = p->evolution_advection == TX_ADVECTION_UPWINDED;
  char list[200];
  bool found = false;
#define ONE(a, suffix, is, up, half)                                                               \
  found = found || (p->evolution_order == (is) && upwinded == (up) &&                              \
                    p->evolution_dissipation_order == 2 * (half)-1);
  TX_SCHEMES(ONE, )
#undef ONE
  list_schemes(list, sizeof list);
  int asked = TX_PARAM_evolution_dissipation_order;
  if (upwinded) asked = TX_PARAM_evolution_advection;
  if (p->evolution_order != 2 * TX_K) asked = TX_PARAM_evolution_order;
  TX_DEMAND_OF(
      found, s, asked,
      "order %d with %s advection and dissipation of order %d is not in this program, which has "
      "%s; cmake -DTENDEX_SCHEMES and -DTENDEX_GHOSTS add others (docs/guide/grid.md)",
      p->evolution_order, upwinded ? "upwinded" : "centred", p->evolution_dissipation_order, list);
  return TX_OK;
}

static tx_status check_levels(const tx_params *p, const tx_param_source *s) {
  int low = p->grid_level_min, high = p->grid_level_max;
  TX_DEMAND(high >= low, s, grid_level_max,
            "%d is below grid.level_min, which is %d; raise it or lower grid.level_min", high, low);
  int most = TX_LEVELS - 1;
  while (p->grid_trees > 1 << (TX_LEVELS - 1 - most)) most--;
  TX_DEMAND(
      high <= most, s, grid_level_max,
      "%d is too fine for this number of trees; give at most %d, or lower grid.trees, which is %d",
      high, most, p->grid_trees);
  for (int a = 0; a < TX_PUNCTURES_MAX; a++) {
    const int level = p->grid_bhN_level[a];
    TX_DEMAND(level == -1 || (level >= low && level <= high), s, grid_bhN_level + a,
              "%d is not allowed; give -1 or a level from grid.level_min %d to grid.level_max %d",
              level, low, high);
  }
  TX_DEMAND(p->grid_ball_radius == 0 || (p->grid_ball_level >= low && p->grid_ball_level <= high),
            s, grid_ball_level,
            "%d is not allowed; give a level above grid.level_min %d, up to grid.level_max %d",
            p->grid_ball_level, low, high);
  const int least = p->grid_ball_radius > 0 && p->grid_ball_level > low ? p->grid_ball_level : low;
  TX_DEMAND(p->grid_remnant_level == -1 ||
                (p->grid_remnant_level >= least && p->grid_remnant_level <= high),
            s, grid_remnant_level,
            "%d is not allowed; give -1 or a level from %s %d to grid.level_max %d",
            p->grid_remnant_level, least > low ? "grid.ball_level" : "grid.level_min", least, high);
  TX_DEMAND(p->grid_wavelet_tol_far == 0 || p->grid_wavelet_radius > 0, s, grid_wavelet_tol_far,
            "needs grid.wavelet_radius, the radius from which it holds; set that above 0 M");
  return TX_OK;
}

static tx_status check_faces(const tx_params *p, const tx_param_source *s) {
  static const char *const names[] = {"x", "y", "z"};
  int both = p->grid_reflect & p->grid_periodic;
  for (int d = 0; d < 3; d++)
    TX_DEMAND(!(both >> d & 1), s, grid_periodic,
              "%s is both periodic and reflecting (grid.reflect); remove it from one of them",
              names[d]);
  const bool isolated = tx_params_punctures(p) > 0 || p->initial_data_type == TX_ID_TEUKOLSKY ||
                        p->initial_data_type == TX_ID_BRILL_WAVE;
  TX_DEMAND(!p->grid_periodic || !isolated, s, grid_periodic,
            "data of an isolated source cannot be periodic; give none");
  return TX_OK;
}

static tx_status check_horizons(const tx_params *p, const tx_param_source *s) {
  TX_DEMAND(p->horizons_radius < p->grid_extent, s, horizons_radius,
            "%g M reaches the faces of the domain, at grid.extent %g M; give less",
            p->horizons_radius, p->grid_extent);
  return TX_OK;
}

bool tx_params_is_name(const char *name) {
  return strchr(name, '/') == NULL && strcmp(name, ".") != 0 && strcmp(name, "..") != 0;
}

static tx_status check_name(const tx_params *p, const tx_param_source *s) {
  TX_DEMAND(
      tx_params_is_name(p->run_name), s, run_name,
      "\"%s\" is not a folder name; give one without /, and not . or ..; run.folder may be any "
      "path",
      p->run_name);
  return TX_OK;
}

tx_status tx_param_check_all(const tx_params *p, const tx_param_source *source,
                             tx_params_demands *more) {
  TX_TRY(check_used(p, source));
  TX_TRY(check_name(p, source));
  TX_TRY(check_scheme(p, source));
  TX_TRY(check_levels(p, source));
  TX_TRY(check_faces(p, source));
  TX_TRY(check_horizons(p, source));
  TX_TRY(tx_param_check_data(p, source));
  TX_TRY(tx_param_check_waves(p, source));
  return more ? more(p, source) : TX_OK;
}

tx_status tx_params_check(const tx_params *p, const char *path, tx_params_demands *more) {
  tx_param_source source = {.path = path};
  return tx_param_check_all(p, &source, more);
}
