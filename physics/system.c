#include "physics/system.h"

#include <math.h>
#include <string.h>

#include "base/schemes.h"
#include "physics/stencils_point.h"

#define DECLARE(name, suffix, order, upwinded, half) extern const tx_system tx_##name##suffix;
#define DECLARE_ALL(name)                            TX_SCHEMES(DECLARE, name)
#define FIRST(name)                                  &tx_##name,
TX_SYSTEMS(DECLARE_ALL)
static const tx_system *known[TX_SYSTEMS_MAX] = {TX_SYSTEMS(FIRST)};

const tx_system *tx_system_numbered(int number) {
  return number >= 0 && number < TX_SYSTEMS_MAX ? known[number] : NULL;
}

/* Every system with every scheme. */
#define ADDRESS(name, suffix, order, upwinded, half) &tx_##name##suffix,
#define ADDRESS_ALL(name)                            TX_SCHEMES(ADDRESS, name)
static const tx_system *const all[] = {TX_SYSTEMS(ADDRESS_ALL)};

const tx_system *tx_system_variant(int n) {
  return n >= 0 && n < (int)(sizeof all / sizeof all[0]) ? all[n] : NULL;
}

const tx_system *tx_system_of(const tx_params *p) {
  const tx_system *system = tx_system_numbered(p->evolution_system);
  const bool upwinded = p->evolution_advection == TX_ADVECTION_UPWINDED;
  for (size_t n = 0; system && n < sizeof all / sizeof all[0]; n++)
    if (strcmp(all[n]->name, system->name) == 0 && all[n]->order == p->evolution_order &&
        all[n]->upwinded == upwinded && all[n]->dissipation_order == p->evolution_dissipation_order)
      return all[n];
  return system;
}

tx_status tx_system_check(const tx_params *p) {
  const tx_system *system = tx_system_of(p);
  const bool upwinded = p->evolution_advection == TX_ADVECTION_UPWINDED;
  TX_REQUIRE(system, TX_ERR_PARAM, "there is no system of equations number %d",
             p->evolution_system);
  TX_REQUIRE(
      system->order == p->evolution_order && system->upwinded == upwinded &&
          system->dissipation_order == p->evolution_dissipation_order,
      TX_ERR_PARAM,
      "the system %s has no finite differences of order %d with %s advection and dissipation "
      "of order %d in this program",
      system->name, p->evolution_order, upwinded ? "upwinded" : "centred",
      p->evolution_dissipation_order);
  return TX_OK;
}

int tx_system_add(const tx_system *system) {
  for (int n = 0; n < TX_SYSTEMS_MAX; n++) {
    if (known[n] && known[n] != system) continue;
    known[n] = system;
    return n;
  }
  return -1;
}

int tx_system_variable(const tx_system *system, const char *name) {
  for (int v = 0; v < system->n_vars; v++)
    if (strcmp(name, system->variable[v].name) == 0) return v;
  return -1;
}

int tx_system_analysis(const tx_system *system, const char *name) {
  for (int a = 0; a < system->n_analyses; a++)
    if (strcmp(name, system->quantity[a].name) == 0) return a;
  return -1;
}

int tx_system_fields(const tx_system *system) {
  return system->n_analyses > system->n_vars ? system->n_analyses : system->n_vars;
}

double tx_lapse_pull(const tx_system_params *p, double t) {
  const double s = t / p->slow_start_time, e = 0.5 * s * s;
  return p->slow_start > 0.0 && e < 40.0 ? p->slow_start * exp(-e) : 0.0;
}

void tx_system_params_at(tx_system_params *p, double t) {
  p->time = t;
  p->lapse_pull = tx_lapse_pull(p, t);
}

static tx_octant_shift no_shift(void) {
  static const double zero[TX_N3];
  return (tx_octant_shift){zero, 0, TX_N * TX_N, TX_N};
}

tx_octant_shift tx_system_shift(const tx_system *system, const double *block) {
  if (system->shift.n == 0) return no_shift();
  return (tx_octant_shift){block + (size_t)system->shift.first * TX_N3, TX_N3, TX_N * TX_N, TX_N};
}

void tx_system_rhs(const tx_system *system, const tx_system_params *p, const tx_octant_place *place,
                   const double *__restrict patch, double *__restrict rhs, void *scratch) {
  const double *beta = patch + (size_t)system->shift.first * TX_P3 + TX_PATCH_AT(0, 0, 0);
  const tx_octant_shift shift =
      system->shift.n ? (tx_octant_shift){beta, TX_P3, TX_P * TX_P, TX_P} : no_shift();
  for (int first = 0; first < TX_N; first += TX_RHS_PLANES) {
    system->rhs_begin(p, place, first, shift, scratch);
    for (int v = 0; v < system->n_vars; v++)
      system->rhs_take(v, patch + (size_t)v * TX_P3, scratch);
    system->rhs_end(rhs, scratch);
  }
}
