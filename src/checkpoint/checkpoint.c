/* Writing a checkpoint and restarting from one. */
#include "checkpoint/internal.h"

#include <string.h>
#include <unistd.h>
#include "base/timer.h"
#include "base/version.h"
#include "files/file.h"
#include "files/h5.h"
#include "files/record_file.h"
#include "files/seal.h"

/* Groups of the file: state of the simulation, and of all else. */
#define SIMULATION "simulation"
#define RECORDS    "records"

static void domain_records(tx_domain *domain, tx_record_list *list) {
  static const tx_member all[] = {
      TX_MEMBER(tx_domain, extent),
      TX_MEMBER(tx_domain, trees),
      TX_MEMBER(tx_domain, low),
      TX_MEMBER(tx_domain, high),
  };
  static const tx_members members = TX_MEMBERS(tx_domain, all);
  tx_records_add_members(list, "domain/", &members, domain, 1);
}

/* The file with all but leaves and fields, and room for those. */
static tx_status create_file(const char *part, tx_sim *sim, const tx_record_list *state,
                             const tx_checkpoint_content *content, hid_t *file) {
  static const tx_record_list none;
  const tx_record_list *records = content->records ? content->records : &none;
  size_t modes = 0;
  TX_TRY(tx_checkpoint_modes_bytes(content->modes_path, &modes));
  const size_t bytes = TX_SEAL_BYTES + tx_checkpoint_state_bytes(sim) + modes +
                       tx_records_bytes(state) + tx_records_bytes(records);
  TX_TRY(tx_h5_create(part, bytes, TX_SEAL_BYTES, file));
  TX_TRY(tx_h5_text(*file, part, "code_version", tx_version()));
  TX_TRY(tx_h5_int(*file, part, "octant_points", TX_N));
  TX_TRY(tx_records_put(*file, part, SIMULATION, state));
  TX_TRY(tx_records_put(*file, part, RECORDS, records));
  return tx_checkpoint_put_modes(*file, part, content->modes_path);
}

/* Rank 0: begin a file in its folder. */
static tx_status begin_file(const char *folder, tx_sim *sim, const tx_checkpoint_content *content,
                            char part[PATH_MAX], hid_t *file) {
  tx_domain domain = sim->mesh->domain;
  tx_record_list state = {0};
  domain.trees = tx_domain_row(&domain);
  TX_TRY(tx_checkpoint_path(folder, sim->step, ".part", part));
  *strrchr(part, '/') = '\0';
  TX_TRY(tx_folder_create(part));
  tx_checkpoint_clean(folder);
  TX_TRY(tx_checkpoint_path(folder, sim->step, ".part", part));
  tx_sim_records(sim, &state);
  domain_records(&domain, &state);
  tx_status status = create_file(part, sim, &state, content, file);
  tx_records_free(&state);
  return status;
}

/* Rank 0: seal the closed file and give it its name, or remove it. */
static tx_status end_file(tx_status status, const char *folder, const tx_sim *sim, const char *part,
                          const tx_seal_part *fields) {
  char path[PATH_MAX];
  TX_THEN(status, tx_checkpoint_path(folder, sim->step, "", path));
  TX_THEN(status, tx_seal_write(part, sim->system, sim->step, sim->t, fields));
  TX_THEN(status, tx_file_publish(part, path));
  if (status != TX_OK && part[0] != '\0') unlink(part);
  return status;
}

static tx_status write_all(const char *folder, int keep, tx_sim *sim,
                           const tx_checkpoint_content *content) {
  char part[PATH_MAX] = "";
  hid_t file = H5I_INVALID_HID;
  tx_seal_part fields;
  tx_status status = tx_sim_algebraic(sim);
  if (sim->mesh->rank == 0) TX_THEN(status, begin_file(folder, sim, content, part, &file));
  status = tx_checkpoint_put_state(status, file, part, sim, &fields);
  if (sim->mesh->rank == 0) {
    status = tx_h5_close(status, part, file);
    status = end_file(status, folder, sim, part, &fields);
  }
  status = tx_agree(sim->comm, status);
  if (status == TX_OK && sim->mesh->rank == 0) tx_checkpoint_prune(folder, sim->step, keep);
  return status;
}

tx_status tx_checkpoint_write(const char *folder, int keep, tx_sim *sim,
                              const tx_checkpoint_content *content) {
  static const tx_checkpoint_content nothing;
  TX_TRY(tx_sim_complete(sim));
  tx_phase_begin(TX_PHASE_CHECKPOINT);
  tx_status status = write_all(folder, keep, sim, content ? content : &nothing);
  tx_phase_end(TX_PHASE_CHECKPOINT);
  return status;
}

/* Collective. The domain of the file must be that of the parameters. */
static tx_status check_domain(MPI_Comm comm, const char *path, const tx_domain *domain) {
  tx_domain found;
  tx_record_list list = {0};
  domain_records(&found, &list);
  tx_status status = tx_checkpoint_get_records(comm, path, SIMULATION, &list);
  tx_records_free(&list);
  TX_TRY(status);
  bool same = found.extent == domain->extent && found.trees == tx_domain_row(domain);
  for (int d = 0; d < 3; d++)
    same = same && found.low[d] == domain->low[d] && found.high[d] == domain->high[d];
  TX_REQUIRE(same, TX_ERR_PARAM,
             "the domain of checkpoint %s differs from that of the parameters (extent %g M, not %g "
             "M, %d trees, not %d, or other faces); grid.extent, grid.trees, grid.reflect and "
             "grid.periodic cannot change",
             path, found.extent, domain->extent, found.trees, tx_domain_row(domain));
  return TX_OK;
}

/* Collective. All but mesh and fields. */
static tx_status get_records(MPI_Comm comm, const char *path, tx_sim *sim) {
  const double dt = sim->dt;
  const int punctures = sim->tracker.n;
  tx_record_list list = {0};
  tx_sim_records(sim, &list);
  tx_status status = tx_checkpoint_get_records(comm, path, SIMULATION, &list);
  tx_records_free(&list);
  TX_TRY(status);
  TX_REQUIRE(sim->tracker.n == punctures, TX_ERR_PARAM,
             "checkpoint %s has %d punctures, the initial data of the parameters %d; the initial "
             "data cannot change",
             path, sim->tracker.n, punctures);
  if (sim->dt == dt) return TX_OK;
  /* With another cfl, the new steps count from here. */
  sim->dt = dt;
  sim->t_since = sim->t;
  sim->step_since = sim->step;
  return TX_OK;
}

static tx_status restore(MPI_Comm comm, const tx_params *p, const char *path, tx_sim **out) {
  tx_domain domain;
  tx_octree *tree = NULL;
  tx_sim_domain(p, &domain);
  TX_TRY(check_domain(comm, path, &domain));
  TX_TRY(tx_checkpoint_get_tree(comm, path, &domain, &tree));
  TX_TRY(tx_sim_create_on(comm, p, tree, out));
  TX_TRY(get_records(comm, path, *out));
  return tx_checkpoint_get_state(path, *out);
}

tx_status tx_checkpoint_restore(MPI_Comm comm, const tx_params *p, const char *path, tx_sim **out) {
  *out = NULL;
  tx_phase_begin(TX_PHASE_CHECKPOINT);
  tx_status status = restore(comm, p, path, out);
  tx_phase_end(TX_PHASE_CHECKPOINT);
  if (status == TX_OK) return TX_OK;
  tx_sim_destroy(*out);
  *out = NULL;
  return status;
}
