/* Types and functions shared by the files of src/output. */
#pragma once

#include <hdf5.h>
#include <limits.h>
#include <sys/types.h>
#include "files/file.h"
#include "files/h5.h"
#include "output/output.h"

/** An HDF5 file of data sets [rows][columns] that grow together, on rank 0. */
typedef struct tx_h5_rows {
  hid_t file; /**< invalid: not open */
  hid_t *set; /**< [n], owned */
  int n;
  int columns;
  hsize_t chunk_rows; /**< rows that a data set grows by in the file */
  hsize_t rows;       /**< so far */
} tx_h5_rows;

/** The open files of worldtubes, on rank 0: those of the rows since the last checkpoint. */
typedef struct tx_worldtube_files {
  int n;
  tx_h5_rows at[TX_LIST_MAX];
  char path[TX_LIST_MAX][PATH_MAX];
  double *row; /**< time and columns, owned */
} tx_worldtube_files;

/** Rows of the modes that are not on disk yet, on rank 0. */
typedef struct tx_mode_buffer {
  const tx_gw_info *gw; /**< borrowed; that of the last row */
  int n_rows;
  double (*row)[3]; /**< t, Re, Im; [n_radii][n_modes][room], owned; NULL before the first row */
  size_t n_written; /**< files that have these rows already, after a failure: HDF5, then text */
} tx_mode_buffer;

/** Output of a run: its folder, and what is open or buffered of its files. */
struct tx_output {
  MPI_Comm comm;
  int rank;
  const tx_params *params;  /**< borrowed */
  const tx_manifest *files; /**< borrowed */
  const tx_system *system;  /**< of the states */
  char folder[TX_STRING_MAX];
  tx_folder_lock *lock; /**< on rank 0, else NULL */
  bool lost;            /**< another run has the folder now */
  uint32_t variables;   /**< of slices and whole fields, bit v */
  uint32_t quantities;  /**< analysis quantities of them, bit a */
  tx_h5_rows modes;
  tx_worldtube_files worldtubes;
  tx_mode_buffer mode_buffer;
  tx_series_sums sums;
  tx_text yaml; /**< of run.yaml */
};

/** Make the path <folder>/<name by printf>; too long paths are cut, and opening them fails. Local. */
void tx_output_path(const tx_output *out, char path[PATH_MAX], const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/** Open or make a file of rows, for n_sets data sets; add a data set without rows; reserve room for `rows` more in n_sets data
 *  sets, as HDF5 cannot undo a write that fails half way; append n rows [n][columns] to one; flush; close. The owner of the file sets
 *  columns and chunk_rows and counts the rows. Local; rank 0. Errors: TX_ERR_IO, TX_ERR_MEMORY. */
tx_status tx_h5_rows_begin(tx_h5_rows *f, const char *path, bool anew, int n_sets);
tx_status tx_h5_rows_add(tx_h5_rows *f, const char *path, const char *name);
tx_status tx_h5_rows_reserve(const tx_h5_rows *f, const char *path, hsize_t rows, int n_sets);
tx_status tx_h5_rows_append(const tx_h5_rows *f, const char *path, int set, hsize_t n,
                            const double *rows);
tx_status tx_h5_rows_flush(const tx_h5_rows *f, const char *path);
tx_status tx_h5_rows_close(tx_h5_rows *f, const char *path);

/** Put the open file back, with a warning, if it is not at its path in `folder` any more: *gone. The caller closes it then, as
 *  HDF5 has the removed one open. Local; rank 0. Errors: TX_ERR_IO. */
tx_status tx_h5_rows_look_after(tx_output *out, const tx_h5_rows *f, const char *path,
                                const char *folder, bool *gone);

/** Flush the files of worldtubes, for readers of a running run; close them, so that the next row begins new ones. Local;
 *  rank 0. Errors: TX_ERR_IO. */
tx_status tx_worldtubes_flush(tx_output *out);
tx_status tx_worldtubes_close(tx_output *out);

/** Append n rows t, Re, Im to each mode of the HDF5 file, those of mode i of all radii from rows[i * room] on. Local; rank 0. */
tx_status tx_modes_append(tx_output *out, const tx_gw_info *gw, int n, const double (*rows)[3],
                          size_t room);
tx_status tx_modes_close(tx_output *out);

/** Count the rows of the modes' file, open or not; 0 if there is none. Local; rank 0. Errors: TX_ERR_IO. */
tx_status tx_modes_rows(tx_output *out, int64_t *rows);

/** Restore the modes' open file if it was removed. Local; rank 0. Errors: TX_ERR_IO. */
tx_status tx_modes_look_after(tx_output *out);

/** Restore log.txt if it was removed, and lock it. Local; rank 0. Errors: TX_ERR_IO, also if another run
 *  has taken the folder meanwhile. */
tx_status tx_output_look_after_log(tx_output *out);

/** Restore files of the folder that were removed, see tx_output_flush. Local; rank 0. Errors: TX_ERR_IO, TX_ERR_MEMORY. */
tx_status tx_output_look_after(tx_output *out);

/** Write the buffered rows of modes, all of a file at once. Local; rank 0. Errors: TX_ERR_IO, TX_ERR_MEMORY; rows that are not
 *  written stay buffered. */
tx_status tx_mode_buffer_flush(tx_output *out);
void tx_mode_buffer_free(tx_mode_buffer *rows);

/** Find what a list names, as tx_output_choose does, up to a name that is unknown. Local. */
void tx_output_find_names(const tx_system *system, const char *names, uint32_t *variables,
                          uint32_t *quantities);

/** Octants of this rank that go into a file. */
typedef struct tx_selection {
  tx_lidx n;
  const tx_lidx *octant; /**< [n] */
  int normal;            /**< -1: whole octants; 0, 1, 2: their plane at the low x, y or z */
  uint32_t variables;    /**< bit v */
  uint32_t quantities;   /**< analysis quantities, bit a */
  const double *values;  /**< of the quantities [n][quantities][tx_octant_values] */
  const double (*psi4)
      [TX_PSI4_COLUMNS]; /**< at the points of each plane [n][(TX_N + 1)^2]; NULL: not in the file */
} tx_selection;

/** Data sets of a piece, at most: variables, analysis quantities, and the parts of Psi4. */
#define TX_PIECE_SETS (2 * TX_SYSTEM_VARS + 2)

/** Content of a piece of an HDF5 file, on rank 0, for the XDMF file. */
typedef struct tx_piece {
  const tx_system *system; /**< of the variables */
  const char *group;       /**< in the HDF5 file; borrowed */
  int64_t n;
  int normal;
  int n_sets;
  const char *set[TX_PIECE_SETS]; /**< [n_sets] names, in the order of the data */
} tx_piece;

/** A field whose ghosts are filled, to write octants of; borrowed. */
typedef struct tx_field_source {
  tx_exec *exec;
  const tx_field *u;
} tx_field_source;

/** Compute Psi4 at the points of the selected planes of all ranks, in order, from the patch of each point's owner: points that
 *  octants share have one value. *psi4: [out] the caller frees it with tx_free; this rank's values begin at
 *  (*psi4)[*first], as in tx_selection. Needs ghosts of from.u. Collective. Errors: those of tx_exec_psi4; TX_ERR_MEMORY. */
tx_status tx_planes_psi4(MPI_Comm comm, tx_field_source from, const tx_selection *sel,
                         double (**psi4)[TX_PSI4_COLUMNS], size_t *first);

/** Octants sent in one message, and octants whose patches are fetched together. */
enum { TX_OCTANTS_BATCH = 64, TX_OCTANTS_TOGETHER = 8 };

/** Return the points of a closed octant, or of its plane across `normal`. Local. */
size_t tx_octant_values(int normal);

/** Copy one variable of an octant from its patch: all of it, or its lowest plane across `normal`. out: [out] [tx_octant_values]. Local. */
void tx_octant_copy_out(const double *patch, int normal, double *out);

/** Take the analysis quantities sel->quantities of the selected octants from `from.u`, a field of them, whose ghosts are filled, into sel->values.
 *  *values: [out] their memory; the caller frees it with tx_free, and may after an error. Local. Errors: TX_ERR_MEMORY. */
tx_status tx_quantities_take(tx_field_source from, tx_selection *sel, double **values);

/** An open HDF5 file, valid on rank 0 only, and its path. */
typedef struct tx_h5_target {
  hid_t file;
  const char *path;
} tx_h5_target;

/** Collective. Write the selected octants of all ranks in order into piece->group of the file: closed octants of (TX_N + 1)^3
 *  points, or (TX_N + 1)^2 of a plane; then their origins, spacings and levels, and points and cells (tx_cells_write).
 *  `status`: an earlier failure on this rank; nothing is written then, but the rank takes part in the collectives. Sets the rest of
 *  *piece. */
tx_status tx_octants_write(MPI_Comm comm, tx_status status, tx_h5_target to, tx_field_source from,
                           const tx_selection *sel, tx_piece *piece);

/** Write data sets `points` [n points of an octant][3] and `cells` [n cells of an octant][8 or 4],
 *  each cell the numbers of its corners, for n closed octants or their planes across `normal`:
 *  origin [n][3], spacing [n]. Local; rank 0. Errors: TX_ERR_IO, TX_ERR_MEMORY. */
tx_status tx_cells_write(hid_t group, const char *path, int normal, int64_t n, const double *origin,
                         const double *spacing);

/** Return an upper bound of the bytes that tx_cells_write writes, and the bytes that it takes. Local. */
size_t tx_cells_bytes(int normal, int64_t n);
size_t tx_cells_buffers_bytes(int normal);

/** Append one time to a temporal collection. `data`: name of the HDF5 file beside it, with n pieces. Local;
 *  rank 0. */
tx_status tx_xdmf_append(const char *path, const char *name, double t, const char *data, int n,
                         const tx_piece *pieces);

/** Return the bytes of a collection of `bytes` that do not change when times are appended. Local. */
off_t tx_xdmf_steady(off_t bytes);

/** Cut a collection to the times that it held when it was `bytes` long. Local; rank 0. Errors: TX_ERR_IO. */
tx_status tx_xdmf_cut(const char *path, off_t bytes);
