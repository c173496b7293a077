#include "driver/speed.h"

#include <float.h>
#include <math.h>
#include <string.h>
#include <time.h>
#include "base/timer.h"

/* Grid and duration of a calibration. */
#define CALIBRATION_LEVELS 4
#define CALIBRATION_POINTS 1e5
#define CALIBRATION_S      0.8

/* A refined grid around two holes; without a symmetry, so that octants are added in small numbers. */
static void make_params(int levels, double radius, tx_params *p) {
  static const double x1[3] = {4.3, 1.1, 0.6}, x2[3] = {-3.6, -0.9, -2.3};
  tx_params_default(p);
  p->run_t_end = 1e9;
  p->grid_extent = 64.0;
  p->grid_level_min = 1;
  p->grid_level_max = levels;
  p->grid_bh_radius = radius;
  p->initial_data_type = TX_ID_BRILL_LINDQUIST;
  p->initial_data_bh1_mass = p->initial_data_bh2_mass = 0.5;
  memcpy(p->initial_data_bh1_position, x1, sizeof x1);
  memcpy(p->initial_data_bh2_position, x2, sizeof x2);
}

static tx_status count_points(MPI_Comm comm, const tx_params *p, double *points) {
  tx_initial_data *id = NULL;
  tx_octree *tree = NULL;
  tx_mesh *mesh = NULL;
  tx_adm_numbers adm;
  tx_policy policy;
  TX_TRY(tx_agree(comm, tx_initial_data_create(p, &id)));
  tx_initial_data_adm(id, &adm);
  tx_policy_start(p, &adm, &policy);
  tx_status status = tx_grid_build(comm, p, id, &policy, &tree, &mesh);
  if (status == TX_OK) *points = (double)mesh->n_global * TX_N3;
  tx_mesh_destroy(mesh);
  tx_octree_destroy(tree);
  tx_initial_data_destroy(id);
  return status;
}

/* The radius whose grid comes closest: the refined balls grow until it is that large. */
tx_status tx_speed_params(MPI_Comm comm, int levels, double points, tx_params *p) {
  double low = 1e-3, high = 128.0, best = DBL_MAX, radius = 1.0;
  for (int n = 0; n < 14; n++) {
    double found = 0.0, middle = sqrt(low * high);
    make_params(levels, middle, p);
    TX_TRY(count_points(comm, p, &found));
    double off = fabs(log(found / points));
    if (off < best) best = off, radius = middle;
    if (found < points)
      low = middle;
    else
      high = middle;
  }
  make_params(levels, radius, p);
  return TX_OK;
}

tx_status tx_speed_measure(tx_sim *sim, tx_status (*run)(tx_sim *sim), int goes, double *seconds) {
  *seconds = DBL_MAX;
  for (int n = 0; n < goes; n++) {
    TX_MPI(MPI_Barrier(sim->comm));
    double start = tx_now_s();
    TX_TRY(tx_agree(sim->comm, run(sim)));
    double s = tx_now_s() - start;
    TX_MPI(MPI_Allreduce(MPI_IN_PLACE, &s, 1, MPI_DOUBLE, MPI_MAX, sim->comm));
    if (s < *seconds) *seconds = s;
  }
  return TX_OK;
}

/* Seconds of processor time of this process, all threads. */
static double processor_s(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Local: this rank's own grid. Processor time does not count what other programs take meanwhile. */
static tx_status calibrate(double *speed, int64_t *points) {
  tx_params p;
  tx_sim *sim = NULL;
  double fastest = DBL_MAX;
  TX_TRY(tx_speed_params(MPI_COMM_SELF, CALIBRATION_LEVELS, CALIBRATION_POINTS, &p));
  TX_TRY(tx_sim_create(MPI_COMM_SELF, &p, &sim));
  tx_status status = tx_sim_step(sim); /* warms up, and makes the scratch fields */
  double start = tx_now_s();
  while (status == TX_OK && (fastest == DBL_MAX || tx_now_s() - start < CALIBRATION_S)) {
    double s = processor_s();
    status = tx_sim_step(sim);
    fastest = fmin(fastest, processor_s() - s);
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
