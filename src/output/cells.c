/* The octants of a file as cells of one unstructured grid, the form that every reader of XDMF
 * takes. */
#include "output/internal.h"

#include "base/memory.h"

#define SIDE (TX_N + 1)

/* Octants in a chunk of the file, and written together. */
#define BATCH 16

/* Room to allow for a byte: the patterns shrink to less than a twentieth. */
#define SHRINK 10

/* A data set with rows of each octant. */
typedef struct table {
  hid_t set, type;
  int columns;
  int64_t rows; /* of an octant */
} table;

/* Number of points, or of cells, of an octant or of its plane. */
static int64_t lattice_size(int normal, int64_t along) {
  return normal < 0 ? along * along * along : along * along;
}

static int corners(int normal) {
  return normal < 0 ? 8 : 4;
}

static hid_t create_table(hid_t group, const char *name, int64_t octants, const table *t) {
  const hsize_t columns = (hsize_t)t->columns, rows = (hsize_t)t->rows;
  const hsize_t size[2] = {(hsize_t)octants * rows, columns};
  const hsize_t chunk[2] = {(hsize_t)(octants < BATCH ? octants : BATCH) * rows, columns};
  hid_t space = H5Screate_simple(2, size, NULL), plist = H5Pcreate(H5P_DATASET_CREATE);
  hid_t set = H5I_INVALID_HID;
  bool ok = space >= 0 && plist >= 0 && H5Pset_obj_track_times(plist, false) >= 0;
  if (ok && octants > 0 && H5Zfilter_avail(H5Z_FILTER_DEFLATE) > 0)
    ok = H5Pset_chunk(plist, 2, chunk) >= 0 && H5Pset_shuffle(plist) >= 0 &&
         H5Pset_deflate(plist, 1) >= 0;
  if (ok) set = H5Dcreate2(group, name, t->type, space, H5P_DEFAULT, plist, H5P_DEFAULT);
  if (plist >= 0) H5Pclose(plist);
  if (space >= 0) H5Sclose(space);
  return set;
}

static bool write_rows(const table *t, int64_t first, int64_t n, const void *values) {
  const hsize_t start[2] = {(hsize_t)(first * t->rows), 0};
  const hsize_t count[2] = {(hsize_t)(n * t->rows), (hsize_t)t->columns};
  hid_t space = H5Dget_space(t->set), memory = H5Screate_simple(2, count, NULL);
  bool ok = space >= 0 && memory >= 0 &&
            H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, count, NULL) >= 0 &&
            H5Dwrite(t->set, t->type, memory, space, H5P_DEFAULT, values) >= 0;
  if (memory >= 0) H5Sclose(memory);
  if (space >= 0) H5Sclose(space);
  return ok;
}

/* Points in the order of the values: x fastest. */
static void put_points(int normal, const double origin[3], double h, double *x) {
  int side[3] = {SIDE, SIDE, SIDE};
  if (normal >= 0) side[normal] = 1;
  for (int k = 0; k < side[2]; k++)
    for (int j = 0; j < side[1]; j++)
      for (int i = 0; i < side[0]; i++) {
        *x++ = origin[0] + h * i;
        *x++ = origin[1] + h * j;
        *x++ = origin[2] + h * k;
      }
}

/* Corners of each cell, counted from the octant's first point, in the order of VTK: round the lower
 * face, then round the upper one. */
static void put_cells(int normal, int64_t first, int64_t *cell) {
  const int64_t along = SIDE, above = along * along;
  const int layers = normal < 0 ? TX_N : 1;
  for (int k = 0; k < layers; k++)
    for (int j = 0; j < TX_N; j++)
      for (int i = 0; i < TX_N; i++) {
        const int64_t low = first + i + along * j + above * k;
        const int64_t round[4] = {low, low + 1, low + along + 1, low + along};
        for (int c = 0; c < corners(normal); c++) *cell++ = round[c % 4] + above * (c / 4);
      }
}

/* Return the bytes of the points and cells of an octant. */
static size_t octant_bytes(int normal) {
  size_t points = (size_t)lattice_size(normal, SIDE), cells = (size_t)lattice_size(normal, TX_N);
  return 3 * sizeof(double) * points + (size_t)corners(normal) * sizeof(int64_t) * cells;
}

size_t tx_cells_bytes(int normal, int64_t n) {
  return (size_t)n * octant_bytes(normal) / SHRINK;
}

size_t tx_cells_buffers_bytes(int normal) {
  return BATCH * octant_bytes(normal);
}

/* Octants of a file: their plane across `normal`, -1: whole ones; origin [n][3], spacing [n]. */
typedef struct lattice {
  int normal;
  int64_t n;
  const double *origin, *spacing;
} lattice;

static bool write_batches(const lattice *l, const table *points, const table *cells, double *x,
                          int64_t *cell) {
  bool ok = points->set >= 0 && cells->set >= 0;
  for (int64_t first = 0; first < l->n && ok; first += BATCH) {
    int64_t count = l->n - first < BATCH ? l->n - first : BATCH;
    for (int64_t b = 0; b < count; b++) {
      put_points(l->normal, &l->origin[3 * (first + b)], l->spacing[first + b],
                 x + b * points->rows * 3);
      put_cells(l->normal, (first + b) * points->rows, cell + b * cells->rows * cells->columns);
    }
    ok = write_rows(points, first, count, x) && write_rows(cells, first, count, cell);
  }
  return ok;
}

tx_status tx_cells_write(hid_t group, const char *path, int normal, int64_t n, const double *origin,
                         const double *spacing) {
  double *x = NULL;
  int64_t *cell = NULL;
  table points = {.type = H5T_NATIVE_DOUBLE, .columns = 3, .rows = lattice_size(normal, SIDE)};
  table cells = {
      .type = H5T_NATIVE_INT64, .columns = corners(normal), .rows = lattice_size(normal, TX_N)};
  TX_TRY(tx_alloc(BATCH * 3 * (size_t)points.rows, sizeof *x, "output of cells", &x));
  tx_status status = tx_alloc(BATCH * (size_t)cells.columns * (size_t)cells.rows, sizeof *cell,
                              "output of cells", &cell);
  if (status == TX_OK) {
    points.set = create_table(group, "points", n, &points);
    cells.set = create_table(group, "cells", n, &cells);
    bool ok = write_batches(&(lattice){normal, n, origin, spacing}, &points, &cells, x, cell);
    if (points.set >= 0) ok = H5Dclose(points.set) >= 0 && ok;
    if (cells.set >= 0) ok = H5Dclose(cells.set) >= 0 && ok;
    if (!ok) status = tx_h5_failed(path, "writing cells");
  }
  tx_free(x);
  tx_free(cell);
  return status;
}
