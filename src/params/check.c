/* What parameters demand of each other. */
#include "params/table.h"

#include <math.h>
#include <string.h>
#include "base/grid.h"
#include "base/log.h"
#include "base/schemes.h"

static bool of_type(const tx_params *p, unsigned types) {
  return types >> p->initial_data_type & 1;
}
#define TYPE(name) (1u << TX_ID_##name)
static bool punctures(const tx_params *p) {
  return tx_params_punctures(p) > 0;
}
static bool two(const tx_params *p) {
  return tx_params_punctures(p) == 2;
}
static bool placed(const tx_params *p) {
  return of_type(p, TYPE(PUNCTURE) | TYPE(BRILL_LINDQUIST) | TYPE(TWO_PUNCTURES) | TYPE(PUNCTURES));
}
static bool two_placed(const tx_params *p) {
  return of_type(p, TYPE(BRILL_LINDQUIST) | TYPE(TWO_PUNCTURES) | TYPE(PUNCTURES));
}
static bool moved(const tx_params *p) {
  return of_type(p, TYPE(PUNCTURE) | TYPE(TWO_PUNCTURES) | TYPE(PUNCTURES));
}
static bool two_moved(const tx_params *p) {
  return of_type(p, TYPE(TWO_PUNCTURES) | TYPE(PUNCTURES));
}
static bool many(const tx_params *p) {
  return of_type(p, TYPE(PUNCTURES));
}
static bool quasi_circular(const tx_params *p) {
  return of_type(p, TYPE(QUASI_CIRCULAR));
}
static bool spectral(const tx_params *p) {
  return tx_param_solved(p) && p->initial_data_solver == TX_SOLVER_SPECTRAL;
}
static bool solved_to_tolerance(const tx_params *p) {
  return spectral(p) && p->initial_data_resolution == 0;
}
static bool plane_wave(const tx_params *p) {
  return p->initial_data_type == TX_ID_GAUGE_WAVE || p->initial_data_type == TX_ID_LINEAR_WAVE;
}
static bool teukolsky(const tx_params *p) {
  return p->initial_data_type == TX_ID_TEUKOLSKY;
}
static bool noise(const tx_params *p) {
  return p->initial_data_type == TX_ID_NOISE;
}
static bool brill(const tx_params *p) {
  return p->initial_data_type == TX_ID_BRILL_WAVE;
}
static bool any_wave(const tx_params *p) {
  return plane_wave(p) || teukolsky(p) || brill(p);
}
static bool on_grid(const tx_params *p) {
  return tx_params_on_grid(p) || tx_params_lapse_on_grid(p);
}
static bool cycles_on_grid(const tx_params *p) {
  return on_grid(p) && p->elliptic_method != TX_ELLIPTIC_RELAXATION;
}
static bool holes_on_grid(const tx_params *p) {
  return on_grid(p) && !brill(p);
}
static bool amplitude(const tx_params *p) {
  return any_wave(p) || noise(p);
}
static bool ball(const tx_params *p) {
  return p->grid_ball_radius > 0;
}
static bool ball_finer(const tx_params *p) {
  return p->grid_ball_level > p->grid_level_min;
}
static bool ball_grows(const tx_params *p) {
  return ball(p) && p->grid_ball_growth > 1;
}
static bool wavelets(const tx_params *p) {
  return p->grid_wavelet_tol > 0;
}
static bool far_tolerance(const tx_params *p) {
  return p->grid_wavelet_tol_far > 0;
}
static bool steps_of_levels(const tx_params *p) {
  return p->evolution_time_steps == TX_STEPS_LEVELS;
}
static bool z4c(const tx_params *p) {
  return p->evolution_system == TX_EVOLVED_Z4C;
}
static bool bssn(const tx_params *p) {
  return p->evolution_system == TX_EVOLVED_BSSN;
}
static bool z4c_damped(const tx_params *p) {
  return z4c(p) && p->evolution_kappa1 > 0;
}
static bool driver(const tx_params *p) {
  return p->gauge_shift == TX_SHIFT_GAMMA_DRIVER;
}
static bool eta_radial(const tx_params *p) {
  return p->gauge_eta_form == TX_ETA_RADIAL;
}
static bool eta_metric(const tx_params *p) {
  return p->gauge_eta_form == TX_ETA_METRIC;
}
static bool eta_given(const tx_params *p) {
  return driver(p) && !eta_metric(p);
}
static bool driver_or_noise(const tx_params *p) {
  return driver(p) || noise(p);
}
static bool one_plus_log(const tx_params *p) {
  return p->gauge_slicing == TX_SLICING_ONE_PLUS_LOG;
}
static bool slow_start(const tx_params *p) {
  return one_plus_log(p) && p->gauge_slow_start > 0;
}
static bool extraction(const tx_params *p) {
  return p->waves_radii.n > 0;
}
static bool worldtubes(const tx_params *p) {
  return p->waves_worldtubes.n > 0;
}
static bool horizons(const tx_params *p) {
  return punctures(p) && p->horizons_every > 0;
}
static bool common_horizon(const tx_params *p) {
  return tx_params_punctures(p) > 1 && p->horizons_every > 0;
}
static bool remnant(const tx_params *p) {
  return common_horizon(p) && p->grid_regrid_every > 0;
}
static bool remnant_differs(const tx_params *p) {
  return remnant(p) && p->grid_remnant_level >= 0;
}
static bool gpu(const tx_params *p) {
  return p->compute_device != TX_DEVICE_CPU;
}
static bool norms(const tx_params *p) {
  return p->output_norms_every > 0 && punctures(p);
}
static bool slices(const tx_params *p) {
  return p->output_slices_every > 0;
}
static bool fields(const tx_params *p) {
  return p->output_slices_every > 0 || p->output_fields_every > 0;
}

#define IS_PUNCTURES                                                                               \
  "initial_data.type is single_puncture, brill_lindquist, two_punctures, quasi_circular or "       \
  "punctures"
#define IS_TWO "initial_data.type is brill_lindquist, two_punctures, quasi_circular or punctures"
#define IS_PLACED                                                                                  \
  "initial_data.type is single_puncture, brill_lindquist, two_punctures or punctures"
#define IS_TWO_PLACED "initial_data.type is brill_lindquist, two_punctures or punctures"
#define IS_MOVED      "initial_data.type is single_puncture, two_punctures or punctures"
#define IS_TWO_MOVED  "initial_data.type is two_punctures or punctures"
#define IS_MANY       "initial_data.type is punctures"
#define IS_QUASI      "initial_data.type is quasi_circular"
#define IS_SOLVED                                                                                  \
  "initial_data.type is two_punctures or quasi_circular, or a single puncture has momentum or "    \
  "spin"
#define IS_SPECTRAL IS_SOLVED ", and initial_data.solver is spectral"
#define IS_TOLERANCE                                                                               \
  "there is a solution to find, initial_data.solver is spectral and initial_data.resolution is 0"
#define IS_ON_GRID                                                                                 \
  "initial_data.type is brill_wave, or punctures have momentum or spin and type is punctures, "    \
  "solver is multigrid, or lapse is maximal"
#define IS_HOLES_ON_GRID                                                                           \
  "punctures have momentum or spin and initial_data.type is punctures, solver is multigrid, or "   \
  "lapse is maximal"
#define IS_PLANE_WAVE  "initial_data.type is gauge_wave or linear_wave"
#define IS_TEUKOLSKY   "initial_data.type is teukolsky_wave"
#define IS_DRIVER      "gauge.shift is gamma_driver"
#define IS_RADIAL      "gauge.eta_form is radial"
#define IS_METRIC      "gauge.eta_form is metric"
#define IS_EXTRACTION  "waves.radii is not empty"
#define HAS_WORLDTUBES "waves.worldtubes is not empty"
#define IS_REMNANT                                                                                 \
  "there are several punctures, and grid.regrid_every and horizons.every are above 0"
#define IS_GPU "compute.device is auto or gpu"

#define TX_PARAM_SEVERAL (-1)

/* Parameters that have an effect only under a condition: the parameter, the one that decides (or
 * SEVERAL), the condition, its text. */
static const struct condition {
  int index, decides;
  bool (*holds)(const tx_params *p);
  const char *text;
} conditions[] = {
#define ONLY_IF(parameter, decides, holds, text)                                                   \
  { TX_PARAM_##parameter, TX_PARAM_##decides, holds, text }
    ONLY_IF(compute_transport, compute_device, gpu, IS_GPU),
    ONLY_IF(grid_bhN_level, initial_data_type, punctures, IS_PUNCTURES),
    ONLY_IF(grid_bhN_radius, initial_data_type, punctures, IS_PUNCTURES),
    ONLY_IF(grid_bhN_level + 1, initial_data_type, two, IS_TWO),
    ONLY_IF(grid_bhN_radius + 1, initial_data_type, two, IS_TWO),
#define ONLY_IF_MANY(n)                                                                            \
  ONLY_IF(grid_bhN_level + (n)-1, initial_data_type, many, IS_MANY),                               \
      ONLY_IF(grid_bhN_radius + (n)-1, initial_data_type, many, IS_MANY),                          \
      ONLY_IF(initial_data_bhN_mass + (n)-1, initial_data_type, many, IS_MANY),                    \
      ONLY_IF(initial_data_bhN_position + (n)-1, initial_data_type, many, IS_MANY),                \
      ONLY_IF(initial_data_bhN_momentum + (n)-1, initial_data_type, many, IS_MANY),                \
      ONLY_IF(initial_data_bhN_spin + (n)-1, initial_data_type, many, IS_MANY)
    ONLY_IF_MANY(3),
    ONLY_IF_MANY(4),
    ONLY_IF_MANY(5),
    ONLY_IF_MANY(6),
    ONLY_IF_MANY(7),
    ONLY_IF_MANY(8),
#undef ONLY_IF_MANY
    ONLY_IF(grid_bh_radius, initial_data_type, punctures, IS_PUNCTURES),
    ONLY_IF(grid_bh_growth, initial_data_type, punctures, IS_PUNCTURES),
    ONLY_IF(grid_remnant_level, SEVERAL, remnant, IS_REMNANT),
    ONLY_IF(grid_remnant_delay, SEVERAL, remnant_differs,
            "grid.remnant_level is not -1 and has an effect"),
    ONLY_IF(grid_ball_level, grid_ball_radius, ball, "grid.ball_radius is above 0"),
    ONLY_IF(grid_ball_radius, grid_ball_level, ball_finer,
            "grid.ball_level is above grid.level_min"),
    ONLY_IF(grid_ball_growth, grid_ball_radius, ball, "grid.ball_radius is above 0"),
    ONLY_IF(grid_wavelet_tol_far, grid_wavelet_tol, wavelets, "grid.wavelet_tol is above 0"),
    ONLY_IF(grid_wavelet_radius, grid_wavelet_tol_far, far_tolerance,
            "grid.wavelet_tol_far is above 0"),
    ONLY_IF(grid_coarsen_below, grid_wavelet_tol, wavelets, "grid.wavelet_tol is above 0"),
    ONLY_IF(initial_data_masses, initial_data_type, placed, IS_PLACED),
    ONLY_IF(initial_data_bhN_mass, initial_data_type, placed, IS_PLACED),
    ONLY_IF(initial_data_bhN_position, initial_data_type, placed, IS_PLACED),
    ONLY_IF(initial_data_bhN_momentum, initial_data_type, moved, IS_MOVED),
    ONLY_IF(initial_data_bhN_spin, initial_data_type, moved, IS_MOVED),
    ONLY_IF(initial_data_bhN_mass + 1, initial_data_type, two_placed, IS_TWO_PLACED),
    ONLY_IF(initial_data_bhN_position + 1, initial_data_type, two_placed, IS_TWO_PLACED),
    ONLY_IF(initial_data_bhN_momentum + 1, initial_data_type, two_moved, IS_TWO_MOVED),
    ONLY_IF(initial_data_bhN_spin + 1, initial_data_type, two_moved, IS_TWO_MOVED),
    ONLY_IF(initial_data_separation, initial_data_type, quasi_circular, IS_QUASI),
    ONLY_IF(initial_data_mass_ratio, initial_data_type, quasi_circular, IS_QUASI),
    ONLY_IF(initial_data_bhN_chi, initial_data_type, quasi_circular, IS_QUASI),
    ONLY_IF(initial_data_bhN_chi + 1, initial_data_type, quasi_circular, IS_QUASI),
    ONLY_IF(initial_data_solver, SEVERAL, tx_param_solved, IS_SOLVED),
    ONLY_IF(initial_data_resolution, SEVERAL, spectral, IS_SPECTRAL),
    ONLY_IF(initial_data_tolerance, SEVERAL, solved_to_tolerance, IS_TOLERANCE),
    ONLY_IF(elliptic_method, SEVERAL, on_grid, IS_ON_GRID),
    ONLY_IF(elliptic_precision, SEVERAL, cycles_on_grid,
            "elliptic.method is not relaxation and " IS_ON_GRID),
    ONLY_IF(elliptic_tolerance, SEVERAL, on_grid, IS_ON_GRID),
    ONLY_IF(elliptic_order, SEVERAL, on_grid, IS_ON_GRID),
    ONLY_IF(elliptic_reach, SEVERAL, on_grid, IS_ON_GRID),
    ONLY_IF(elliptic_extra_levels, SEVERAL, holes_on_grid, IS_HOLES_ON_GRID),
    ONLY_IF(initial_data_lapse, initial_data_type, punctures, IS_PUNCTURES),
    ONLY_IF(initial_data_amplitude, initial_data_type, amplitude,
            "initial_data.type is gauge_wave, linear_wave, teukolsky_wave, brill_wave or noise"),
    ONLY_IF(initial_data_wavelength, initial_data_type, any_wave,
            "initial_data.type is gauge_wave, linear_wave, teukolsky_wave or brill_wave"),
    ONLY_IF(initial_data_direction, initial_data_type, plane_wave, IS_PLANE_WAVE),
    ONLY_IF(initial_data_wave_m, initial_data_type, teukolsky, IS_TEUKOLSKY),
    ONLY_IF(initial_data_wave_parity, initial_data_type, teukolsky, IS_TEUKOLSKY),
    ONLY_IF(initial_data_seed, initial_data_type, noise, "initial_data.type is noise"),
    ONLY_IF(evolution_hamiltonian_damping, evolution_system, bssn, "evolution.system is bssn"),
    ONLY_IF(evolution_kappa1, evolution_system, z4c, "evolution.system is z4c"),
    ONLY_IF(evolution_kappa2, SEVERAL, z4c_damped,
            "evolution.system is z4c and evolution.kappa1 is above 0"),
    ONLY_IF(evolution_macro_step, evolution_time_steps, steps_of_levels,
            "evolution.time_steps is levels"),
    ONLY_IF(evolution_dissipation_outside, grid_ball_growth, ball_grows,
            "grid.ball_growth is above 1"),
    ONLY_IF(gauge_slow_start, gauge_slicing, one_plus_log, "gauge.slicing is one_plus_log"),
    ONLY_IF(gauge_slow_start_time, SEVERAL, slow_start,
            "gauge.slicing is one_plus_log and gauge.slow_start is above 0"),
    ONLY_IF(gauge_eta_form, gauge_shift, driver, IS_DRIVER),
    ONLY_IF(gauge_eta, SEVERAL, eta_given,
            "gauge.shift is gamma_driver and gauge.eta_form is constant or radial"),
    ONLY_IF(gauge_eta_far, gauge_eta_form, eta_radial, IS_RADIAL),
    ONLY_IF(gauge_eta_radius, gauge_eta_form, eta_radial, IS_RADIAL),
    ONLY_IF(gauge_eta_R0, gauge_eta_form, eta_metric, IS_METRIC),
    ONLY_IF(gauge_eta_a, gauge_eta_form, eta_metric, IS_METRIC),
    ONLY_IF(gauge_eta_b, gauge_eta_form, eta_metric, IS_METRIC),
    ONLY_IF(gauge_lambda_f0, gauge_shift, driver, IS_DRIVER),
    ONLY_IF(gauge_lambda_f1, gauge_shift, driver, IS_DRIVER),
    ONLY_IF(gauge_advect_lapse, SEVERAL, driver_or_noise,
            "gauge.shift is gamma_driver or initial_data.type is noise"),
    ONLY_IF(gauge_advect_shift, gauge_shift, driver, IS_DRIVER),
    ONLY_IF(gauge_advect_B, gauge_shift, driver, IS_DRIVER),
    ONLY_IF(gauge_advect_Gt, gauge_shift, driver, IS_DRIVER),
    ONLY_IF(waves_l_max, waves_radii, extraction, IS_EXTRACTION),
    ONLY_IF(waves_degree, waves_radii, extraction, IS_EXTRACTION),
    ONLY_IF(waves_every, waves_radii, extraction, IS_EXTRACTION),
    ONLY_IF(waves_text, waves_radii, extraction, IS_EXTRACTION),
    ONLY_IF(waves_worldtube_l_max, waves_worldtubes, worldtubes, HAS_WORLDTUBES),
    ONLY_IF(waves_worldtube_form, waves_worldtubes, worldtubes, HAS_WORLDTUBES),
    ONLY_IF(waves_worldtube_every, waves_worldtubes, worldtubes, HAS_WORLDTUBES),
    ONLY_IF(horizons_every, initial_data_type, punctures, IS_PUNCTURES),
    ONLY_IF(horizons_l_max, SEVERAL, horizons, "there are punctures and horizons.every is above 0"),
    ONLY_IF(horizons_common_below, SEVERAL, common_horizon,
            "there are several punctures and horizons.every is above 0"),
    ONLY_IF(output_norms_exclude, SEVERAL, norms,
            "there are punctures and output.norms_every is above 0"),
    ONLY_IF(output_track_every, initial_data_type, punctures, IS_PUNCTURES),
    ONLY_IF(output_slices_psi4, output_slices_every, slices, "output.slices_every is above 0"),
    ONLY_IF(output_variables, SEVERAL, fields,
            "output.slices_every or output.fields_every is above 0"),
#undef ONLY_IF
};

static const struct condition *condition_of(int index) {
  for (size_t c = 0; c < sizeof conditions / sizeof conditions[0]; c++)
    if (conditions[c].index == index) return &conditions[c];
  return NULL;
}

const char *tx_param_condition(int index) {
  const struct condition *c = condition_of(index);
  return c ? c->text : NULL;
}

const char *tx_param_unused(const tx_params *p, int index) {
  const struct condition *c = condition_of(index);
  return c && !c->holds(p) ? c->text : NULL;
}

static bool differs(const tx_params *p, const tx_params *q, int index) {
  char a[PARAM_TEXT_MAX], b[PARAM_TEXT_MAX];
  tx_param_format(p, index, a, sizeof a);
  tx_param_format(q, index, b, sizeof b);
  return strcmp(a, b) != 0;
}

/* A parameter that was given, but does nothing, is a mistake of the user's. */
static tx_status check_used(const tx_params *p, const param_source *source) {
  for (int i = 0; i < TX_PARAMS; i = tx_param_next(i)) {
    const struct condition *c = condition_of(i);
    if (!c || c->holds(p)) continue;
    if (!source->line[i] && !source->given[i] && !differs(p, &tx_param_defaults, i)) continue;
    char where[PARAM_TEXT_MAX], value[PARAM_TEXT_MAX];
    tx_param_where(source, i, where, sizeof where);
    if (c->decides == TX_PARAM_SEVERAL)
      TX_FAIL(TX_ERR_PARAM, "%s: has no effect: it is used only if %s; remove it", where, c->text);
    tx_param_format(p, c->decides, value, sizeof value);
    TX_FAIL(TX_ERR_PARAM, "%s: has no effect: it is used only if %s, and %s is %s; remove it",
            where, c->text, tx_param_table[c->decides].key, value);
  }
  return TX_OK;
}

/* Back to the default, as if it were not given; its name goes to the list of the file's. */
static void drop(tx_params *p, int index, param_source *source, char *names, size_t size) {
  size_t n = strlen(names);
  if (source->line[index] && !source->given[index])
    snprintf(names + n, size - n, "%s%s", n ? ", " : "", tx_param_table[index].key);
  tx_param_reset(p, index);
  source->line[index] = 0;
  source->given[index] = NULL;
}

void tx_param_drop_overridden(tx_params *p, const tx_params *file, param_source *source) {
  bool may_drop[TX_PARAMS] = {false}, more = true;
  char names[2 * PARAM_TEXT_MAX] = "";
  for (int i = 0; i < TX_PARAMS; i = tx_param_next(i)) {
    const struct condition *c = condition_of(i);
    if (!c || !(source->line[i] || source->given[i])) continue;
    may_drop[i] = c->holds(p) || (!source->given[i] && c->holds(file));
  }
  while (more) { /* what is dropped may have been all that another one was for */
    more = false;
    for (int i = 0; i < TX_PARAMS; i = tx_param_next(i)) {
      if (!may_drop[i] || condition_of(i)->holds(p)) continue;
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

static tx_status check_scheme(const tx_params *p, const param_source *s) {
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
  DEMAND_OF(
      found, s, asked,
      "order %d with %s advection and dissipation of order %d is not in this program, which has "
      "%s; cmake -DTENDEX_SCHEMES and -DTENDEX_GHOSTS add others (docs/guide/grid.md)",
      p->evolution_order, upwinded ? "upwinded" : "centred", p->evolution_dissipation_order, list);
  return TX_OK;
}

static tx_status check_levels(const tx_params *p, const param_source *s) {
  int low = p->grid_level_min, high = p->grid_level_max;
  DEMAND(high >= low, s, grid_level_max,
         "%d is below grid.level_min, which is %d; raise it or lower grid.level_min", high, low);
  int most = TX_LEVELS - 1;
  while (p->grid_trees > 1 << (TX_LEVELS - 1 - most)) most--;
  DEMAND(
      high <= most, s, grid_level_max,
      "%d is too fine for this number of trees; give at most %d, or lower grid.trees, which is %d",
      high, most, p->grid_trees);
  for (int a = 0; a < TX_PUNCTURES_MAX; a++) {
    const int level = p->grid_bhN_level[a];
    DEMAND(level == -1 || (level >= low && level <= high), s, grid_bhN_level + a,
           "%d is not allowed; give -1 or a level from grid.level_min %d to grid.level_max %d",
           level, low, high);
  }
  DEMAND(!ball(p) || (p->grid_ball_level >= low && p->grid_ball_level <= high), s, grid_ball_level,
         "%d is not allowed; give a level above grid.level_min %d, up to grid.level_max %d",
         p->grid_ball_level, low, high);
  const int least = ball(p) && p->grid_ball_level > low ? p->grid_ball_level : low;
  DEMAND(p->grid_remnant_level == -1 ||
             (p->grid_remnant_level >= least && p->grid_remnant_level <= high),
         s, grid_remnant_level,
         "%d is not allowed; give -1 or a level from %s %d to grid.level_max %d",
         p->grid_remnant_level, least > low ? "grid.ball_level" : "grid.level_min", least, high);
  DEMAND(!far_tolerance(p) || p->grid_wavelet_radius > 0, s, grid_wavelet_tol_far,
         "needs grid.wavelet_radius, the radius from which it holds; set that above 0 M");
  return TX_OK;
}

static tx_status check_faces(const tx_params *p, const param_source *s) {
  static const char *const names[] = {"x", "y", "z"};
  int both = p->grid_reflect & p->grid_periodic;
  for (int d = 0; d < 3; d++)
    DEMAND(!(both >> d & 1), s, grid_periodic,
           "%s is both periodic and reflecting (grid.reflect); remove it from one of them",
           names[d]);
  DEMAND(!p->grid_periodic || !(punctures(p) || teukolsky(p) || brill(p)), s, grid_periodic,
         "data of an isolated source cannot be periodic; give none");
  return TX_OK;
}

bool tx_params_is_name(const char *name) {
  return strchr(name, '/') == NULL && strcmp(name, ".") != 0 && strcmp(name, "..") != 0;
}

static tx_status check_name(const tx_params *p, const param_source *s) {
  DEMAND(tx_params_is_name(p->run_name), s, run_name,
         "\"%s\" is not a folder name; give one without /, and not . or ..; run.folder may be any "
         "path",
         p->run_name);
  return TX_OK;
}

tx_status tx_param_check_all(const tx_params *p, const param_source *source) {
  TX_TRY(check_used(p, source));
  TX_TRY(check_name(p, source));
  TX_TRY(check_scheme(p, source));
  TX_TRY(check_levels(p, source));
  TX_TRY(check_faces(p, source));
  TX_TRY(tx_param_check_data(p, source));
  TX_TRY(tx_param_check_waves(p, source));
  TX_TRY(tx_param_check_stability(p, source));
  return tx_param_check_macro(p, source);
}

tx_status tx_params_check(const tx_params *p, const char *path) {
  param_source source = {.path = path};
  return tx_param_check_all(p, &source);
}
