#include "driver/commands.h"

#include <math.h>
#include "base/log.h"
#include "driver/progress.h"
#include "driver/sim.h"
#include "gw_extraction/gw.h"

/* Copies of the state that a step needs. */
#define COPIES 4

/* Point-stages a second of one core that costs are given for. */
#define NOMINAL_SPEED 1e6

/* Wavelength of the l = 2 ringdown over the mass of the hole that is left: 2 pi / 0.3737. */
#define RINGDOWN 16.8

/* What an expert would look at twice: points in a wave of the ringdown, at least, and points across
 * half a puncture's mass, the radius of its horizon. */
#define POINTS_PER_WAVE 8
#define POINTS_PER_HOLE 4

/* Bytes of a run on this mesh, all ranks: states, ghosts, tables. */
static tx_status memory_bytes(const tx_mesh *mesh, double *bytes) {
  double values =
      (double)(mesh->ghosts.slot_points + mesh->ghosts.send1_points + mesh->ghosts.send2_points) +
      COPIES * (double)mesh->n_local * TX_N3;
  *bytes = values * TX_VARS * sizeof(double) + (double)tx_mesh_bytes(mesh);
  TX_MPI(MPI_Allreduce(MPI_IN_PLACE, bytes, 1, MPI_DOUBLE, MPI_SUM, mesh->comm));
  return TX_OK;
}

static tx_status note_waves(const tx_params *p, const tx_adm_numbers *adm, const tx_mesh *mesh) {
  double outermost = 0.0;
  for (int r = 0; r < p->waves_radii.n; r++) {
    int level = 0;
    TX_TRY(tx_level_at_radius(mesh, p->waves_radii.v[r], &level));
    double points = RINGDOWN * adm->energy / tx_mesh_spacing(mesh, level);
    if (adm->n > 0 && points < POINTS_PER_WAVE)
      tx_log(
          "note: at r = %g M the wavelength of the l = 2 ringdown, %.3g M, is %.2g spacings; less "
          "than %d damp and delay it",
          p->waves_radii.v[r], RINGDOWN * adm->energy, points, POINTS_PER_WAVE);
    outermost = fmax(outermost, p->waves_radii.v[r]);
  }
  double back = 2.0 * p->grid_extent - outermost;
  if (outermost > 0.0 && p->grid_periodic != TX_DIMS_XYZ && p->run_t_end > back)
    tx_log("note: from t = %g M on, reflections off the outer boundary may have come back to r = "
           "%g M; run.t_end is %g M",
           back, outermost, p->run_t_end);
  return TX_OK;
}

static tx_status note_punctures(const tx_policy *policy, const tx_adm_numbers *adm,
                                const tx_mesh *mesh) {
  for (int a = 0; a < adm->n; a++) {
    int finest = 0;
    for (tx_lidx b = 0; b < mesh->n_local; b++) {
      double low[3], size = tx_mesh_size(mesh, mesh->octant[b].level);
      tx_mesh_origin(mesh, b, low);
      if (tx_box_distance(low, size, policy->focus[a].x) == 0.0 && mesh->octant[b].level > finest)
        finest = mesh->octant[b].level;
    }
    TX_MPI(MPI_Allreduce(MPI_IN_PLACE, &finest, 1, MPI_INT, MPI_MAX, mesh->comm));
    double points = 0.5 * adm->mass_bare[a] / tx_mesh_spacing(mesh, finest);
    if (points < POINTS_PER_HOLE)
      tx_log(
          "note: half the mass of puncture %d, %g M, is %.2g spacings there; less than %d hardly "
          "resolve it",
          a + 1, 0.5 * adm->mass_bare[a], points, POINTS_PER_HOLE);
  }
  return TX_OK;
}

static tx_status show_cost(const tx_params *p, const tx_mesh *mesh, int ranks) {
  const double gib = 1073741824.0, points = (double)mesh->n_global * TX_N3;
  double bytes = 0.0, dt = tx_sim_full_step(p, mesh);
  double steps = ceil(p->run_t_end / dt * (1.0 - 1e-12));
  if (p->run_max_steps > 0) steps = fmin(steps, p->run_max_steps);
  if (ranks == 0) TX_MPI(MPI_Comm_size(mesh->comm, &ranks));
  TX_TRY(memory_bytes(mesh, &bytes));
  tx_log("  memory      %.3g GiB in all, %.0f bytes a point; %.3g GiB a rank on %d rank%s",
         bytes / gib, bytes / points, bytes / gib / ranks, ranks, ranks == 1 ? "" : "s");
  double stages = 4.0 * points * steps;
  tx_log(
      "  cost        %.3g point-stages on this grid: %.3g core hours at %.0e point-stages/s a core "
      "(measure yours: tendex bench)",
      stages, stages / NOMINAL_SPEED / 3600.0, NOMINAL_SPEED);
  return TX_OK;
}

static tx_status show_waves(const tx_params *p, const tx_mesh *mesh) {
  tx_gw *gw = NULL;
  if (p->waves_radii.n == 0) {
    tx_log("  waves       none: waves.radii is empty");
    return TX_OK;
  }
  tx_status status = tx_gw_create(&mesh->domain, p->waves_radii.n, p->waves_radii.v, p->waves_l_max,
                                  p->waves_degree, &gw);
  status = tx_agree(mesh->comm, status);
  if (status == TX_OK) status = tx_log_waves(tx_gw_describe(gw), mesh);
  tx_gw_destroy(gw);
  return status;
}

static tx_status show(MPI_Comm comm, const tx_params *p, const tx_initial_data *id, int ranks) {
  tx_adm_numbers adm;
  tx_octree *tree = NULL;
  tx_mesh *mesh = NULL;
  tx_policy policy;
  tx_initial_data_adm(id, &adm);
  tx_log_domain(p);
  tx_log_data(p, &adm);
  tx_policy_start(p, &adm, &policy);
  TX_TRY(tx_grid_build(comm, p, id, &policy, &tree, &mesh));
  tx_log_grid(p, mesh);
  tx_status status = show_waves(p, mesh);
  if (status == TX_OK) status = show_cost(p, mesh, ranks);
  if (status == TX_OK) status = note_punctures(&policy, &adm, mesh);
  if (status == TX_OK) status = note_waves(p, &adm, mesh);
  tx_mesh_destroy(mesh);
  tx_octree_destroy(tree);
  return status;
}

tx_status tx_check_main(MPI_Comm comm, const tx_params *p, const char *par_path, int ranks) {
  tx_initial_data *id = NULL;
  int now = 1;
  TX_MPI(MPI_Comm_size(comm, &now));
  tx_log_banner(p, par_path, now);
  tx_status status = tx_agree(comm, tx_initial_data_create(p, &id));
  if (status == TX_OK) status = show(comm, p, id, ranks);
  tx_initial_data_destroy(id);
  if (status == TX_OK) tx_log("%s: good", par_path);
  return status;
}
