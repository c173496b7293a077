#include "evolve/data.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include "base/log.h"
#include "base/memory.h"
#include "base/timer.h"
#include "elliptic/brill.h"
#include "elliptic/punctures.h"
#include "files/file.h"

/* Points in A and in B that a preview tries, up to this error of u. Without that bare masses of fast spins would be off by half, or
 * not be found where the points of a run find them. */
static const int previews[] = {16, 24, 32, 40};
#define PREVIEWS      ((int)(sizeof previews / sizeof previews[0]))
#define PREVIEW_ERROR 0.05

tx_status tx_data_check(const tx_params *p) {
  tx_two_punctures_spec spec;
  return tx_initial_data_spec(p, &spec);
}

static tx_status solve(const tx_two_punctures_spec *spec, tx_two_punctures *solved) {
  double start = tx_now_s();
  tx_log("  data        solving the Hamiltonian constraint ...");
  TX_TRY(tx_two_punctures_solve(spec, solved));
  tx_log("              solved in %.1f s", tx_now_s() - start);
  return TX_OK;
}

/* Rank 0: from the file, if there is a good one, or solved and written to it. */
static tx_status load_or_solve(const char *folder, const tx_two_punctures_spec *spec,
                               tx_two_punctures *solved) {
  char path[PATH_MAX], why[512];
  if (folder[0] == '\0') return solve(spec, solved);
  TX_REQUIRE(snprintf(path, sizeof path, "%s/initial_data.h5", folder) < (int)sizeof path,
             TX_ERR_IO, "%s: path too long", folder);
  if (tx_data_load(path, spec, solved, why, sizeof why)) {
    tx_log("  data        solution read from %s", path);
    return TX_OK;
  }
  if (why[0]) tx_warn("%s is not used: %s; solving anew", path, why);
  TX_TRY(solve(spec, solved));
  if (tx_data_save(path, spec, solved) != TX_OK) {
    tx_warn("the initial data cannot be stored, and a restart solves anew: %s", tx_error_text());
    tx_error_clear();
  }
  return TX_OK;
}

/* The solution of rank 0 to all: the struct, then what it points to. */
static tx_status broadcast(MPI_Comm comm, int rank, tx_two_punctures *solved) {
  double *mine = solved->coefficients;
  TX_MPI(MPI_Bcast(solved, (int)sizeof *solved, MPI_BYTE, 0, comm));
  solved->coefficients = mine;
  tx_status status = TX_OK;
  if (rank > 0)
    status = tx_alloc(solved->n_coefficients, sizeof *mine, "initial data", &solved->coefficients);
  TX_TRY(tx_agree(comm, status));
  solved->data.u.coefficients = solved->coefficients;
  TX_MPI(MPI_Bcast(solved->coefficients, (int)solved->n_coefficients, MPI_DOUBLE, 0, comm));
  return TX_OK;
}

static tx_status create_solved(MPI_Comm comm, const tx_params *p, const tx_two_punctures_spec *spec,
                               tx_initial_data **out) {
  tx_two_punctures solved = {0};
  tx_status status = TX_OK;
  int rank = 0;
  TX_MPI(MPI_Comm_rank(comm, &rank));
  if (rank == 0) status = load_or_solve(p->run_folder, spec, &solved);
  status = tx_agree(comm, status);
  TX_THEN(status, broadcast(comm, rank, &solved));
  if (status == TX_OK)
    status = tx_agree(comm, tx_initial_data_create_solved(p, &solved, out));
  else
    tx_two_punctures_free(&solved);
  if (status != TX_OK) {
    tx_initial_data_destroy(*out);
    *out = NULL;
  }
  return status;
}

tx_status tx_data_create(MPI_Comm comm, const tx_params *p, tx_initial_data **out) {
  tx_two_punctures_spec spec;
  *out = NULL;
  TX_TRY(tx_agree(comm, tx_initial_data_spec(p, &spec)));
  tx_phase_begin(TX_PHASE_INITIAL_DATA);
  tx_status status = spec.n > 0 ? create_solved(comm, p, &spec, out)
                                : tx_agree(comm, tx_initial_data_create(p, out));
  tx_phase_end(TX_PHASE_INITIAL_DATA);
  return status;
}

/* Solves, as they go to the file of the run folder. */
typedef struct record {
  tx_text text;
  const char *equation; /* of the last one */
  int solves;
} record;

static void note(void *to, const char *equation, const tx_elliptic_history *h) {
  record *r = to;
  const double scale = h->scale > 0.0 ? h->scale : 1.0;
  if (r->solves++ == 0)
    tx_text_add(&r->text, "# residuals, over that of u = 0\n"
                          "# 1:solve 2:step 3:rms 4:largest 5:evaluations a point 6:seconds\n");
  if (!r->equation || strcmp(r->equation, equation) != 0)
    tx_text_add(&r->text, "# of %s\n", equation);
  r->equation = equation;
  for (int i = 0; i <= h->cycles; i++) {
    const tx_elliptic_residual *at = &h->residual[i];
    tx_text_add(&r->text, "%d %d %.6e %.6e %.2f %.4f\n", r->solves, at->step, at->l2 / scale,
                at->max / scale, at->evaluations, at->time_s);
  }
}

/* Rank 0. What cannot be written is no more than a warning. */
static void write_record(const char *folder, record *r) {
  char path[PATH_MAX];
  if (folder[0] == '\0') return;
  if (snprintf(path, sizeof path, "%s/elliptic.asc", folder) >= (int)sizeof path) return;
  tx_status status = tx_folder_create(folder);
  TX_THEN(status, r->text.status);
  TX_THEN(status, tx_file_replace(path, r->text.data, r->text.length));
  if (status == TX_OK) return;
  tx_warn("the residuals of the initial data cannot be stored: %s", tx_error_text());
  tx_error_clear();
}

static tx_elliptic_how how_of(const tx_params *p, record *solves) {
  tx_elliptic_how how = {.order = p->elliptic_order,
                         .reach = p->elliptic_reach,
                         .extra_levels = p->elliptic_extra_levels,
                         .control = tx_elliptic_control_default(),
                         .record = note,
                         .to = solves};
  how.control.method = (tx_elliptic_method)p->elliptic_method;
  how.control.precision = (tx_precision)p->elliptic_precision;
  how.control.log = true;
  how.control.tolerance = p->elliptic_tolerance;
  return how;
}

/* Collective. u of punctures, and w. */
static tx_status solve_punctures(const tx_params *p, const tx_mesh *mesh, record *solves,
                                 tx_initial_data *id, const tx_data_fields *out) {
  tx_bowen_york data;
  tx_adm_numbers adm;
  const bool quasi_circular = p->initial_data_type == TX_ID_QUASI_CIRCULAR;
  tx_elliptic_punctures_task task = {.adm_masses =
                                         quasi_circular || p->initial_data_masses == TX_MASSES_ADM,
                                     .how = how_of(p, solves)};
  const tx_elliptic_punctures_fields fields = {out->u, tx_params_lapse_on_grid(p) ? out->w : NULL};
  TX_TRY(tx_initial_data_holes(p, &data, task.mass));
  TX_TRY(tx_elliptic_punctures(mesh, &task, &data, &adm, &fields));
  tx_initial_data_solved(id, &data, &adm);
  return TX_OK;
}

/* Collective. */
static tx_status solve_on_grid(const tx_params *p, const tx_mesh *mesh, record *solves,
                               tx_initial_data *id, const tx_data_fields *out) {
  const tx_elliptic_how how = how_of(p, solves);
  if (p->initial_data_type == TX_ID_BRILL_WAVE)
    return tx_elliptic_brill(mesh, &how, &id->brill, &id->adm, out->u);
  if (tx_params_on_grid(p)) return solve_punctures(p, mesh, solves, id, out);
  return tx_elliptic_lapse(mesh, &how, &id->bowen_york, &id->adm, out->w);
}

tx_status tx_data_solve(const tx_params *p, const tx_mesh *mesh, tx_initial_data *id,
                        const tx_data_fields *out) {
  record solves = {.solves = 0};
  const double start = tx_now_s();
  const bool lapse = tx_params_lapse_on_grid(p) && out->w;
  if (!tx_params_on_grid(p) && !lapse) return TX_OK;
  tx_log("  data        solving for %s%s%s on the grid ...",
         tx_params_on_grid(p) ? "the Hamiltonian constraint" : "",
         tx_params_on_grid(p) && lapse ? " and " : "", lapse ? "the maximal lapse" : "");
  const tx_status status = solve_on_grid(p, mesh, &solves, id, out);
  if (mesh->rank == 0) write_record(p->run_folder, &solves);
  tx_text_free(&solves.text);
  TX_TRY(status);
  tx_log("              solved in %.1f s", tx_now_s() - start);
  return TX_OK;
}

/* The better one of two stays, `a`; either may be NULL. */
static void keep_better(tx_initial_data **a, tx_initial_data *b) {
  tx_initial_data *worse = b;
  if (!*a || (b && b->adm.error < (*a)->adm.error)) {
    worse = *a;
    *a = b;
  }
  tx_initial_data_destroy(worse);
}

tx_status tx_data_create_preview(const tx_params *p, tx_initial_data **out) {
  const int asked = p->initial_data_resolution;
  tx_params quick = *p;
  tx_status status = TX_OK;
  bool last = false;
  *out = NULL;
  for (int i = 0; !last; i++) {
    tx_initial_data *next = NULL;
    last = i + 1 == PREVIEWS || (asked > 0 && asked <= previews[i]);
    quick.initial_data_resolution = asked > 0 && asked < previews[i] ? asked : previews[i];
    tx_error_clear();
    status = tx_initial_data_create(&quick, &next);
    keep_better(out, next);
    last = last || (status != TX_OK && status != TX_ERR_NUMERICS) ||
           (*out && (*out)->adm.error <= PREVIEW_ERROR);
  }
  if (status == TX_ERR_NUMERICS && *out) {
    tx_error_clear();
    return TX_OK;
  }
  if (status != TX_OK) {
    tx_initial_data_destroy(*out);
    *out = NULL;
  }
  return status;
}
