#include "gw_extraction/gw_internal.h"

#include <math.h>

#include "base/memory.h"

enum { DEGREE_MARGIN = 8 }; /* of the rule that is chosen by default */

void tx_gw_mode(int index, int *l, int *m) {
  int found = TX_GW_L_LOWEST;
  while ((found + 1) * (found + 1) - TX_GW_L_LOWEST * TX_GW_L_LOWEST <= index) found++;
  *l = found;
  *m = index - tx_gw_index(found, 0);
}

const tx_gw_info *tx_gw_describe(const tx_gw *gw) {
  return &gw->info;
}

const double (*tx_gw_points(const tx_gw *gw))[3] {
  return (const double(*)[3])gw->rule.x;
}

static tx_status check(const tx_domain *domain, int n_radii, const double *radii, int l_max,
                       int degree) {
  int highest = tx_lebedev_degree(tx_lebedev_rules() - 1);
  TX_REQUIRE(l_max >= TX_GW_L_LOWEST && 2 * l_max <= highest, TX_ERR_PARAM,
             "waves.l_max is %d; it must be from %d to %d", l_max, TX_GW_L_LOWEST, highest / 2);
  TX_REQUIRE(degree == 0 || (degree >= 2 * l_max && degree <= highest), TX_ERR_PARAM,
             "waves.degree is %d; for l_max %d it must be from %d to %d, or 0", degree, l_max,
             2 * l_max, highest);
  for (int r = 0; r < n_radii; r++)
    TX_REQUIRE(radii[r] > 0.0 && radii[r] < domain->extent, TX_ERR_PARAM,
               "waves.radii: a sphere of radius %g does not fit into a domain of extent %g",
               radii[r], domain->extent);
  return TX_OK;
}

static tx_status allocate(tx_gw *gw) {
  size_t n_points = (size_t)gw->rule.n, n_radii = (size_t)gw->info.n_radii;
  tx_status status = tx_alloc(n_radii, sizeof *gw->radii, "wave extraction", &gw->radii);
  TX_KEEP(status, tx_alloc(n_points, sizeof *gw->used, "wave extraction", &gw->used));
  TX_KEEP(status, tx_alloc(n_points, sizeof *gw->image, "wave extraction", &gw->image));
  TX_KEEP(status, tx_alloc(n_points, sizeof *gw->sign, "wave extraction", &gw->sign));
  TX_KEEP(status, tx_alloc(n_radii * n_points, sizeof *gw->value, "wave extraction", &gw->value));
  return status;
}

/* Find the points to be sampled. In a group, images come in the order of the bits of their signs, so the
 * one that is not reflected comes before those that are. A point on a plane of reflection is its own
 * image: Psi4 is real there. */
static void choose_points(tx_gw *gw) {
  const tx_lebedev *rule = &gw->rule;
  for (int g = 0; g < rule->n_groups; g++) {
    int begin = rule->group[g], index_of[8];
    for (int p = begin; p < rule->group[g + 1]; p++) {
      int signs = 0, odd = 0, on_plane = 0;
      for (int d = 0; d < 3; d++) {
        int reflects = gw->reflect >> d & 1, low = rule->x[p][d] < 0.0;
        signs |= low << d;
        odd ^= reflects & low;
        on_plane |= reflects && rule->x[p][d] == 0.0;
      }
      int stands_for = signs & ~gw->reflect;
      if (stands_for == signs) {
        index_of[signs] = gw->info.n_used;
        gw->used[gw->info.n_used++] = p;
      }
      gw->image[p] = index_of[stands_for];
      gw->sign[p] = on_plane ? 0.0 : odd ? -1.0 : 1.0;
    }
  }
}

/* Coordinates of the points on all spheres, and room for what is sampled there. */
static tx_status place_points(tx_gw *gw) {
  size_t n_used = (size_t)gw->info.n_used, n_radii = (size_t)gw->info.n_radii, n = n_used * n_radii;
  TX_TRY(tx_alloc(n, sizeof *gw->x, "wave extraction", &gw->x));
  TX_TRY(tx_alloc(n, sizeof *gw->sum, "wave extraction", &gw->sum));
  for (size_t i = 0; i < n; i++)
    for (int d = 0; d < 3; d++)
      gw->x[i][d] = gw->radii[i / n_used] * gw->rule.x[gw->used[i % n_used]][d];
  return TX_OK;
}

static tx_status build(tx_gw *gw, const tx_domain *domain, const double *radii) {
  TX_TRY(allocate(gw));
  for (int r = 0; r < gw->info.n_radii; r++) gw->radii[r] = radii[r];
  for (int d = 0; d < 3; d++) gw->reflect |= (domain->low[d] == TX_FACE_REFLECT) << d;
  choose_points(gw);
  return place_points(gw);
}

tx_status tx_gw_create(const tx_domain *domain, int n_radii, const double *radii, int l_max,
                       int degree, tx_gw **out) {
  *out = NULL;
  TX_TRY(check(domain, n_radii, radii, l_max, degree));
  int highest = tx_lebedev_degree(tx_lebedev_rules() - 1);
  if (degree == 0) degree = 2 * l_max + DEGREE_MARGIN;
  if (degree > highest) degree = highest;

  tx_gw *gw;
  TX_TRY(tx_alloc(1, sizeof *gw, "wave extraction", &gw));
  tx_status status = tx_lebedev_create(degree, &gw->rule);
  TX_KEEP(status, tx_harmonics_create(TX_GW_SPIN, l_max, &gw->harmonics));
  gw->info = (tx_gw_info){
      .n_radii = n_radii,
      .l_max = l_max,
      .n_modes = (l_max + 1) * (l_max + 1) - TX_GW_L_LOWEST * TX_GW_L_LOWEST,
      .degree = gw->rule.degree,
      .n_points = gw->rule.n,
  };
  TX_THEN(status, build(gw, domain, radii));
  if (status != TX_OK) {
    tx_gw_destroy(gw);
    return status;
  }
  gw->info.radii = gw->radii;
  *out = gw;
  return TX_OK;
}

void tx_gw_destroy(tx_gw *gw) {
  if (!gw) return;
  tx_lebedev_destroy(&gw->rule);
  tx_harmonics_destroy(gw->harmonics);
  tx_free(gw->radii);
  tx_free(gw->used);
  tx_free(gw->image);
  tx_free(gw->sign);
  tx_free(gw->x);
  tx_free(gw->sum);
  tx_free(gw->value);
  tx_free(gw);
}
