#include "gw_extraction/lebedev.h"

#include <math.h>

#include "base/memory.h"
#include "gw_extraction/lebedev_table.h"

enum { RULES = sizeof lebedev_rules / sizeof lebedev_rules[0] };

int tx_lebedev_rules(void) {
  return RULES;
}

int tx_lebedev_degree(int which) {
  return lebedev_rules[which].degree;
}

/* Append all points whose mirror image is x. */
static void append_group(tx_lebedev *rule, const double x[3], double w) {
  for (int signs = 0; signs < 8; signs++) {
    double y[3];
    int same = 0;
    for (int d = 0; d < 3; d++) {
      int flip = signs >> d & 1;
      same |= flip && x[d] == 0.0;
      y[d] = flip ? -x[d] : x[d];
    }
    if (same) continue;
    for (int d = 0; d < 3; d++) rule->x[rule->n][d] = y[d];
    rule->w[rule->n++] = 4.0 * M_PI * w;
  }
  rule->group[++rule->n_groups] = rule->n;
}

/* Append an orbit of the octahedral group: the permutations of (a, b, c) that differ, a <= b <= c. The
 * library is compiled without contracted products, so that c has the same bits everywhere. */
static void append_orbit(tx_lebedev *rule, const lebedev_orbit *o) {
  static const int order[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
  const double c = sqrt(1.0 - (o->a * o->a + o->b * o->b)) + o->last * 0x1p-53;
  const double v[3] = {o->a, o->b, c};
  for (int p = 0; p < 6; p++) {
    const double x[3] = {v[order[p][0]], v[order[p][1]], v[order[p][2]]};
    int seen = 0;
    for (int q = 0; q < p; q++)
      seen |= x[0] == v[order[q][0]] && x[1] == v[order[q][1]] && x[2] == v[order[q][2]];
    if (!seen) append_group(rule, x, o->w);
  }
}

tx_status tx_lebedev_create(int degree, tx_lebedev *out) {
  *out = (tx_lebedev){0};
  int which = 0, first = 0;
  while (which < RULES && lebedev_rules[which].degree < degree)
    first += lebedev_rules[which++].orbits;
  TX_REQUIRE(
      which < RULES, TX_ERR_PARAM,
      "no Lebedev rule is exact to degree %d; the highest is %d: lower waves.degree or waves.l_max",
      degree, lebedev_rules[RULES - 1].degree);
  const lebedev_rule *r = &lebedev_rules[which];
  size_t n = (size_t)r->points;
  tx_status status = tx_alloc(n, sizeof *out->x, "Lebedev rule", &out->x);
  TX_KEEP(status, tx_alloc(n, sizeof *out->w, "Lebedev rule", &out->w));
  TX_KEEP(status, tx_alloc(n + 1, sizeof *out->group, "Lebedev rule", &out->group));
  if (status != TX_OK) {
    tx_lebedev_destroy(out);
    return status;
  }
  out->degree = r->degree;
  for (int k = 0; k < r->orbits; k++) append_orbit(out, &lebedev_orbits[first + k]);
  return TX_OK;
}

void tx_lebedev_destroy(tx_lebedev *rule) {
  tx_free(rule->x);
  tx_free(rule->w);
  tx_free(rule->group);
  *rule = (tx_lebedev){0};
}
