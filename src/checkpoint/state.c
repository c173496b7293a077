/* The leaves and the fields of a simulation in a checkpoint, in the order of the octants.
 *
 * HDF5 writes straight from the field, or from what the GPU sent to the host. Meanwhile the other threads compute the
 * checksum, every rank that of its own octants; the shares are combined by exclusive or, so that the file is not read
 * again. While one batch is copied to the page cache the kernel is asked to write the one before to the disk, so that
 * fsync has little left to wait for. */
#include "checkpoint/internal.h"

#include <string.h>
#include "base/memory.h"
#include "files/file.h"
#include "files/h5.h"

#define CHECKPOINT_TAG 202
#define LEAVES         "mesh/leaves"
#define FIELDS         "fields/u"

/* Leaves and octants handed on at a time. */
#define LEAF_BATCH   4096
#define OCTANT_BATCH TX_VIEW_OCTANTS
/* Octants that HDF5 writes or reads at a time, 0.8 MB: larger writes were slower into the page cache. */
#define OCTANT_PIECE (4096 / TX_N3)

_Static_assert(sizeof(tx_leaf) == 4 * sizeof(int32_t), "a leaf is four numbers");

/* Where leaves and octants go: on rank 0 into data sets of the file, on others to rank 0. */
typedef struct sink {
  const tx_system *system;
  const tx_mesh *mesh;
  const char *path;
  hid_t leaves, fields;
  int fd; /* of the file, -1 on other ranks */
  int64_t leaves_at, fields_at;
  uint64_t crc; /* what this rank's octants, in the end all, add to that of the fields */
  tx_status status;
} sink;

/* Numbers of an octant. */
static int octant_items(const tx_system *system) {
  return system->n_vars * TX_N3;
}

static size_t octant_bytes(const tx_system *system) {
  return (size_t)octant_items(system) * sizeof(double);
}

size_t tx_checkpoint_state_bytes(const tx_sim *sim) {
  return (size_t)sim->mesh->n_global * (octant_bytes(sim->system) + sizeof(tx_leaf)) + 16384;
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

static void sink_open(sink *s, hid_t file) {
  const hsize_t n = (hsize_t)s->mesh->n_global;
  const hsize_t leaves[2] = {n, 4}, fields[3] = {n, (hsize_t)s->system->n_vars, TX_N3};
  s->fd = tx_h5_descriptor(file);
  s->leaves = create_dataset(file, LEAVES, H5T_STD_I32LE, 2, leaves);
  if (s->leaves >= 0) s->fields = create_dataset(file, FIELDS, H5T_IEEE_F64LE, 3, fields);
  if (s->fields < 0) s->status = tx_h5_failed(s->path, "making a data set");
}

static void sink_close(sink *s, tx_seal_part *fields) {
  fields->bytes = (uint64_t)s->mesh->n_global * octant_bytes(s->system);
  fields->crc = s->crc;
  bool ok = s->status != TX_OK || (fields->at = H5Dget_offset(s->fields)) != HADDR_UNDEF;
  if (s->leaves >= 0) ok = H5Dclose(s->leaves) >= 0 && ok;
  if (s->fields >= 0) ok = H5Dclose(s->fields) >= 0 && ok;
  if (!ok) TX_THEN(s->status, tx_h5_failed(s->path, "closing a data set"));
}

static int batch_at(int64_t at, int64_t n, int most) {
  return n - at < most ? (int)(n - at) : most;
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

static tx_status send_items(const sink *s, int n, MPI_Datatype type, const void *items) {
  TX_MPI(MPI_Send(items, n, type, 0, CHECKPOINT_TAG, s->mesh->comm));
  return TX_OK;
}

static void sink_leaves(sink *s, int n, const tx_leaf *leaves) {
  const hsize_t rows[2] = {(hsize_t)n, 4};
  if (s->mesh->rank != 0)
    TX_KEEP(s->status, send_items(s, 4 * n, MPI_INT32_T, leaves));
  else if (s->status == TX_OK &&
           !write_rows(s->leaves, H5T_NATIVE_INT32, 2, rows, s->leaves_at, leaves))
    s->status = tx_h5_failed(s->path, LEAVES);
  s->leaves_at += n;
}

static bool write_octants(const sink *s, int n, const double *values) {
  bool ok = true;
  for (int at = 0; at < n && ok; at += OCTANT_PIECE) {
    const hsize_t rows[3] = {(hsize_t)batch_at(at, n, OCTANT_PIECE), (hsize_t)s->system->n_vars,
                             TX_N3};
    ok = write_rows(s->fields, H5T_NATIVE_DOUBLE, 3, rows, s->fields_at + at,
                    values + (size_t)at * (size_t)octant_items(s->system));
  }
  return ok;
}

static void sink_octants(sink *s, int n, const double *values) {
  if (s->mesh->rank != 0)
    TX_KEEP(s->status, send_items(s, n * octant_items(s->system), MPI_DOUBLE, values));
  else if (s->status == TX_OK && !write_octants(s, n, values))
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

static void put_leaves(sink *s, tx_leaf *leaves) {
  const tx_lidx n = s->mesh->n_local;
  for (tx_lidx at = 0; at < n; at += LEAF_BATCH) {
    const int m = batch_at(at, n, LEAF_BATCH);
    list_leaves(s->mesh, at, m, leaves);
    sink_leaves(s, m, leaves);
  }
}

/* One thread hands octants on, one lets those before go to the disk, all others sum up. After a failure messages are
 * empty, but all are sent. */
static void put_octants(sink *s, const tx_field *u) {
  const tx_mesh *mesh = s->mesh;
  const size_t items = (size_t)octant_items(s->system);
  for (tx_lidx at = 0; at < mesh->n_local; at += OCTANT_BATCH) {
    const int m = batch_at(at, mesh->n_local, OCTANT_BATCH);
    const double *values = NULL;
    uint64_t crc = 0;
    TX_THEN(s->status, tx_field_views(u, at, m, &values));
    const int n = s->status == TX_OK ? m : 0;
#pragma omp parallel
    {
#pragma omp master
      sink_octants(s, n, values);
#pragma omp single nowait
      if (s->fd >= 0) tx_fd_write_back(s->fd);
#pragma omp for schedule(dynamic) reduction(^ : crc)
      for (int i = 0; i < n; i++) {
        const int64_t after = mesh->n_global - mesh->first - at - i - 1;
        const uint64_t own = tx_crc64(0, values + (size_t)i * items, items * sizeof *values);
        crc ^= tx_crc64_share(own, (uint64_t)after * items * sizeof *values);
      }
    }
    s->crc ^= crc;
  }
}

/* Receive the number of a rank's octants, then its leaves and fields. */
static tx_status receive_all(sink *s, int rank, tx_leaf *leaves, double *values) {
  MPI_Comm comm = s->mesh->comm;
  int64_t n = 0;
  TX_MPI(MPI_Recv(&n, 1, MPI_INT64_T, rank, CHECKPOINT_TAG, comm, MPI_STATUS_IGNORE));
  for (int64_t at = 0; at < n; at += LEAF_BATCH) {
    int m = batch_at(at, n, LEAF_BATCH);
    TX_MPI(MPI_Recv(leaves, 4 * m, MPI_INT32_T, rank, CHECKPOINT_TAG, comm, MPI_STATUS_IGNORE));
    sink_leaves(s, m, leaves);
  }
  for (int64_t at = 0; at < n; at += OCTANT_BATCH) {
    int m = batch_at(at, n, OCTANT_BATCH);
    TX_MPI(MPI_Recv(values, m * octant_items(s->system), MPI_DOUBLE, rank, CHECKPOINT_TAG, comm,
                    MPI_STATUS_IGNORE));
    sink_octants(s, m, values);
    tx_fd_write_back(s->fd);
  }
  return TX_OK;
}

/* Rank 0 puts what it has itself, then what the others send, in order. */
static tx_status put_all(sink *s, const tx_field *u, tx_leaf *leaves, double *values) {
  const int64_t n = s->mesh->n_local;
  if (s->mesh->rank != 0) TX_TRY(send_items(s, 1, MPI_INT64_T, &n));
  put_leaves(s, leaves);
  put_octants(s, u);
  for (int r = 1; s->mesh->rank == 0 && r < s->mesh->size; r++)
    TX_TRY(receive_all(s, r, leaves, values));
  const uint64_t own = s->crc;
  TX_MPI(MPI_Reduce(&own, &s->crc, 1, MPI_UINT64_T, MPI_BXOR, 0, s->mesh->comm));
  return TX_OK;
}

tx_status tx_checkpoint_put_state(tx_status status, hid_t file, const char *path, tx_sim *sim,
                                  tx_seal_part *fields) {
  const bool writes = sim->mesh->rank == 0;
  /* Octants of a message from another rank. */
  const int arrive = writes ? batch_at(sim->mesh->n_local, sim->mesh->n_global, OCTANT_BATCH) : 0;
  const size_t items = (size_t)arrive * (size_t)octant_items(sim->system);
  tx_leaf *leaves = NULL;
  double *values = NULL;
  TX_THEN(status, tx_alloc(LEAF_BATCH, sizeof *leaves, "checkpoint", &leaves));
  TX_THEN(status, tx_alloc(items, sizeof *values, "checkpoint", &values));
  status = tx_agree(sim->comm, status);
  if (status == TX_OK) {
    sink s = {.system = sim->system,
              .mesh = sim->mesh,
              .path = path,
              .fd = -1,
              .leaves = H5I_INVALID_HID,
              .fields = H5I_INVALID_HID};
    if (writes) sink_open(&s, file);
    TX_KEEP(s.status, put_all(&s, sim->u, leaves, values));
    if (writes) sink_close(&s, fields);
    status = s.status;
  }
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

static bool read_octants(hid_t set, int n_vars, int64_t first, int n, double *values) {
  const hsize_t rows[3] = {(hsize_t)n, (hsize_t)n_vars, TX_N3};
  hid_t space, memory;
  bool ok = select_rows(set, 3, rows, first, &space, &memory) &&
            H5Dread(set, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, values) >= 0;
  if (memory >= 0) H5Sclose(memory);
  if (space >= 0) H5Sclose(space);
  return ok;
}

/* The octants of this rank. */
static tx_status read_fields(hid_t file, const char *path, tx_sim *sim, double *values) {
  const hsize_t shape[3] = {0, (hsize_t)sim->system->n_vars, TX_N3};
  int64_t n = 0;
  hid_t set = open_dataset(file, FIELDS, 3, shape, &n);
  tx_status status = set >= 0 && n == sim->mesh->n_global ? TX_OK : TX_ERR_IO;
  for (tx_lidx at = 0; at < sim->mesh->n_local && status == TX_OK; at += OCTANT_PIECE) {
    const int m = batch_at(at, sim->mesh->n_local, OCTANT_PIECE);
    if (!read_octants(set, sim->system->n_vars, sim->mesh->first + at, m, values))
      status = TX_ERR_IO;
    TX_THEN(status, tx_field_put(sim->u, at, m, values));
  }
  if (set >= 0) H5Dclose(set);
  return status == TX_ERR_IO ? tx_h5_unread(path, FIELDS) : status;
}

tx_status tx_checkpoint_get_state(const char *path, tx_sim *sim) {
  hid_t file = H5I_INVALID_HID;
  double *values = NULL;
  tx_status status = tx_h5_open(path, &file);
  TX_THEN(status, tx_alloc(OCTANT_PIECE * (size_t)octant_items(sim->system), sizeof *values,
                           "checkpoint", &values));
  TX_THEN(status, read_fields(file, path, sim, values));
  tx_free(values);
  if (file >= 0) H5Fclose(file);
  return tx_agree(sim->comm, status);
}
