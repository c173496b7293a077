/* Octants of all ranks into one HDF5 file, in order, a message at a time: no rank holds them
 * all. */
#include "output/internal.h"

#include <stdlib.h>
#include <string.h>
#include "base/memory.h"

/* Octants are written closed, with the first points of their neighbours, so that no gaps show. */
#define SIDE (TX_N + 1)

/* Tag of messages. */
#define OUTPUT_TAG 201

size_t tx_octant_values(int normal) {
  return normal < 0 ? (size_t)SIDE * SIDE * SIDE : (size_t)SIDE * SIDE;
}

void tx_octant_copy_out(const double *patch, int normal, double *out) {
  int side[3] = {SIDE, SIDE, SIDE};
  if (normal >= 0) side[normal] = 1;
  for (int k = 0; k < side[2]; k++)
    for (int j = 0; j < side[1]; j++)
      for (int i = 0; i < side[0]; i++) *out++ = patch[TX_PATCH_AT(i, j, k)];
}

/* Place, spacing and level of an octant. */
typedef struct octant_info {
  double origin[3], spacing, level;
} octant_info;

static void describe(const tx_mesh *mesh, tx_lidx b, octant_info *info) {
  tx_mesh_origin(mesh, b, info->origin);
  info->level = mesh->octant[b].level;
  info->spacing = tx_mesh_spacing(mesh, mesh->octant[b].level);
}

/* The file's side of a transfer, on rank 0. */
typedef struct sink {
  hid_t group;
  const char *path;
  tx_status status;
  hid_t dataset[TX_PIECE_SETS];
  int64_t at; /* octants written so far */
  tx_piece *piece;
  double *origin, *spacing, *level; /* [n][3], [n], [n] */
} sink;

static hid_t create_dataset(hid_t group, const char *name, int rank, const hsize_t *size) {
  hid_t space = H5Screate_simple(rank, size, NULL), plist = H5Pcreate(H5P_DATASET_CREATE);
  hid_t set = H5I_INVALID_HID;
  /* No times inside: the same data make the same file. */
  if (space >= 0 && plist >= 0 && H5Pset_obj_track_times(plist, false) >= 0)
    set = H5Dcreate2(group, name, H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, plist, H5P_DEFAULT);
  if (plist >= 0) H5Pclose(plist);
  if (space >= 0) H5Sclose(space);
  return set;
}

static int sets_each(const tx_selection *sel) {
  return __builtin_popcount(sel->variables) + __builtin_popcount(sel->quantities) +
         (sel->psi4 ? 2 : 0);
}

static void name_sets(tx_piece *p, const tx_selection *sel) {
  p->n_sets = 0;
  for (int v = 0; v < p->system->n_vars; v++)
    if ((sel->variables >> v) & 1) p->set[p->n_sets++] = p->system->variable[v].name;
  for (int a = 0; a < p->system->n_analyses; a++)
    if ((sel->quantities >> a) & 1) p->set[p->n_sets++] = p->system->quantity[a].name;
  if (!sel->psi4) return;
  p->set[p->n_sets++] = "psi4_re";
  p->set[p->n_sets++] = "psi4_im";
}

static void sink_open(sink *s, hid_t file, const char *group, const tx_selection *sel, int64_t n) {
  tx_piece *p = s->piece;
  p->n = n;
  p->normal = sel->normal;
  name_sets(p, sel);
  size_t count = (size_t)n;
  TX_KEEP(s->status, tx_alloc(3 * count, sizeof(double), "output of octants", &s->origin));
  TX_KEEP(s->status, tx_alloc(count, sizeof(double), "output of octants", &s->spacing));
  TX_KEEP(s->status, tx_alloc(count, sizeof(double), "output of octants", &s->level));
  if (s->status != TX_OK) return;
  size_t sets = (size_t)p->n_sets;
  size_t bytes = count * (sets * tx_octant_values(sel->normal) + 5) * sizeof(double);
  s->status = tx_file_reserve(s->path, bytes + tx_cells_bytes(sel->normal, n) + 65536);
  if (s->status != TX_OK) return;
  bool root = strcmp(group, "/") == 0;
  s->group = root ? H5Gopen2(file, "/", H5P_DEFAULT)
                  : H5Gcreate2(file, group, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  if (s->group < 0) s->status = tx_h5_failed(s->path, "making a group");
  const hsize_t size[4] = {(hsize_t)n, SIDE, SIDE, SIDE};
  for (int i = 0; i < p->n_sets && s->status == TX_OK; i++) {
    s->dataset[i] = create_dataset(s->group, p->set[i], sel->normal < 0 ? 4 : 3, size);
    if (s->dataset[i] < 0) s->status = tx_h5_failed(s->path, "making a data set");
  }
}

static void sink_describe(sink *s, int64_t at, int64_t n, const octant_info *info) {
  for (int64_t b = 0; b < n && s->status == TX_OK; b++) {
    memcpy(&s->origin[3 * (at + b)], info[b].origin, sizeof info[b].origin);
    s->spacing[at + b] = info[b].spacing;
    s->level[at + b] = info[b].level;
  }
}

static void sink_values(sink *s, int i, int normal, int64_t at, int64_t n, const double *values) {
  if (s->status != TX_OK) return;
  const int rank = normal < 0 ? 4 : 3;
  const hsize_t start[4] = {(hsize_t)at, 0, 0, 0}, count[4] = {(hsize_t)n, SIDE, SIDE, SIDE};
  hid_t space = H5Dget_space(s->dataset[i]), memory = H5Screate_simple(rank, count, NULL);
  bool ok = space >= 0 && memory >= 0 &&
            H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, count, NULL) >= 0 &&
            H5Dwrite(s->dataset[i], H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, values) >= 0;
  if (memory >= 0) H5Sclose(memory);
  if (space >= 0) H5Sclose(space);
  if (!ok) s->status = tx_h5_failed(s->path, s->piece->set[i]);
}

static void sink_table(sink *s, const char *name, int columns, const double *values) {
  if (s->status != TX_OK) return;
  const hsize_t size[2] = {(hsize_t)s->piece->n, (hsize_t)columns};
  hid_t set = create_dataset(s->group, name, columns > 1 ? 2 : 1, size);
  bool ok = set >= 0;
  if (ok && s->piece->n > 0)
    ok = H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0;
  if (set >= 0) ok = H5Dclose(set) >= 0 && ok;
  if (!ok) s->status = tx_h5_failed(s->path, name);
}

static void sink_close(sink *s) {
  sink_table(s, "origin", 3, s->origin);
  sink_table(s, "spacing", 1, s->spacing);
  sink_table(s, "level", 1, s->level);
  if (s->status == TX_OK)
    s->status =
        tx_cells_write(s->group, s->path, s->piece->normal, s->piece->n, s->origin, s->spacing);
  bool ok = true;
  for (int i = 0; i < TX_PIECE_SETS; i++)
    if (s->dataset[i] >= 0) ok = H5Dclose(s->dataset[i]) >= 0 && ok;
  if (s->group >= 0) ok = H5Gclose(s->group) >= 0 && ok;
  if (!ok) TX_KEEP(s->status, tx_h5_failed(s->path, "closing a group"));
  tx_free(s->origin);
  tx_free(s->spacing);
  tx_free(s->level);
}

/* Buffers of one batch; every rank has them, or no rank goes on. */
typedef struct batch {
  octant_info *info;
  double *values, *patches; /* patches: of TX_OCTANTS_TOGETHER octants */
  size_t vars, sets, each;
} batch;

static tx_status batch_create(batch *b, const tx_selection *sel) {
  b->vars = (size_t)__builtin_popcount(sel->variables);
  b->sets = (size_t)sets_each(sel);
  b->each = tx_octant_values(sel->normal);
  TX_TRY(tx_alloc(TX_OCTANTS_BATCH, sizeof *b->info, "output of octants", &b->info));
  TX_TRY(tx_alloc(TX_OCTANTS_BATCH * b->sets * b->each, sizeof(double), "output of octants",
                  &b->values));
  return tx_alloc(TX_OCTANTS_TOGETHER * b->vars * TX_P3, sizeof(double), "output of octants",
                  &b->patches);
}

static void batch_destroy(batch *b) {
  tx_free(b->info);
  tx_free(b->values);
  tx_free(b->patches);
}

/* The patches of n octants of the selection, from number `first` on. */
static tx_status fetch(tx_field_source from, const tx_selection *sel, tx_lidx first, tx_lidx n,
                       double *patches) {
  tx_set *set = NULL;
  if (!sel->variables) return TX_OK;
  TX_TRY(tx_set_create(from.exec, n, sel->octant + first, &set));
  tx_status status = tx_patches_fetch(from.exec, set, from.u, sel->variables, patches);
  tx_set_destroy(set);
  return status;
}

/* Analysis quantities of n octants, which are there already. */
static void pack_quantities(const tx_selection *sel, tx_lidx first, tx_lidx n, const batch *to) {
  const size_t some = (size_t)__builtin_popcount(sel->quantities);
  for (tx_lidx b = 0; b < n; b++)
    for (size_t a = 0; a < some; a++)
      memcpy(to->values + ((to->vars + a) * (size_t)n + (size_t)b) * to->each,
             sel->values + ((size_t)(first + b) * some + a) * to->each,
             to->each * sizeof *to->values);
}

/* Psi4 of n planes, real parts, then imaginary ones. */
static void pack_psi4(const tx_selection *sel, tx_lidx first, tx_lidx n, const batch *to) {
  const size_t points = (size_t)n * to->each;
  const double(*psi4)[TX_PSI4_COLUMNS] = sel->psi4 + (size_t)first * to->each;
  double *re = to->values + (to->sets - 2) * points, *im = re + points;
  for (size_t p = 0; p < points; p++) {
    re[p] = psi4[p][TX_PSI4_RE];
    im[p] = psi4[p][TX_PSI4_IM];
  }
}

/* A batch of this rank's octants: descriptions, then values [data set][octant]. */
static tx_status pack(tx_field_source from, const tx_selection *sel, tx_lidx first, tx_lidx n,
                      batch *to) {
  for (tx_lidx b = 0; b < n; b++) {
    const tx_lidx at = b % TX_OCTANTS_TOGETHER, left = n - b;
    describe(tx_exec_mesh(from.exec), sel->octant[first + b], &to->info[b]);
    if (at == 0)
      TX_TRY(fetch(from, sel, first + b, left < TX_OCTANTS_TOGETHER ? left : TX_OCTANTS_TOGETHER,
                   to->patches));
    for (size_t slot = 0; slot < to->vars; slot++)
      tx_octant_copy_out(to->patches + ((size_t)at * to->vars + slot) * TX_P3, sel->normal,
                         to->values + (slot * (size_t)n + (size_t)b) * to->each);
  }
  pack_quantities(sel, first, n, to);
  if (sel->psi4) pack_psi4(sel, first, n, to);
  return TX_OK;
}

static void unpack(sink *s, const tx_selection *sel, int64_t n, const batch *b) {
  sink_describe(s, s->at, n, b->info);
  for (int i = 0; i < s->piece->n_sets; i++)
    sink_values(s, i, sel->normal, s->at, n, b->values + (size_t)i * (size_t)n * b->each);
  s->at += n;
}

static tx_status send_all(MPI_Comm comm, tx_status status, tx_field_source from,
                          const tx_selection *sel, batch *b) {
  for (tx_lidx at = 0; at < sel->n; at += TX_OCTANTS_BATCH) {
    tx_lidx n = sel->n - at < TX_OCTANTS_BATCH ? sel->n - at : TX_OCTANTS_BATCH;
    TX_THEN(status, pack(from, sel, at, n, b));
    TX_MPI(MPI_Send(b->info, 5 * n, MPI_DOUBLE, 0, OUTPUT_TAG, comm));
    TX_MPI(
        MPI_Send(b->values, (int)(b->sets * b->each * (size_t)n), MPI_DOUBLE, 0, OUTPUT_TAG, comm));
  }
  return status;
}

/* Octants on their way to rank 0: count[r] of rank r, through a batch. */
typedef struct gathering {
  MPI_Comm comm;
  int rank, ranks;
  int64_t *count; /* [ranks] */
  batch batch;
} gathering;

static tx_status receive_all(gathering *g, int rank, const tx_selection *sel, sink *s) {
  batch *b = &g->batch;
  for (int64_t at = 0; at < g->count[rank]; at += TX_OCTANTS_BATCH) {
    int n = (int)(g->count[rank] - at < TX_OCTANTS_BATCH ? g->count[rank] - at : TX_OCTANTS_BATCH);
    TX_MPI(MPI_Recv(b->info, 5 * n, MPI_DOUBLE, rank, OUTPUT_TAG, g->comm, MPI_STATUS_IGNORE));
    TX_MPI(MPI_Recv(b->values, (int)(b->sets * b->each * (size_t)n), MPI_DOUBLE, rank, OUTPUT_TAG,
                    g->comm, MPI_STATUS_IGNORE));
    if (s->status == TX_OK) unpack(s, sel, n, b);
  }
  return TX_OK;
}

/* Rank 0: its own octants, then those of the others in order. */
static tx_status collect(gathering *g, tx_field_source from, const tx_selection *sel, sink *s) {
  for (tx_lidx at = 0; at < sel->n && s->status == TX_OK; at += TX_OCTANTS_BATCH) {
    tx_lidx n = sel->n - at < TX_OCTANTS_BATCH ? sel->n - at : TX_OCTANTS_BATCH;
    s->status = pack(from, sel, at, n, &g->batch);
    if (s->status == TX_OK) unpack(s, sel, n, &g->batch);
  }
  for (int r = 1; r < g->ranks; r++) TX_TRY(receive_all(g, r, sel, s));
  return TX_OK;
}

static tx_status collect_into_file(gathering *g, tx_status status, tx_h5_target to,
                                   tx_field_source from, const tx_selection *sel, tx_piece *piece) {
  sink s = {.group = H5I_INVALID_HID, .path = to.path, .status = status, .piece = piece};
  int64_t total = 0;
  for (int i = 0; i < TX_PIECE_SETS; i++) s.dataset[i] = H5I_INVALID_HID;
  for (int r = 0; r < g->ranks; r++) total += g->count[r];
  sink_open(&s, to.file, piece->group, sel, total);
  tx_status received = collect(g, from, sel, &s);
  sink_close(&s);
  return s.status != TX_OK ? s.status : received;
}

static tx_status gathering_create(MPI_Comm comm, const tx_selection *sel, gathering *g) {
  *g = (gathering){.comm = comm, .ranks = 1};
  TX_MPI(MPI_Comm_rank(comm, &g->rank));
  TX_MPI(MPI_Comm_size(comm, &g->ranks));
  tx_status status = tx_alloc((size_t)g->ranks, sizeof *g->count, "output of octants", &g->count);
  TX_KEEP(status, batch_create(&g->batch, sel));
  return tx_agree(comm, status);
}

tx_status tx_octants_write(MPI_Comm comm, tx_status status, tx_h5_target to, tx_field_source from,
                           const tx_selection *sel, tx_piece *piece) {
  gathering g;
  const int64_t mine = sel->n;
  const tx_status ready = gathering_create(comm, sel, &g);
  if (ready == TX_OK) {
    int code = MPI_Allgather(&mine, 1, MPI_INT64_T, g.count, 1, MPI_INT64_T, comm);
    if (code != MPI_SUCCESS)
      status = tx_error_mpi(code, "MPI_Allgather", __FILE__, __LINE__);
    else if (g.rank == 0)
      status = collect_into_file(&g, status, to, from, sel, piece);
    else
      status = send_all(comm, status, from, sel, &g.batch);
  } else {
    status = ready;
  }
  batch_destroy(&g.batch);
  tx_free(g.count);
  return tx_agree(comm, status);
}
