#include "report/summary.h"

#include <math.h>
#include <stdio.h>
#include "report/progress.h"
#include "report/remnant.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/version.h"
#include "evolve/macro.h"
#include "machine/compute.h"
#include "machine/machine.h"

tx_status tx_results_gather(tx_results *r) {
  const tx_sim *sim = r->sim;
  double bytes[3] = {(double)tx_memory_peak(), (double)tx_machine_resident_bytes(),
                     tx_compute_memory_peak()};
  TX_MPI(MPI_Comm_size(sim->comm, &r->ranks));
  r->threads = tx_machine_threads();
  TX_TRY(tx_operation_gather(sim->comm, r->operation_s));
  TX_TRY(tx_field_checksum(sim->u, &r->checksum));
  TX_MPI(MPI_Allreduce(MPI_IN_PLACE, bytes, 3, MPI_DOUBLE, MPI_SUM, sim->comm));
  r->memory_bytes = bytes[0];
  r->resident_bytes = bytes[1];
  r->device_bytes = bytes[2];
  return TX_OK;
}

static double m_per_hour(const tx_results *r) {
  return r->times.evolution_s > 0.0 ? 3600.0 * r->sim->t / r->times.evolution_s : 0.0;
}

static double speed(const tx_results *r) {
  return r->times.evolution_s > 0.0 ? r->sim->point_stages / r->times.evolution_s : 0.0;
}

static double speed_of_core(const tx_results *r) {
  return r->times.core_s > 0.0 ? r->sim->point_stages / r->times.core_s : 0.0;
}

/* Return the share of Runge-Kutta steps in the evolution; second function: of idle GPUs. */
static double step_share(const tx_results *r) {
  return r->times.evolution_s > 0.0 ? r->times.step_s / r->times.evolution_s : 0.0;
}

static double idle_share(const tx_results *r) {
  const double all = r->times.device_evolution_s;
  return all > 0.0 ? 1.0 - r->times.device_busy_s / all : 0.0;
}

/* Return the seconds of the run that are in no phase. */
static double other_s(const tx_results *r) {
  double sum = 0.0;
  for (int p = 0; p < TX_PHASE_COUNT; p++) sum += r->times.phase_mean_s[p];
  return r->times.wall_s - sum;
}

static void json_phases(const tx_results *r, tx_json *json) {
  tx_json_open(json, "phases", '{');
  for (int p = 0; p < TX_PHASE_COUNT; p++) {
    tx_json_open(json, tx_phase_key((tx_phase)p), '{');
    tx_json_real(json, "mean_s", r->times.phase_mean_s[p]);
    tx_json_real(json, "max_s", r->times.phase_max_s[p]);
    tx_json_real(json, "share", r->times.phase_mean_s[p] / r->times.wall_s);
    tx_json_real(json, "device_s", r->times.device_s[p]);
    tx_json_close(json, '}');
  }
  tx_json_open(json, "other", '{');
  tx_json_real(json, "mean_s", other_s(r));
  tx_json_real(json, "share", other_s(r) / r->times.wall_s);
  tx_json_real(json, "device_s", r->times.device_s[TX_PHASE_COUNT]);
  tx_json_close(json, '}');
  tx_json_close(json, '}');
}

/* Write the seconds of each kind of operation, of which phases are made, and its share of all. */
static void json_operations(const tx_results *r, tx_json *json) {
  double all = 0.0;
  for (int k = 0; k < TX_OPERATION_COUNT; k++) all += r->operation_s[k];
  tx_json_open(json, "operations", '{');
  for (int k = 0; k < TX_OPERATION_COUNT; k++) {
    if (r->operation_s[k] <= 0.0) continue;
    tx_json_open(json, tx_operation_key((tx_operation)k), '{');
    tx_json_real(json, "mean_s", r->operation_s[k]);
    tx_json_real(json, "share", r->operation_s[k] / all);
    tx_json_close(json, '}');
  }
  tx_json_close(json, '}');
}

static void json_grid(const tx_results *r, tx_json *json) {
  const tx_sim *sim = r->sim;
  tx_json_int(json, "octant_points", TX_N);
  tx_json_int(json, "octants", sim->mesh->n_global);
  tx_json_int(json, "points", sim->points);
  tx_json_int(json, "points_most", sim->points_most);
  tx_json_int(json, "regrids", sim->regrids);
  tx_json_open(json, "levels", '{');
  for (int l = sim->mesh->level_lowest; l <= sim->mesh->level_highest; l++) {
    char key[16];
    snprintf(key, sizeof key, "%d", l);
    tx_json_int(json, key, sim->mesh->level_count[l]);
  }
  tx_json_close(json, '}');
}

/* Return the outermost sphere that waves went through; -1: there is none. */
static int outermost(const tx_results *r) {
  if (!r->gw || r->fluxes->samples == 0) return -1;
  int outer = 0;
  for (int i = 0; i < r->gw->n_radii; i++)
    if (r->gw->radii[i] > r->gw->radii[outer]) outer = i;
  return outer;
}

static void json_waves(const tx_results *r, tx_json *json) {
  int outer = outermost(r);
  if (outer < 0) return;
  tx_json_real(json, "energy_radiated", tx_fluxes_total(r->fluxes, outer)[TX_FLUX_E]);
  tx_json_open(json, "energy_radiated_at", '{');
  for (int i = 0; i < r->gw->n_radii; i++) {
    char key[32];
    snprintf(key, sizeof key, "%.2f", r->gw->radii[i]);
    tx_json_real(json, key, tx_fluxes_total(r->fluxes, i)[TX_FLUX_E]);
  }
  tx_json_close(json, '}');
}

static void json_horizon(tx_json *json, const tx_horizon *h) {
  tx_json_real(json, "mass", h->mass);
  tx_json_real(json, "mass_irreducible", h->mass_irreducible);
  tx_json_real(json, "chi", h->chi);
  tx_json_open(json, "spin", '[');
  for (int d = 0; d < 3; d++) tx_json_real(json, NULL, h->spin[d]);
  tx_json_close(json, ']');
}

/* Energies below this are 0 in six decimals. */
#define LEAST_SHOWN 5e-7

/* Write the number that a group has in files, and its punctures, if there are more than two in all. */
static void json_group(tx_json *json, const tx_horizons *h, int k) {
  if (h->n_punctures <= 2 || k < h->n_punctures) return;
  tx_json_int(json, "number", tx_horizons_number(h, k));
  tx_json_open(json, "holes", '[');
  for (int a = 0; a < h->n_punctures; a++)
    if (h->slot[k].holds >> a & 1) tx_json_int(json, NULL, a + 1);
  tx_json_close(json, ']');
}

static void json_horizons(const tx_results *r, tx_json *json) {
  const tx_horizons *h = r->horizons;
  if (!h) return;
  tx_json_open(json, "horizons", '{');
  for (int k = 0; k < h->n_surfaces; k++) {
    const tx_horizon_slot *slot = &h->slot[k];
    char key[16] = "common";
    if (!slot->last.found) continue;
    if (k != tx_horizons_common(h)) snprintf(key, sizeof key, "%d", tx_horizons_number(h, k));
    tx_json_open(json, key, '{');
    json_group(json, h, k);
    tx_json_real(json, "first_seen", slot->first_seen);
    tx_json_real(json, "last_seen", slot->last_seen);
    json_horizon(json, &slot->last);
    tx_json_close(json, '}');
  }
  tx_json_close(json, '}');
}

static void json_physics(const tx_results *r, tx_json *json) {
  const tx_sim *sim = r->sim;
  tx_json_real(json, "adm_energy", sim->adm.energy);
  tx_json_open(json, "punctures", '[');
  for (int a = 0; a < sim->tracker.n; a++) {
    tx_json_open(json, NULL, '[');
    for (int d = 0; d < 3; d++) tx_json_real(json, NULL, sim->tracker.at[a].x[d]);
    tx_json_close(json, ']');
  }
  tx_json_close(json, ']');
  json_horizons(r, json);
  if (r->norms) tx_json_real(json, "hamiltonian_norm2", r->norms->l2[TX_CONSTRAINT_H]);
  tx_json_real(json, "det_gt_off_most", sim->algebraic[0]);
  tx_json_real(json, "tr_at_most", sim->algebraic[1]);
  json_waves(r, json);
}

static void json_steps(const tx_sim *sim, tx_json *json) {
  tx_macro macro;
  tx_macro_of(sim->params, sim->mesh, &macro);
  tx_json_real(json, "time_step", sim->dt);
  tx_json_text(json, "time_steps", macro.of_levels ? "levels" : "global");
  tx_json_real(json, "macro_step", macro.step);
}

void tx_results_json(const tx_results *r, tx_json *json) {
  const tx_sim *sim = r->sim;
  const bool gpu = tx_compute_get()->gpu;
  char machine[512], device[512], checksum[32];
  tx_compute_text(device, sizeof device);
  tx_machine_text(machine, sizeof machine);
  snprintf(checksum, sizeof checksum, "%016llx", (unsigned long long)r->checksum);
  tx_json_open(json, NULL, '{');
  tx_json_text(json, "name", r->params->run_name);
  tx_json_text(json, "parameters", r->par_path);
  tx_json_text(json, "code_version", tx_version());
  tx_json_text(json, "build", tx_build());
  tx_json_text(json, "machine", machine);
  tx_json_text(json, "backend", tx_compute_backend());
  if (gpu) tx_json_text(json, "device", device);
  tx_json_int(json, "ranks", r->ranks);
  tx_json_int(json, "threads", r->threads);
  tx_json_int(json, "steps", sim->step);
  tx_json_real(json, "t", sim->t);
  tx_json_real(json, "t_end", r->params->run_t_end);
  tx_json_bool(json, "complete", r->complete);
  tx_json_text(json, "ended", r->ended);
  tx_json_int(json, "starts", r->starts);
  json_steps(sim, json);
  json_grid(r, json);
  json_physics(r, json);
  tx_json_real(json, "wall_s", r->times.wall_s);
  tx_json_real(json, "evolution_wall_s", r->times.evolution_s);
  tx_json_real(json, "m_per_hour", m_per_hour(r));
  tx_json_real(json, "point_stages", sim->point_stages);
  tx_json_real(json, "point_stages_global", sim->point_stages_global);
  tx_json_real(json, "point_stages_per_s", speed(r));
  tx_json_real(json, "point_stages_per_s_per_core", speed_of_core(r));
  tx_json_real(json, "step_share", step_share(r));
  if (gpu) tx_json_real(json, "device_idle_share", idle_share(r));
  json_phases(r, json);
  json_operations(r, json);
  tx_json_real(json, "memory_bytes", r->memory_bytes);
  tx_json_real(json, "memory_bytes_per_point", r->memory_bytes / (double)sim->points_most);
  tx_json_real(json, "resident_bytes", r->resident_bytes);
  tx_json_real(json, "resident_bytes_per_point", r->resident_bytes / (double)sim->points_most);
  if (gpu) {
    tx_json_real(json, "device_bytes", r->device_bytes);
    tx_json_real(json, "device_bytes_per_point", r->device_bytes / (double)sim->points_most);
  }
  tx_json_text(json, "field_checksum", checksum);
  tx_json_close(json, '}');
}

/* Write the time that GPUs worked in a phase: nothing on the CPU. */
static const char *device_text(const tx_results *r, int p, char text[48]) {
  text[0] = '\0';
  if (r->times.device_evolution_s > 0.0)
    snprintf(text, 48, " %9.2f  %5.1f%%", r->times.device_s[p],
             100.0 * r->times.device_s[p] / r->times.wall_s);
  return text;
}

static void log_phases(const tx_results *r) {
  char device[48];
  const bool gpu = r->times.device_evolution_s > 0.0;
  double other = other_s(r);
  tx_log("  phase                      seconds   share%s   load imbalance (slowest rank over mean)",
         gpu ? "     GPU s   share" : "");
  for (int p = 0; p < TX_PHASE_COUNT; p++) {
    if (p == TX_PHASE_DEVICE && !tx_compute_get()->gpu) {
      other += r->times.phase_mean_s[p]; /* ranks wait for each other there */
      continue;
    }
    if (r->times.phase_max_s[p] == 0.0) continue;
    tx_log("  %-24s %9.2f  %5.1f%%%s   %.2f", tx_phase_text((tx_phase)p), r->times.phase_mean_s[p],
           100.0 * r->times.phase_mean_s[p] / r->times.wall_s, device_text(r, p, device),
           r->times.phase_max_s[p] / r->times.phase_mean_s[p]);
  }
  tx_log("  %-24s %9.2f  %5.1f%%%s", "other", other, 100.0 * other / r->times.wall_s,
         device_text(r, TX_PHASE_COUNT, device));
  tx_log("  %-24s %9.2f", "all", r->times.wall_s);
}

/* Log the shares of Runge-Kutta steps and of idle GPUs in the evolution. */
static void log_shares(const tx_results *r) {
  char idle[80] = "";
  if (r->times.device_evolution_s > 0.0)
    snprintf(idle, sizeof idle, "; GPUs were idle for %.1f%%", 100.0 * idle_share(r));
  tx_log("  steps     Runge-Kutta steps took %.1f%% of the evolution's %.2f s, all else %.1f%%%s",
         100.0 * step_share(r), r->times.evolution_s, 100.0 * (1.0 - step_share(r)), idle);
}

/* Log the work that local time steps saved. */
static void log_gain(const tx_sim *sim) {
  if (sim->params->evolution_time_steps != TX_STEPS_LEVELS || !(sim->point_stages > 0.0)) return;
  const double gain = sim->point_stages_global / sim->point_stages;
  if (gain > 1.0)
    tx_log("  levels    %.3g point-stages, %.3g times less than with one time step for all levels",
           sim->point_stages, gain);
  else
    tx_log("  levels    %.3g point-stages, %.3g times those of one time step for all levels",
           sim->point_stages, 1.0 / gain);
}

/* Return what the waves have carried through the outermost sphere, totals of fluxes; NULL: not known. */
static const double *radiated(const tx_results *r) {
  const int outer = outermost(r);
  return outer >= 0 ? tx_fluxes_total(r->fluxes, outer) : NULL;
}

/* Log a balance: a conserved quantity of the data minus that of the remnant, compared with what the waves carried. */
static void log_balance(const tx_results *r, tx_flux flux, const char *name, const char *unit,
                        double start, double hole) {
  char waves[120] = "";
  if (radiated(r))
    snprintf(waves, sizeof waves, "; the waves have carried %.6f%s through r = %g M",
             radiated(r)[flux], unit, r->gw->radii[outermost(r)]);
  tx_log("  balance   %s: initial data %.6f%s, remnant %.6f%s, difference %.6f%s%s", name, start,
         unit, hole, unit, start - hole, unit, waves);
}

/* Log a remnant, which may move. */
static void log_remnant(const tx_results *r, const tx_horizon *h) {
  const tx_adm_numbers *adm = &r->sim->adm;
  tx_moving_hole hole;
  tx_moving_hole_of(adm, h, radiated(r), &hole);
  const double *P = hole.momentum, kinetic = hole.energy - h->mass;
  if (kinetic >= LEAST_SHOWN)
    tx_log("  remnant   momentum (%.6f, %.6f, %.6f) M, kinetic energy %.6f M: in the balance", P[0],
           P[1], P[2], kinetic);
  if (adm->energy > 0.0) /* which is not known of all data */
    log_balance(r, TX_FLUX_E, "energy", " M", adm->energy, hole.energy);
  if (adm->angular_momentum[2] != 0.0)
    log_balance(r, TX_FLUX_JZ, "J_z", " M^2", adm->angular_momentum[2], hole.angular_momentum[2]);
}

/* Log a surface as it was found last. Inside the horizon of a group, mass and spin of a hole drift. */
static void log_horizon(const tx_results *r, int k) {
  const tx_horizons *h = r->horizons;
  const tx_horizon_slot *slot = &h->slot[k];
  const tx_horizon *last = &slot->last;
  const double merger = k < h->n_punctures ? tx_horizons_merger(h, k) : -1.0;
  char name[TX_HORIZON_NAME], spin[TX_SPIN_TEXT], inside[64] = "";
  tx_horizon_name(h, k, name);
  if (merger >= 0.0 && slot->last_seen >= merger)
    snprintf(inside, sizeof inside, ", from %g M inside another horizon", merger);
  tx_log("  horizon   %s: mass %.6f M, irreducible %.6f M, spin chi %s; seen from t = %g to %g M%s",
         name, last->mass, last->mass_irreducible,
         tx_spin_text(&r->sim->adm, last->chi, last->spin, 5, spin), slot->first_seen,
         slot->last_seen, inside);
}

static void log_horizons(const tx_results *r) {
  const tx_horizons *h = r->horizons;
  if (!h) return;
  for (int k = 0; k < h->n_surfaces; k++)
    if (h->slot[k].last.found) log_horizon(r, k);
  const int k = tx_horizons_remnant(h);
  if (k >= 0) log_remnant(r, &h->slot[k].last);
}

void tx_results_log(const tx_results *r, const char *folder) {
  const tx_sim *sim = r->sim;
  const double mib = 1048576.0;
  char heading[64];
  snprintf(heading, sizeof heading,
           r->complete     ? "done"
           : r->broke_down ? "broken off"
                           : "stopped by %s",
           r->ended);
  tx_log(" ");
  tx_log("%s: t = %g M after %lld step%s, %lld regrid%s that changed the grid", heading, sim->t,
         (long long)sim->step, sim->step == 1 ? "" : "s", (long long)sim->regrids,
         sim->regrids == 1 ? "" : "s");
  const bool gpu = tx_compute_get()->gpu;
  log_phases(r);
  tx_log(" ");
  log_shares(r);
  log_gain(sim);
  tx_log("  speed     %.3g point-stages/s, %.3g per %s; %.1f M/hour", speed(r),
         gpu ? speed(r) / r->ranks : speed_of_core(r), gpu ? "GPU" : "core", m_per_hour(r));
  tx_log("  memory    at most %.0f MiB allocated, %.0f bytes per point; %.0f MiB resident",
         r->memory_bytes / mib, r->memory_bytes / (double)sim->points_most,
         r->resident_bytes / mib);
  if (gpu)
    tx_log("            at most %.0f MiB on GPUs, %.0f bytes per point", r->device_bytes / mib,
           r->device_bytes / (double)sim->points_most);
  tx_log("  algebra   |det gt - 1| <= %.2e, |tr At| <= %.2e before enforcement", sim->algebraic[0],
         sim->algebraic[1]);
  for (int i = 0; r->gw && r->fluxes->samples > 0 && i < r->gw->n_radii; i++)
    tx_log("  radiated  energy %.4e M through r = %g M", tx_fluxes_total(r->fluxes, i)[TX_FLUX_E],
           r->gw->radii[i]);
  log_horizons(r);
  tx_log("  checksum  %016llx of the last state", (unsigned long long)r->checksum);
  tx_log("  results   %s/", folder);
}
