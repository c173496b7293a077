#include "bench/speed.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include "base/timer.h"
#include "evolve/data.h"
#include "machine/compute.h"

/* Grid and duration of a calibration. */
#define CALIBRATION_LEVELS 4
#define CALIBRATION_POINTS 1e5
#define CALIBRATION_S      0.8
/* A GPU takes more to be busy: points a multiprocessor. */
#define CALIBRATION_LEVELS_GPU 6
#define CALIBRATION_POINTS_SM  25e3

/* Copies of the state that the four stages read and write, on the average: 3, 5, 5, 3. */
#define COPIES 4.0

/* Grids tried to find one of a size, and the largest difference in its logarithm. */
#define SEARCH_MOST 12
#define SEARCH_GOOD 0.02

/* Make a refined grid around two holes; without a symmetry, so that octants are added in small numbers. */
static void make_params(int levels, double radius, tx_params *p) {
  static const double x1[3] = {4.3, 1.1, 0.6}, x2[3] = {-3.6, -0.9, -2.3};
  tx_params_default(p);
  p->run_t_end = 1e9;
  p->grid_extent = 64.0;
  p->grid_level_min = 1;
  p->grid_level_max = levels;
  p->grid_bh_radius = radius;
  p->evolution_time_steps = TX_STEPS_GLOBAL; /* all octants in all stages: the same work a point */
  p->initial_data_type = TX_ID_BRILL_LINDQUIST;
  p->initial_data_bhN_mass[0] = p->initial_data_bhN_mass[1] = 0.5;
  memcpy(p->initial_data_bhN_position[0], x1, sizeof x1);
  memcpy(p->initial_data_bhN_position[1], x2, sizeof x2);
}

static tx_status count_points(MPI_Comm comm, const tx_params *p, double *points) {
  tx_initial_data *id = NULL;
  tx_octree *tree = NULL;
  tx_mesh *mesh = NULL;
  tx_adm_numbers adm;
  tx_policy policy;
  tx_grid_limit limit;
  TX_TRY(tx_agree(comm, tx_initial_data_create(p, &id)));
  tx_initial_data_adm(id, &adm);
  tx_policy_start(p, &adm, &policy);
  policy.limit = &limit;
  tx_status status =
      tx_grid_limit_of_tables(comm, tx_policy_needs_data(&policy) ? tx_system_of(p) : NULL, &limit);
  TX_THEN(status, tx_grid_build(comm, p, id, &policy, &tree, &mesh));
  if (status == TX_OK) *points = (double)mesh->n_global * TX_N3;
  tx_mesh_destroy(mesh);
  tx_octree_destroy(tree);
  tx_initial_data_destroy(id);
  return status;
}

/* Scale the refined regions by `factor`. */
static void scale(const tx_params *from, double factor, tx_params *p) {
  *p = *from;
  p->grid_bh_radius *= factor;
  for (int a = 0; a < TX_PUNCTURES_MAX; a++) p->grid_bhN_radius[a] *= factor;
  p->grid_ball_radius = factor * from->grid_ball_radius;
}

/* Search for the factor whose grid comes closest. */
typedef struct search {
  double low, high; /* one gives too few points, the other too many; 0: not known */
  double factor, best, off;
} search;

static void search_add(search *s, double found, double points) {
  double off = fabs(log(found / points));
  if (off < s->off) s->off = off, s->best = s->factor;
  if (found < points)
    s->low = s->factor;
  else
    s->high = s->factor;
  s->factor = s->low == 0.0    ? 0.5 * s->high
              : s->high == 0.0 ? 2.0 * s->low
                               : sqrt(s->low * s->high);
}

tx_status tx_speed_scale(MPI_Comm comm, double points, tx_params *p) {
  const tx_params from = *p;
  search s = {.factor = 1.0, .best = 1.0, .off = DBL_MAX};
  for (int n = 0; n < SEARCH_MOST && s.off > SEARCH_GOOD; n++) {
    double found = 0.0;
    scale(&from, s.factor, p);
    TX_TRY(count_points(comm, p, &found));
    search_add(&s, found, points);
  }
  scale(&from, s.best, p);
  return TX_OK;
}

tx_status tx_speed_params(MPI_Comm comm, int levels, double points, tx_params *p) {
  make_params(levels, 1.0, p);
  return tx_speed_scale(comm, points, p);
}

tx_status tx_speed_params_profile(MPI_Comm comm, const char *name, double points, tx_params *p) {
  p->initial_data_type = TX_ID_PROFILE;
  snprintf(p->initial_data_profile, sizeof p->initial_data_profile, "%s", name);
  p->grid_ball_level = p->grid_level_max;
  p->grid_ball_radius = 1.0;
  return tx_speed_scale(comm, points, p);
}

/* Remove momenta and spins, so that data of punctures have a closed form. */
static void put_at_rest(tx_params *p) {
  memset(p->initial_data_bhN_momentum, 0, sizeof p->initial_data_bhN_momentum);
  memset(p->initial_data_bhN_spin, 0, sizeof p->initial_data_bhN_spin);
}

tx_status tx_speed_params_of(MPI_Comm comm, double points, tx_params *p) {
  tx_initial_data *id = NULL;
  tx_adm_numbers adm;
  TX_TRY(tx_agree(comm, tx_data_create_preview(p, &id)));
  tx_initial_data_adm(id, &adm);
  tx_initial_data_destroy(id);
  p->run_t_end = 1e9;
  p->run_max_steps = 0;
  if (adm.n == 2) {
    p->initial_data_type = TX_ID_BRILL_LINDQUIST;
    memcpy(p->initial_data_bhN_mass, adm.mass_bare, 2 * sizeof adm.mass_bare[0]);
    memcpy(p->initial_data_bhN_position, adm.position, 2 * sizeof adm.position[0]);
  }
  put_at_rest(p);
  TX_REQUIRE(points == 0.0 || p->grid_ball_radius > 0.0 ||
                 (adm.n > 0 && tx_params_hole_of(p, 0).radius > 0.0),
             TX_ERR_PARAM,
             "--points: the grid of this parameter file has no refined regions to scale; leave the "
             "option out");
  return points > 0.0 ? tx_speed_scale(comm, points, p) : TX_OK;
}

double tx_speed_stage_bytes(const tx_system *system) {
  return COPIES * (double)sizeof(double) * system->n_vars;
}

double tx_speed_stage_flops(const tx_system *system) {
  return system->rhs_flops + 4.0 * system->n_vars;
}

tx_stage tx_speed_middle_stage(tx_sim *sim) {
  return (tx_stage){
      .u = sim->u,
      .y = sim->u,
      .base_sum = sim->sum,
      .sum = sim->sum,
      .next = sim->y2,
      .dt_sum = sim->dt * 1e-9,
      .dt_next = sim->dt * 1e-9,
  };
}

tx_status tx_speed_stage(tx_sim *sim) {
  const tx_stage stage = tx_speed_middle_stage(sim);
  return tx_exec_stage(sim->exec, tx_exec_all(sim->exec), &sim->physics, &stage);
}

tx_status tx_speed_measure(tx_sim *sim, tx_status (*run)(tx_sim *sim), int goes, int calls,
                           double *seconds) {
  *seconds = DBL_MAX;
  for (int n = 0; n < goes; n++) {
    tx_status status = tx_exec_wait(sim->exec);
    TX_MPI(MPI_Barrier(sim->comm));
    double start = tx_now_s();
    for (int c = 0; c < calls; c++) TX_KEEP(status, run(sim));
    TX_KEEP(status, tx_exec_wait(sim->exec));
    double s = (tx_now_s() - start) / calls;
    TX_TRY(tx_agree(sim->comm, status));
    TX_MPI(MPI_Allreduce(MPI_IN_PLACE, &s, 1, MPI_DOUBLE, MPI_MAX, sim->comm));
    if (s < *seconds) *seconds = s;
  }
  return TX_OK;
}

tx_status tx_speed_step(tx_sim *sim) {
  const tx_tracker before = sim->tracker;
  const tx_status status = tx_sim_step(sim);
  sim->tracker = before;
  return status;
}

/* Return the seconds of processor time of this process, all threads. */
static double processor_s(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Measure this rank's speed on a grid of its own. Processor time leaves out other programs; a GPU is its rank's alone. */
static tx_status calibrate(double *speed, int64_t *points) {
  tx_params p;
  tx_sim *sim = NULL;
  double fastest = DBL_MAX;
  const bool gpu = tx_compute_get()->gpu;
  TX_TRY(tx_speed_params(MPI_COMM_SELF, gpu ? CALIBRATION_LEVELS_GPU : CALIBRATION_LEVELS,
                         gpu ? CALIBRATION_POINTS_SM * tx_compute_get()->sms : CALIBRATION_POINTS,
                         &p));
  TX_TRY(tx_sim_create(MPI_COMM_SELF, &p, &sim));
  tx_status status = tx_speed_step(sim); /* warms up, and makes the scratch fields */
  double start = tx_now_s();
  while (status == TX_OK && (fastest == DBL_MAX || tx_now_s() - start < CALIBRATION_S)) {
    double s = gpu ? tx_now_s() : processor_s();
    status = tx_speed_step(sim);
    TX_KEEP(status, tx_exec_wait(sim->exec));
    fastest = fmin(fastest, (gpu ? tx_now_s() : processor_s()) - s);
  }
  *points = sim->points;
  *speed = 4.0 * (double)sim->points / fastest;
  tx_sim_destroy(sim);
  return status;
}

tx_status tx_speed_calibrate(MPI_Comm comm, double *speed, int64_t *points) {
  TX_TRY(tx_agree(comm, calibrate(speed, points)));
  TX_MPI(MPI_Allreduce(MPI_IN_PLACE, speed, 1, MPI_DOUBLE, MPI_MIN, comm));
  return TX_OK;
}
