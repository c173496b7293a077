/* Writing a checkpoint and restarting from one. */
#include "checkpoint/internal.h"

#include <string.h>
#include <unistd.h>
#include "base/timer.h"
#include "base/version.h"
#include "files/file.h"
#include "files/h5.h"
#include "files/record.h"
#include "files/seal.h"

#define CLOCK_RECORDS 23

/* A record that checkpoints have since levels may take steps of their own. */
#define STAGES_GLOBAL "point_stages_global"
#define PUNCTURES     "tracker/n"

/* Numbers of such data, in a record of their own. */
#define DATA         "initial_data"
#define DATA_NUMBERS (3 + 2 * TX_PUNCTURES_MAX)

/* The state of a simulation beside its fields, as it is in the file. */
typedef struct clock_state {
  int64_t step, step_since, points_most, regrids, refined, coarsened;
  double t, dt, t_since, point_stages, point_stages_global, algebraic[2];
  int64_t punctures, lost;
  double x[TX_PUNCTURES_MAX][3], v[TX_PUNCTURES_MAX][3];
  double stage_x[TX_PUNCTURES_MAX][3], sum_x[TX_PUNCTURES_MAX][3];
  double extent;
  int64_t trees, low[3], high[3];
  bool solved; /* of initial data that were solved for on the first grid: what the solver found */
  double data[DATA_NUMBERS];
} clock_state;

/* Punctures that a file has places for: two at least, so that files of up to two are as they were when there were no more. */
static int places_of(int punctures) {
  if (punctures > TX_PUNCTURES_MAX) return TX_PUNCTURES_MAX;
  return punctures > 2 ? punctures : 2;
}

static int clock_records(clock_state *c, int punctures, tx_record record[CLOCK_RECORDS]) {
  const size_t each = 3 * (size_t)places_of(punctures);
  const tx_record records[] = {
      {"step", 'i', 1, &c->step},
      {"step_since", 'i', 1, &c->step_since},
      {"points_most", 'i', 1, &c->points_most},
      {"regrids", 'i', 1, &c->regrids},
      {"refined", 'i', 1, &c->refined},
      {"coarsened", 'i', 1, &c->coarsened},
      {"t", 'd', 1, &c->t},
      {"dt", 'd', 1, &c->dt},
      {"t_since", 'd', 1, &c->t_since},
      {"point_stages", 'd', 1, &c->point_stages},
      {"algebraic", 'd', 2, c->algebraic},
      {PUNCTURES, 'i', 1, &c->punctures},
      {"tracker/lost", 'i', 1, &c->lost},
      {"tracker/x", 'd', each, c->x},
      {"tracker/v", 'd', each, c->v},
      {"tracker/stage_x", 'd', each, c->stage_x},
      {"tracker/sum_x", 'd', each, c->sum_x},
      {"domain/extent", 'd', 1, &c->extent},
      {"domain/trees", 'i', 1, &c->trees},
      {"domain/low", 'i', 3, c->low},
      {"domain/high", 'i', 3, c->high},
      {STAGES_GLOBAL, 'd', 1, &c->point_stages_global}, /* the last one */
  };
  _Static_assert(sizeof records / sizeof records[0] < CLOCK_RECORDS, "all records fit");
  memcpy(record, records, sizeof records);
  return (int)(sizeof records / sizeof records[0]);
}

static void data_pack(clock_state *c, const tx_adm_numbers *adm) {
  c->solved = adm->cycles > 0;
  c->data[0] = adm->energy;
  c->data[1] = adm->residual;
  c->data[2] = adm->cycles;
  for (int a = 0; a < TX_PUNCTURES_MAX; a++) {
    c->data[3 + 2 * a] = adm->mass_bare[a];
    c->data[4 + 2 * a] = adm->mass_adm[a];
  }
}

static void data_unpack(const clock_state *c, tx_adm_numbers *adm) {
  if (!c->solved) return;
  adm->energy = c->data[0];
  adm->residual = c->data[1];
  adm->cycles = (int)c->data[2];
  for (int a = 0; a < TX_PUNCTURES_MAX; a++) {
    adm->mass_bare[a] = c->data[3 + 2 * a];
    adm->mass_adm[a] = c->data[4 + 2 * a];
  }
}

static tx_record data_record(clock_state *c) {
  return (tx_record){"solution", 'd', DATA_NUMBERS, c->data};
}

static void clock_pack(clock_state *c, const tx_sim *sim) {
  const tx_tracker *tracker = &sim->tracker;
  memset(c, 0, sizeof *c);
  data_pack(c, &sim->adm);
  c->step = sim->step;
  c->step_since = sim->step_since;
  c->points_most = sim->points_most;
  c->regrids = sim->regrids;
  c->refined = sim->refined;
  c->coarsened = sim->coarsened;
  c->t = sim->t;
  c->dt = sim->dt;
  c->t_since = sim->t_since;
  c->point_stages = sim->point_stages;
  c->point_stages_global = sim->point_stages_global;
  memcpy(c->algebraic, sim->algebraic, sizeof c->algebraic);
  c->punctures = tracker->n;
  c->lost = tracker->lost;
  for (int a = 0; a < TX_PUNCTURES_MAX; a++) {
    memcpy(c->x[a], tracker->at[a].x, sizeof c->x[a]);
    memcpy(c->v[a], tracker->at[a].v, sizeof c->v[a]);
  }
  memcpy(c->stage_x, tracker->stage_x, sizeof c->stage_x);
  memcpy(c->sum_x, tracker->sum_x, sizeof c->sum_x);
  c->extent = sim->mesh->domain.extent;
  c->trees = tx_domain_row(&sim->mesh->domain);
  for (int d = 0; d < 3; d++) {
    c->low[d] = sim->mesh->domain.low[d];
    c->high[d] = sim->mesh->domain.high[d];
  }
}

static void clock_unpack(const clock_state *c, tx_sim *sim) {
  tx_tracker *tracker = &sim->tracker;
  data_unpack(c, &sim->adm);
  sim->step = c->step;
  sim->step_since = c->step_since;
  sim->points_most = c->points_most;
  sim->regrids = c->regrids;
  sim->refined = c->refined;
  sim->coarsened = c->coarsened;
  sim->t = c->t;
  sim->t_since = c->t_since;
  sim->point_stages = c->point_stages;
  sim->point_stages_global = c->point_stages_global;
  memcpy(sim->algebraic, c->algebraic, sizeof c->algebraic);
  tracker->lost = c->lost != 0;
  for (int a = 0; a < TX_PUNCTURES_MAX; a++) {
    memcpy(tracker->at[a].x, c->x[a], sizeof c->x[a]);
    memcpy(tracker->at[a].v, c->v[a], sizeof c->v[a]);
  }
  memcpy(tracker->stage_x, c->stage_x, sizeof c->stage_x);
  memcpy(tracker->sum_x, c->sum_x, sizeof c->sum_x);
  /* With another cfl, the new steps count from here. */
  if (sim->dt != c->dt) {
    sim->t_since = sim->t;
    sim->step_since = sim->step;
  }
}

/* Rank 0: the file with everything but leaves and fields, and room for those. */
static tx_status begin_file(const char *folder, tx_sim *sim, const tx_checkpoint_content *content,
                            char part[PATH_MAX], hid_t *file) {
  clock_state clock;
  tx_record records[CLOCK_RECORDS];
  size_t modes = 0;
  clock_pack(&clock, sim);
  const tx_record data = data_record(&clock);
  int n = clock_records(&clock, sim->tracker.n, records);
  TX_TRY(tx_checkpoint_path(folder, sim->step, ".part", part));
  *strrchr(part, '/') = '\0';
  TX_TRY(tx_folder_create(part));
  tx_checkpoint_clean(folder);
  TX_TRY(tx_checkpoint_path(folder, sim->step, ".part", part));
  TX_TRY(tx_checkpoint_modes_bytes(content->modes_path, &modes));
  const size_t bytes = TX_SEAL_BYTES + tx_checkpoint_state_bytes(sim) + modes +
                       tx_records_bytes(n, records) + tx_records_bytes(1, &data) +
                       tx_records_bytes(content->n_records, content->records);
  TX_TRY(tx_h5_create(part, bytes, TX_SEAL_BYTES, file));
  TX_TRY(tx_h5_text(*file, part, "code_version", tx_version()));
  TX_TRY(tx_h5_int(*file, part, "octant_points", TX_N));
  TX_TRY(tx_records_put(*file, part, "simulation", n, records));
  if (clock.solved) TX_TRY(tx_records_put(*file, part, DATA, 1, &data));
  TX_TRY(tx_records_put(*file, part, "records", content->n_records, content->records));
  return tx_checkpoint_put_modes(*file, part, content->modes_path);
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

/* How many punctures there are says how long the records of the tracker are. */
static tx_status read_punctures(hid_t file, const char *path, int64_t *punctures) {
  const tx_record record = {PUNCTURES, 'i', 1, punctures};
  TX_TRY(tx_records_get(file, path, "simulation", 1, &record));
  TX_REQUIRE(*punctures >= 0 && *punctures <= TX_PUNCTURES_MAX, TX_ERR_IO,
             "checkpoint %s has %lld punctures; at most %d are possible", path,
             (long long)*punctures, TX_PUNCTURES_MAX);
  return TX_OK;
}

static tx_status read_all(hid_t file, const char *path, clock_state *clock) {
  tx_record records[CLOCK_RECORDS];
  TX_TRY(read_punctures(file, path, &clock->punctures));
  const int n = clock_records(clock, (int)clock->punctures, records);
  const bool has_global = H5Lexists(file, "simulation/" STAGES_GLOBAL, H5P_DEFAULT) > 0;
  TX_TRY(tx_records_get(file, path, "simulation", has_global ? n : n - 1, records));
  if (!has_global) clock->point_stages_global = clock->point_stages;
  clock->solved = H5Lexists(file, DATA, H5P_DEFAULT) > 0;
  const tx_record data = data_record(clock);
  return clock->solved ? tx_records_get(file, path, DATA, 1, &data) : TX_OK;
}

static tx_status read_clock(const char *path, clock_state *clock) {
  hid_t file;
  TX_TRY(tx_h5_open(path, &file));
  tx_status status = read_all(file, path, clock);
  H5Fclose(file);
  return status;
}

/* The domain of parameters and file. */
static tx_status check_domain(const char *path, const tx_domain *domain, const clock_state *clock) {
  bool same = clock->extent == domain->extent && clock->trees == tx_domain_row(domain);
  for (int d = 0; d < 3; d++)
    same = same && clock->low[d] == (int64_t)domain->low[d] &&
           clock->high[d] == (int64_t)domain->high[d];
  TX_REQUIRE(same, TX_ERR_PARAM,
             "the domain of checkpoint %s differs from that of the parameters (extent %g M, not %g "
             "M, %d trees, not %d, or other faces); grid.extent, grid.trees, grid.reflect and "
             "grid.periodic cannot change",
             path, clock->extent, domain->extent, (int)clock->trees, tx_domain_row(domain));
  return TX_OK;
}

static tx_status broadcast_clock(MPI_Comm comm, const char *path, const tx_domain *domain,
                                 clock_state *clock) {
  int rank = 0;
  tx_status status = TX_OK;
  TX_MPI(MPI_Comm_rank(comm, &rank));
  memset(clock, 0, sizeof *clock);
  if (rank == 0) status = read_clock(path, clock);
  if (rank == 0) TX_THEN(status, check_domain(path, domain, clock));
  TX_TRY(tx_agree(comm, status));
  TX_MPI(MPI_Bcast(clock, (int)sizeof *clock, MPI_BYTE, 0, comm));
  return TX_OK;
}

static tx_status restore(MPI_Comm comm, const tx_params *p, const char *path, tx_sim **out) {
  clock_state clock;
  tx_domain domain;
  tx_octree *tree = NULL;
  tx_sim_domain(p, &domain);
  TX_TRY(broadcast_clock(comm, path, &domain, &clock));
  TX_TRY(tx_checkpoint_get_tree(comm, path, &domain, &tree));
  TX_TRY(tx_sim_create_on(comm, p, tree, out));
  TX_REQUIRE((*out)->tracker.n == clock.punctures, TX_ERR_PARAM,
             "checkpoint %s has %d punctures, the initial data of the parameters %d; the initial "
             "data cannot change",
             path, (int)clock.punctures, (*out)->tracker.n);
  clock_unpack(&clock, *out);
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
