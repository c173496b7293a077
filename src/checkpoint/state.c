/* The leaves and the fields of a simulation in a checkpoint, in the order of the octants. */
#include "checkpoint/internal.h"

#include <string.h>
#include "base/memory.h"
#include "files/h5.h"

#define CHECKPOINT_TAG 202
#define LEAVES         "mesh/leaves"
#define FIELDS         "fields/u"

/* Leaves and octants sent in one message: a buffer of 0.8 MB on every rank. */
#define LEAF_BATCH   4096
#define OCTANT_BATCH (4096 / TX_N3)
#define OCTANT_ITEMS (TX_VARS * TX_N3)

_Static_assert(sizeof(tx_leaf) == 4 * sizeof(int32_t), "a leaf is four numbers");

/* Data sets of the file, on rank 0. */
typedef struct sink {
  const char *path;
  hid_t leaves, fields;
  int64_t leaves_at, fields_at;
  tx_status status;
} sink;

size_t tx_checkpoint_state_bytes(const tx_sim *sim) {
  return (size_t)sim->mesh->n_global * (OCTANT_ITEMS * sizeof(double) + sizeof(tx_leaf)) + 16384;
}

static hid_t create_dataset(hid_t file, const char *name, hid_t type, int rank,
                            const hsize_t *size) {
  hid_t space = H5Screate_simple(rank, size, NULL), plist = H5Pcreate(H5P_DATASET_CREATE);
  hid_t link = H5Pcreate(H5P_LINK_CREATE), set = H5I_INVALID_HID;
  if (space >= 0 && plist >= 0 && link >= 0 && H5Pset_obj_track_times(plist, false) >= 0 &&
      H5Pset_fill_time(plist, H5D_FILL_TIME_NEVER) >= 0 &&
      H5Pset_create_intermediate_group(link, 1) >= 0)
    set = H5Dcreate2(file, name, type, space, link, plist, H5P_DEFAULT);
  if (link >= 0) H5Pclose(link);
  if (plist >= 0) H5Pclose(plist);
  if (space >= 0) H5Sclose(space);
  return set;
}

static void sink_open(sink *s, hid_t file, int64_t n) {
  const hsize_t leaves[2] = {(hsize_t)n, 4}, fields[3] = {(hsize_t)n, TX_VARS, TX_N3};
  if (s->status != TX_OK) return;
  s->leaves = create_dataset(file, LEAVES, H5T_STD_I32LE, 2, leaves);
  if (s->leaves >= 0) s->fields = create_dataset(file, FIELDS, H5T_IEEE_F64LE, 3, fields);
  if (s->fields < 0) s->status = tx_h5_failed(s->path, "making a data set");
}

static void sink_close(sink *s) {
  bool ok = true;
  if (s->leaves >= 0) ok = H5Dclose(s->leaves) >= 0 && ok;
  if (s->fields >= 0) ok = H5Dclose(s->fields) >= 0 && ok;
  if (!ok) TX_THEN(s->status, tx_h5_failed(s->path, "closing a data set"));
}

/* The n rows of a data set from row `at` on, and the memory that they are read into or written from. */
static bool select_rows(hid_t set, int rank, const hsize_t *rows, int64_t at, hid_t *space,
                        hid_t *memory) {
  const hsize_t start[3] = {(hsize_t)at, 0, 0};
  *space = H5Dget_space(set);
  *memory = H5Screate_simple(rank, rows, NULL);
  return *space >= 0 && *memory >= 0 &&
         H5Sselect_hyperslab(*space, H5S_SELECT_SET, start, NULL, rows, NULL) >= 0;
}

static bool write_rows(hid_t set, hid_t type, int rank, const hsize_t *rows, int64_t at,
                       const void *values) {
  hid_t space, memory;
  bool ok = select_rows(set, rank, rows, at, &space, &memory) &&
            H5Dwrite(set, type, memory, space, H5P_DEFAULT, values) >= 0;
  if (memory >= 0) H5Sclose(memory);
  if (space >= 0) H5Sclose(space);
  return ok;
}

static void sink_leaves(sink *s, int n, const tx_leaf *leaves) {
  const hsize_t rows[2] = {(hsize_t)n, 4};
  if (s->status == TX_OK && !write_rows(s->leaves, H5T_NATIVE_INT32, 2, rows, s->leaves_at, leaves))
    s->status = tx_h5_failed(s->path, LEAVES);
  s->leaves_at += n;
}

static void sink_octants(sink *s, int n, const double *values) {
  const hsize_t rows[3] = {(hsize_t)n, TX_VARS, TX_N3};
  if (s->status == TX_OK &&
      !write_rows(s->fields, H5T_NATIVE_DOUBLE, 3, rows, s->fields_at, values))
    s->status = tx_h5_failed(s->path, FIELDS);
  s->fields_at += n;
}

/* Leaves [first, first + n) of this rank. */
static void list_leaves(const tx_mesh *mesh, tx_lidx first, int n, tx_leaf *leaves) {
  for (int i = 0; i < n; i++) {
    const tx_octant *o = &mesh->octant[first + i];
    leaves[i] = (tx_leaf){.x = {o->x[0], o->x[1], o->x[2]}, .level = o->level};
  }
}

/* Octants [first, first + n) of this rank. */
static tx_status list_octants(tx_field *u, tx_lidx first, int n, double *values) {
  for (int i = 0; i < n; i++) {
    const double *octant = NULL;
    TX_TRY(tx_field_view(u, first + i, &octant));
    memcpy(values + (size_t)i * OCTANT_ITEMS, octant, OCTANT_ITEMS * sizeof *values);
  }
  return TX_OK;
}

static int batch_at(int64_t at, int64_t n, int most) {
  return n - at < most ? (int)(n - at) : most;
}

/* A rank other than 0: its count, its leaves, its octants, whatever has failed. */
static tx_status send_all(tx_status status, tx_sim *sim, tx_leaf *leaves, double *values) {
  const int64_t n = sim->mesh->n_local;
  TX_MPI(MPI_Send(&n, 1, MPI_INT64_T, 0, CHECKPOINT_TAG, sim->comm));
  for (int64_t at = 0; at < n; at += LEAF_BATCH) {
    int m = batch_at(at, n, LEAF_BATCH);
    list_leaves(sim->mesh, (tx_lidx)at, m, leaves);
    TX_MPI(MPI_Send(leaves, 4 * m, MPI_INT32_T, 0, CHECKPOINT_TAG, sim->comm));
  }
  for (int64_t at = 0; at < n; at += OCTANT_BATCH) {
    int m = batch_at(at, n, OCTANT_BATCH);
    TX_KEEP(status, list_octants(sim->u, (tx_lidx)at, m, values));
    TX_MPI(MPI_Send(values, m * OCTANT_ITEMS, MPI_DOUBLE, 0, CHECKPOINT_TAG, sim->comm));
  }
  return status;
}

static tx_status receive_all(sink *s, MPI_Comm comm, int rank, tx_leaf *leaves, double *values) {
  int64_t n = 0;
  TX_MPI(MPI_Recv(&n, 1, MPI_INT64_T, rank, CHECKPOINT_TAG, comm, MPI_STATUS_IGNORE));
  for (int64_t at = 0; at < n; at += LEAF_BATCH) {
    int m = batch_at(at, n, LEAF_BATCH);
    TX_MPI(MPI_Recv(leaves, 4 * m, MPI_INT32_T, rank, CHECKPOINT_TAG, comm, MPI_STATUS_IGNORE));
    sink_leaves(s, m, leaves);
  }
  for (int64_t at = 0; at < n; at += OCTANT_BATCH) {
    int m = batch_at(at, n, OCTANT_BATCH);
    TX_MPI(MPI_Recv(values, m * OCTANT_ITEMS, MPI_DOUBLE, rank, CHECKPOINT_TAG, comm,
                    MPI_STATUS_IGNORE));
    sink_octants(s, m, values);
  }
  return TX_OK;
}

/* Rank 0: what it has itself, then what the others send, in order. */
static tx_status collect(sink *s, tx_sim *sim, tx_leaf *leaves, double *values) {
  const tx_lidx n = sim->mesh->n_local;
  for (tx_lidx at = 0; at < n; at += LEAF_BATCH) {
    int m = batch_at(at, n, LEAF_BATCH);
    list_leaves(sim->mesh, at, m, leaves);
    sink_leaves(s, m, leaves);
  }
  for (tx_lidx at = 0; at < n && s->status == TX_OK; at += OCTANT_BATCH) {
    int m = batch_at(at, n, OCTANT_BATCH);
    s->status = list_octants(sim->u, at, m, values);
    sink_octants(s, m, values);
  }
  for (int r = 1; r < sim->mesh->size; r++) TX_TRY(receive_all(s, sim->comm, r, leaves, values));
  return TX_OK;
}

tx_status tx_checkpoint_put_state(tx_status status, hid_t file, const char *path, tx_sim *sim) {
  tx_leaf *leaves = NULL;
  double *values = NULL;
  tx_status ready = tx_alloc(LEAF_BATCH, sizeof *leaves, "checkpoint", &leaves);
  TX_KEEP(ready, tx_alloc(OCTANT_BATCH * OCTANT_ITEMS, sizeof *values, "checkpoint", &values));
  ready = tx_agree(sim->comm, ready);
  if (ready == TX_OK && sim->mesh->rank == 0) {
    sink s = {.path = path, .leaves = H5I_INVALID_HID, .fields = H5I_INVALID_HID, .status = status};
    sink_open(&s, file, sim->mesh->n_global);
    ready = collect(&s, sim, leaves, values);
    sink_close(&s);
    status = s.status;
  } else if (ready == TX_OK) {
    status = send_all(status, sim, leaves, values);
  }
  TX_KEEP(status, ready);
  tx_free(leaves);
  tx_free(values);
  return tx_agree(sim->comm, status);
}

/* Open a data set and look at its shape: `rank` dimensions, all but the first of them given. */
static hid_t open_dataset(hid_t file, const char *name, int rank, const hsize_t *size, int64_t *n) {
  hsize_t found[3] = {0};
  hid_t set = H5Dopen2(file, name, H5P_DEFAULT);
  hid_t space = set >= 0 ? H5Dget_space(set) : H5I_INVALID_HID;
  bool ok = space >= 0 && H5Sget_simple_extent_ndims(space) == rank &&
            H5Sget_simple_extent_dims(space, found, NULL) == rank &&
            memcmp(found + 1, size + 1, (size_t)(rank - 1) * sizeof *size) == 0;
  if (space >= 0) H5Sclose(space);
  *n = (int64_t)found[0];
  if (ok) return set;
  if (set >= 0) H5Dclose(set);
  return H5I_INVALID_HID;
}

/* On one rank: all leaves; *leaves is owned by the caller, on errors too. */
static tx_status read_leaves(const char *path, int64_t *n, tx_leaf **leaves) {
  static const hsize_t shape[2] = {0, 4};
  hid_t file;
  TX_TRY(tx_h5_open(path, &file));
  hid_t set = open_dataset(file, LEAVES, 2, shape, n);
  tx_status status = set >= 0 ? TX_OK : tx_h5_unread(path, LEAVES);
  if (status == TX_OK && *n > INT_MAX / 4) status = tx_h5_unread(path, LEAVES);
  TX_THEN(status, tx_alloc((size_t)*n, sizeof **leaves, "checkpoint", leaves));
  if (status == TX_OK && H5Dread(set, H5T_NATIVE_INT32, H5S_ALL, H5S_ALL, H5P_DEFAULT, *leaves) < 0)
    status = tx_h5_unread(path, LEAVES);
  if (set >= 0) H5Dclose(set);
  H5Fclose(file);
  return status;
}

/* All leaves on all ranks. */
static tx_status broadcast_leaves(MPI_Comm comm, const char *path, int64_t *n, tx_leaf **leaves) {
  int rank = 0;
  tx_status status = TX_OK;
  TX_MPI(MPI_Comm_rank(comm, &rank));
  if (rank == 0) status = read_leaves(path, n, leaves);
  TX_TRY(tx_agree(comm, status));
  TX_MPI(MPI_Bcast(n, 1, MPI_INT64_T, 0, comm));
  if (rank != 0) status = tx_alloc((size_t)*n, sizeof **leaves, "checkpoint", leaves);
  TX_TRY(tx_agree(comm, status));
  TX_MPI(MPI_Bcast(*leaves, 4 * (int)*n, MPI_INT32_T, 0, comm));
  return TX_OK;
}

tx_status tx_checkpoint_get_tree(MPI_Comm comm, const char *path, const tx_domain *domain,
                                 tx_octree **tree) {
  tx_leaf *leaves = NULL;
  int64_t n = 0;
  *tree = NULL;
  tx_status status = broadcast_leaves(comm, path, &n, &leaves);
  TX_THEN(status, tx_octree_create_from(comm, domain, n, leaves, tree));
  tx_free(leaves);
  return status;
}

static bool read_octant(hid_t set, int64_t index, double *values) {
  const hsize_t rows[3] = {1, TX_VARS, TX_N3};
  hid_t space, memory;
  bool ok = select_rows(set, 3, rows, index, &space, &memory) &&
            H5Dread(set, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, values) >= 0;
  if (memory >= 0) H5Sclose(memory);
  if (space >= 0) H5Sclose(space);
  return ok;
}

/* The octants of this rank. */
static tx_status read_fields(hid_t file, const char *path, tx_sim *sim) {
  static const hsize_t shape[3] = {0, TX_VARS, TX_N3};
  int64_t n = 0;
  hid_t set = open_dataset(file, FIELDS, 3, shape, &n);
  tx_status status = set >= 0 && n == sim->mesh->n_global ? TX_OK : TX_ERR_IO;
  for (tx_lidx b = 0; b < sim->mesh->n_local && status == TX_OK; b++) {
    double *u = NULL;
    TX_KEEP(status, tx_field_octant(sim->u, b, &u));
    if (status == TX_OK && !read_octant(set, sim->mesh->first + b, u)) status = TX_ERR_IO;
  }
  if (set >= 0) H5Dclose(set);
  return status == TX_ERR_IO ? tx_h5_unread(path, FIELDS) : status;
}

tx_status tx_checkpoint_get_state(const char *path, tx_sim *sim) {
  hid_t file = H5I_INVALID_HID;
  tx_status status = tx_h5_open(path, &file);
  TX_THEN(status, read_fields(file, path, sim));
  if (file >= 0) H5Fclose(file);
  return tx_agree(sim->comm, status);
}
