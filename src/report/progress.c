#include "report/progress.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include "evolve/macro_step.h"
#include "report/remnant.h"
#include "report/text.h"
#include "base/log.h"
#include "base/mpi_found.h"
#include "base/timer.h"
#include "base/version.h"
#include "evolve/macro.h"
#include "machine/hosts.h"
#include "machine/machine.h"

/* Progress lines between two heads of the columns. */
#define LINES_PER_HEAD 40

const char *tx_id_name(int type) {
#define W(name, text) {name, text},
  static const struct {
    int type;
    const char *text;
  } names[] = {TX_ID_WORDS(W)};
#undef W
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
    if (names[i].type == type) return names[i].text;
  return "?";
}

const char *tx_levels_text(const tx_mesh *mesh, char *text, size_t size) {
  size_t at = 0;
  text[0] = '\0';
  for (int l = mesh->level_lowest; l <= mesh->level_highest && at < size; l++)
    at += (size_t)snprintf(text + at, size - at, "%s%d:%lld", at ? " " : "", l,
                           (long long)mesh->level_count[l]);
  return text;
}

void tx_log_banner(const tx_params *p, const char *par_path, int ranks) {
  char machine[512], date[64], parallel[64], mpi[64];
  tx_machine_text(machine, sizeof machine);
  tx_machine_date(date, sizeof date);
  tx_log("Tendex %s, %s", tx_version(), date);
  tx_log("  build       %s", tx_build());
  tx_log("  machine     %s", machine);
  tx_mpi_name(mpi, sizeof mpi);
  tx_log("  parallel    %s, %s", tx_ranks_text(ranks, tx_machine_threads(), parallel), mpi);
  if (tx_hosts_text()[0]) tx_log("              %s", tx_hosts_text());
  tx_log("  parameters  %s%s%s", par_path ? par_path : "(defaults)", p->run_folder[0] ? " -> " : "",
         p->run_folder);
}

void tx_log_domain(const tx_params *p) {
  static const char axes[] = "xyz";
  char text[3][64];
  for (int d = 0; d < 3; d++) {
    bool reflect = (p->grid_reflect >> d) & 1, periodic = (p->grid_periodic >> d) & 1;
    snprintf(text[d], sizeof text[d], "%c [%g, %g) M%s", axes[d], reflect ? 0.0 : -p->grid_extent,
             p->grid_extent,
             reflect    ? " reflecting"
             : periodic ? " periodic"
                        : "");
  }
  tx_log("  domain      %s, %s, %s", text[0], text[1], text[2]);
  char scaled[512];
  tx_params_scaled(p, scaled, sizeof scaled);
  if (scaled[0])
    tx_log("  defaults    for a total mass of about %g M: %s", tx_params_unit(p), scaled);
  const tx_system *system = tx_system_of(p);
  tx_log("  equations   %s, finite differences of order %d%s, dissipation of order %d",
         system->name, system->order, system->upwinded ? ", upwinded along the shift" : "",
         system->dissipation_order);
}

static bool is_zero(const double *x) {
  return x[0] == 0.0 && x[1] == 0.0 && x[2] == 0.0;
}

static void log_puncture(const tx_adm_numbers *adm, int a) {
  const double *x = adm->position[a], *P = adm->momentum[a], *S = adm->spin[a];
  double m2 = adm->mass_adm[a] * adm->mass_adm[a];
  tx_log("              puncture %d at (%g, %g, %g) M, bare mass %.10g, ADM mass %.10g", a + 1,
         x[0], x[1], x[2], adm->mass_bare[a], adm->mass_adm[a]);
  if (!is_zero(P)) tx_log("                momentum (%.10g, %.10g, %.10g) M", P[0], P[1], P[2]);
  if (!is_zero(S))
    tx_log("                spin (%.8g, %.8g, %.8g) M^2, chi = S/m^2 (%.6g, %.6g, %.6g)", S[0],
           S[1], S[2], S[0] / m2, S[1] / m2, S[2] / m2);
}

/* Names of methods and of their steps. */
static const char *const how[] = {[TX_ELLIPTIC_MULTIGRID] = "multigrid",
                                  [TX_ELLIPTIC_KRYLOV] = "Krylov's method",
                                  [TX_ELLIPTIC_RELAXATION] = "relaxation"};
static const char *const steps[] = {[TX_ELLIPTIC_MULTIGRID] = "cycles",
                                    [TX_ELLIPTIC_KRYLOV] = "iterations",
                                    [TX_ELLIPTIC_RELAXATION] = "steps"};

static void log_lapse(const tx_params *p, const tx_adm_numbers *adm) {
  tx_log("              maximal lapse by %s: residual %.1e, %d %s", how[p->elliptic_method],
         adm->lapse_residual, adm->lapse_cycles, steps[p->elliptic_method]);
}

static void log_solution_on_grid(const tx_params *p, const tx_adm_numbers *adm) {
  const int method = p->elliptic_method;
  char masses[48] = "";
  if (adm->mass_steps > 0)
    snprintf(masses, sizeof masses, "; %d iterations of the bare masses", adm->mass_steps);
  tx_log("              solved by %s: residual %.1e, %d %s%s", how[method], adm->residual,
         adm->cycles, steps[method], masses);
}

static void log_solution(const tx_params *p, const tx_adm_numbers *adm, bool preview) {
  int n = adm->resolution;
  if (adm->cycles > 0) log_solution_on_grid(p, adm);
  if (adm->lapse_cycles > 0) log_lapse(p, adm);
  if (n == 0) return;
  if (preview)
    tx_log("              preview with %d x %d x %d points, error of u about %.1e; a run solves %s",
           n, n, n / 2, adm->error,
           p->initial_data_resolution > 0 ? "with initial_data.resolution"
                                          : "to initial_data.tolerance");
  else
    tx_log("              solved with %d x %d x %d points: residual %.1e, error of u about %.1e; "
           "%d Newton step%s",
           n, n, n / 2, adm->residual, adm->error, adm->newton_steps,
           adm->newton_steps == 1 ? "" : "s");
}

void tx_log_data(const tx_params *p, const tx_adm_numbers *adm, bool preview) {
  const double *P = adm->linear_momentum, *J = adm->angular_momentum;
  const bool profile = p->initial_data_type == TX_ID_PROFILE;
  tx_log("  data        %s%s%s", tx_id_name(p->initial_data_type), profile ? " " : "",
         profile      ? p->initial_data_profile
         : adm->n > 0 ? ""
                      : ", no punctures");
  for (int a = 0; a < adm->n; a++) log_puncture(adm, a);
  if (adm->n == 2) {
    const double *x = adm->position[0], *y = adm->position[1];
    tx_log("              coordinate distance %.10g M",
           hypot(hypot(x[0] - y[0], x[1] - y[1]), x[2] - y[2]));
  }
  if (p->initial_data_type == TX_ID_BRILL_WAVE && adm->cycles > 0)
    tx_log("              ADM energy %.10g M", adm->energy);
  if (adm->n > 0)
    tx_log("              ADM energy %.10g M, angular momentum (%.10g, %.10g, %.10g) M^2",
           adm->energy, J[0], J[1], J[2]);
  if (!is_zero(P)) tx_log("              ADM momentum (%.10g, %.10g, %.10g) M", P[0], P[1], P[2]);
  log_solution(p, adm, preview);
}

void tx_log_macro(const tx_params *p, const tx_mesh *mesh) {
  tx_macro macro;
  char bound[512], leaves[32], covered[32];
  tx_macro_of(p, mesh, &macro);
  if (!macro.of_levels) return;
  tx_macro_bound(p, mesh->level_highest, mesh->level_lowest, bound, sizeof bound);
  tx_log("  macro step  %.6g M, %s: %lld time step%s; all levels are synchronised after each",
         macro.step, p->evolution_macro_step > 0.0 ? "as given" : "chosen", 1LL << macro.m,
         macro.m == 0 ? "" : "s");
  tx_log("              limited by %s", bound);
  tx_log("              level      step/M      leaves     covered  of the work");
  for (int l = mesh->level_lowest; l <= mesh->level_highest; l++)
    tx_log("              %5d  %10.6g  %10s  %10s  %10.1f%%", l,
           macro.step / (double)macro.steps[l], tx_count_text(mesh->level_count[l], leaves),
           tx_count_text(macro.nodes[l] - mesh->level_count[l], covered),
           100.0 * tx_macro_share(&macro, l));
  const double gain = tx_macro_gain(&macro);
  if (gain > 1.0)
    tx_log("              %.3g times less work than with one time step for all levels", gain);
  else
    tx_log("              %.3g times the work of one time step for all levels", 1.0 / gain);
  if (p->grid_remnant_level >= 0 && p->grid_remnant_level < mesh->level_highest)
    tx_log("              another %.3g times less after the merger, with level %d as the finest",
           tx_macro_remnant_gain(&macro, p->grid_remnant_level), p->grid_remnant_level);
}

void tx_log_grid(const tx_params *p, const tx_mesh *mesh) {
  char octants[32], points[32];
  tx_log("  grid        %s octants of %d^3 points, %s points",
         tx_count_text(mesh->n_global, octants), TX_N,
         tx_count_text(mesh->n_global * TX_N3, points));
  tx_log("              level   spacing/M     octants        points");
  for (int l = mesh->level_lowest; l <= mesh->level_highest; l++)
    tx_log("              %5d  %10.6g  %10s  %12s", l, tx_mesh_spacing(mesh, l),
           tx_count_text(mesh->level_count[l], octants),
           tx_count_text(mesh->level_count[l] * TX_N3, points));
  tx_macro macro;
  tx_macro_of(p, mesh, &macro);
  tx_log("  time step   %.6g M, %g of the smallest spacing; %.0f steps to t = %g M", macro.dt,
         macro.dt / tx_mesh_spacing(mesh, mesh->level_highest),
         ldexp(ceil(p->run_t_end / macro.step * (1.0 - 1e-12)), macro.m), p->run_t_end);
  tx_log_macro(p, mesh);
}

/* Find the coarsest level that covers part of the sphere of radius r, over all ranks. */
static tx_status level_at_radius(const tx_mesh *mesh, double r, int *level) {
  const double origin[3] = {0.0, 0.0, 0.0};
  int coarsest = 0, finest = 0;
  tx_levels_in_shell(mesh, origin, r, r, &coarsest, &finest);
  TX_MPI(MPI_Allreduce(&coarsest, level, 1, MPI_INT, MPI_MIN, mesh->comm));
  return TX_OK;
}

tx_status tx_log_waves(const tx_gw_info *gw, const tx_mesh *mesh) {
  tx_log("  waves       l = 2 to %d, %d modes; Lebedev rule of degree %d, %d points per sphere, %d "
         "of them sampled",
         gw->l_max, gw->n_modes, gw->degree, gw->n_points, gw->n_used);
  for (int r = 0; r < gw->n_radii; r++) {
    int level = 0;
    TX_TRY(level_at_radius(mesh, gw->radii[r], &level));
    tx_log("              r = %g M, where the spacing is up to %g M", gw->radii[r],
           tx_mesh_spacing(mesh, level));
  }
  return TX_OK;
}

void tx_horizon_name(const tx_horizons *h, int k, char name[TX_HORIZON_NAME]) {
  const bool common = k == tx_horizons_common(h);
  size_t n = (size_t)snprintf(name, TX_HORIZON_NAME, "%s", common ? "common" : "");
  if (!common) n = (size_t)snprintf(name, TX_HORIZON_NAME, "%d", tx_horizons_number(h, k));
  if (common || k < h->n_punctures) return;
  const char *before = " of holes ";
  for (int a = 0; a < h->n_punctures; a++) {
    if (!(h->slot[k].holds >> a & 1)) continue;
    n += (size_t)snprintf(name + n, TX_HORIZON_NAME - n, "%s%d", before, a + 1);
    before = ", ";
  }
}

void tx_log_horizons(const tx_horizons *h, const tx_sim *sim) {
  for (int k = 0; k < h->n_surfaces; k++) {
    const tx_horizon *at = &h->slot[k].at;
    const bool common = k == tx_horizons_common(h);
    char name[TX_HORIZON_NAME], spin[TX_SPIN_TEXT];
    if (!h->slot[k].looked || !at->found || h->slot[k].first_seen != sim->t) continue;
    tx_horizon_name(h, k, name);
    tx_log("%8lld %10.4f %s%s: first seen at t = %g M, mass %.6f, spin chi %s, coordinate radius "
           "%.4f",
           (long long)sim->step, sim->t, common ? "" : "horizon ", common ? "common horizon" : name,
           sim->t, at->mass, tx_spin_text(&sim->adm, at->chi, at->spin, 4, spin), at->radius_mean);
  }
}

void tx_progress_start(tx_progress *progress, const tx_sim *sim) {
  *progress = (tx_progress){.last_s = tx_now_s(), .last_t = sim->t};
  const tx_params *p = sim->params;
  char excluded[80] = "";
  if (sim->tracker.n > 0 && p->output_norms_exclude > 0.0)
    snprintf(excluded, sizeof excluded, ", without balls of %g M around the punctures",
             p->output_norms_exclude);
  if (p->output_norms_every > 0 && sim->system->constraints)
    tx_log("  columns     |H|: L2 norm of the Hamiltonian constraint%s", excluded);
  tx_log(" ");
}

/* Return 0 for a number that is shown as 0, so that it has no sign. */
static double rounded(double x) {
  return fabs(x) < 5e-5 ? 0.0 : x;
}

/* Return the time, M, that is left to t_end or max_steps. */
static double time_left(const tx_sim *sim) {
  double left = sim->params->run_t_end - sim->t;
  if (sim->params->run_max_steps > 0)
    left = fmin(left, (double)(sim->params->run_max_steps - sim->step) * sim->dt);
  return fmax(left, 0.0);
}

void tx_progress_line(tx_progress *progress, const tx_sim *sim, const tx_norms *norms) {
  char levels[160], left[32] = "-", speed[24] = "-", h[24] = "-";
  char punctures[64 * TX_PUNCTURES_MAX] = "";
  double now = tx_now_s();
  if (sim->t > progress->last_t) {
    const double seconds = now - progress->last_s, passed = sim->t - progress->last_t;
    snprintf(speed, sizeof speed, "%.1f", 3600.0 * passed / seconds);
    tx_time_left_text(seconds / passed * time_left(sim), left);
  }
  if (norms) snprintf(h, sizeof h, "%.2e", norms->l2[TX_CONSTRAINT_H]);
  for (int a = 0; a < sim->tracker.n; a++) {
    const double *x = sim->tracker.at[a].x;
    size_t n = strlen(punctures);
    snprintf(punctures + n, sizeof punctures - n, "%s(%.4f, %.4f, %.4f)", a ? " " : "",
             rounded(x[0]), rounded(x[1]), rounded(x[2]));
  }
  if (progress->lines++ % LINES_PER_HEAD == 0)
    tx_log("%8s %10s %8s %8s %7s %9s  %-28s %s", "step", "t/M", "M/hour", "left", "Mpoints", "|H|",
           "level:octants", sim->tracker.n > 0 ? "punctures/M" : "");
  tx_log("%8lld %10.4f %8s %8s %7.3f %9s  %-28s %s", (long long)sim->step, sim->t, speed, left,
         (double)sim->points / 1e6, h, tx_levels_text(sim->mesh, levels, sizeof levels), punctures);
  progress->last_s = now;
  progress->last_t = sim->t;
}
