/* A scalar field with its gravity: a pulse that spreads and bounces through a refinement boundary with local time steps. The
 * constraints, matter included, fall with the resolution, and CPU and GPU agree. */
#include "support/main.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "evolve/sim.h"
#include "exec/backend.h"
#include "support/simulate.h"
#include "systems/start.h"

extern const tx_system tx_scalar_bssn;

/* The constraints are measured in octants whose first point is nearer to the origin. */
#define NEAR 6.0

/* An octant of space of side 16 M, with a finer level at the origin. */
static void box(tx_params *p, int level) {
  tx_test_params_default(p);
  p->run_t_end = 100.0;
  p->evolution_system = TX_EVOLVED_SCALAR_BSSN;
  p->evolution_time_steps = TX_STEPS_LEVELS;
  p->evolution_cfl = 0.25;
  p->grid_extent = 16.0;
  p->grid_reflect = TX_DIMS_XYZ;
  p->grid_level_min = level;
  p->grid_level_max = p->grid_ball_level = level + 1;
  p->grid_ball_radius = 4.0;
  p->gauge_eta = 1.0;
  p->initial_data_type = TX_ID_MINKOWSKI;
  p->scalar_bssn_adm_mass = 1.0;
  p->scalar_bssn_width = 4.0;
  p->scalar_bssn_mass = 0.5;
  p->scalar_bssn_self_interaction = 2.0;
}

static void fill(tx_sim *sim) {
  for (tx_lidx b = 0; b < sim->mesh->n_local; b++) {
    const double h = tx_mesh_spacing(sim->mesh, sim->mesh->octant[b].level);
    double x0[3], *u = NULL, at[TX_SYSTEM_VARS];
    tx_mesh_origin(sim->mesh, b, x0);
    OK(tx_field_octant(sim->u, b, &u));
    for (int i = 0; i < TX_N3; i++) {
      const double x[3] = {x0[0] + h * (i % TX_N), x0[1] + h * (i / TX_N % TX_N),
                           x0[2] + h * (i / TX_N / TX_N)};
      tx_scalar_bssn.initial_at(&sim->physics, 0, x, at);
      for (int v = 0; v < tx_scalar_bssn.n_vars; v++) u[v * TX_N3 + i] = at[v];
    }
  }
}

/* Away from the outer boundary. */
static void measure(tx_sim *sim, tx_norms *norms) {
  tx_lidx list[512], n = 0;
  tx_set *near = NULL;
  for (tx_lidx b = 0; b < sim->mesh->n_local; b++) {
    double x0[3];
    tx_mesh_origin(sim->mesh, b, x0);
    if (n < 512 && x0[0] < NEAR && x0[1] < NEAR && x0[2] < NEAR) list[n++] = b;
  }
  OK(tx_set_create(sim->exec, n, list, &near));
  OK(tx_ghosts_fill(sim->exec, sim->u));
  OK(tx_exec_constraints(sim->exec, near, sim->u, &(tx_norms_of){&sim->physics, 0, NULL}, norms));
  tx_set_destroy(near);
}

static void constraints_after(int level, double t_end, tx_norms *norms) {
  tx_params p;
  box(&p, level);
  tx_sim *sim = start(&p, fill);
  assert_true(sim->system == &tx_scalar_bssn);
  assert_true(sim->mesh->level_highest == level + 1 && sim->mesh->level_lowest == level);
  while (sim->t < t_end) OK(tx_sim_step(sim));
  measure(sim, norms);
  tx_sim_destroy(sim);
}

static void constraints_converge(void **state) {
  tx_norms coarse, fine;
  if (tx_test_on_gpu()) return; /* backends agree: see below */
  constraints_after(1, 3.0, &coarse);
  constraints_after(2, 3.0, &fine);
  static const char *const name[] = {[TX_CONSTRAINT_H] = "H", "M_x", "M_y", "M_z"};
  /* 6 of the differences, less up to 2 where second derivatives reach over a refinement boundary; 4 of the time steps. */
  static const double expected[] = {[TX_CONSTRAINT_H] = 4.0, 4.5, 4.5, 4.5};
  bool all = true;
  for (int c = TX_CONSTRAINT_H; c <= TX_CONSTRAINT_M2; c++)
    all &=
        convergence_as_expected(name[c], convergence_order(coarse.l2[c], fine.l2[c]), expected[c]);
  assert_true(all && coarse.l2[TX_CONSTRAINT_H] < 1e-4);
}

/* What computes here, and the CPU. */
static void backends_agree(void **state) {
  const tx_backend *here = tx_exec_backend();
  const size_t vars = (size_t)tx_scalar_bssn.n_vars;
  double *kept = NULL;
  for (int cpu = 0; cpu < 2; cpu++) {
    tx_params p;
    tx_norms norms;
    double worst = 0.0;
    static double H;
    box(&p, 1);
    if (cpu) tx_exec_use(&tx_backend_cpu);
    tx_sim *sim = start(&p, fill);
    OK(tx_sim_step(sim));
    if (!cpu) kept = malloc((size_t)sim->mesh->n_local * vars * TX_N3 * sizeof *kept);
    for (tx_lidx b = 0; b < sim->mesh->n_local; b++) {
      const double *u = NULL;
      double *to = kept + (size_t)b * vars * TX_N3;
      OK(tx_field_view(sim->u, b, &u));
      for (size_t i = 0; i < vars * TX_N3; i++) worst = cpu ? fmax(worst, fabs(u[i] - to[i])) : 0.0;
      if (!cpu) memcpy(to, u, vars * TX_N3 * sizeof *u);
    }
    measure(sim, &norms);
    assert_true(worst < 1e-12 && (!cpu || fabs(norms.l2[TX_CONSTRAINT_H] - H) < 1e-12));
    H = norms.l2[TX_CONSTRAINT_H];
    tx_sim_destroy(sim);
  }
  tx_exec_use(here);
  free(kept);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(constraints_converge),
    cmocka_unit_test(backends_agree),
};
TEST_MAIN(tests)
