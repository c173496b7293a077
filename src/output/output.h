/* Files of a run folder.
 *
 *   <folder>/log.txt                         the log
 *            run.yaml                        parameters as used, version, machine
 *            summary.json                    results, speed, memory, phases
 *            last_checkpoint.json            step and time of the newest checkpoint
 *            puncturetracker-pt_loc..asc     positions of the punctures
 *            hamiltonian.norm2.asc ...       norms of the constraints, one file each
 *            constraints.asc                 all norms in one table
 *            modes/mp_phi_l1_m0_r5.00.asc ...  modes on spheres that output.modes names
 *            norms.asc                       norms that output.norms names
 *            psi.norm2.asc ...               the same, one file each
 *            grid.asc                        octants: time, level, low corner, size
 *            horizons.asc                    every search for a horizon, and what it found
 *            BH_diagnostics.ah1.gp ...       of the horizons that were found, one file each
 *            quasilocalmeasures-qlm_scalars..asc  their masses and spins
 *            horizons/ah1.surface.asc ...    their surfaces, by coefficients
 *            horizons/ah1.spin.asc ...       how their spins were measured
 *            energy.asc                      fluxes and radiated energy, J_i and P_i at each radius
 *            waves/mp_psi4.h5                modes of Psi4, all l, m and radii
 *            waves/mp_psi4_l2_m2_r100.00.asc the same as text, one file a mode
 *            waves/areal_radius.asc          areal radii of the spheres
 *            waves/expansion.asc             expansions of the spheres, which tell how psi4's observers move
 *            waves/turning.asc               how the shift turns the spheres
 *            waves/lapse.asc                 mean lapse of the spheres
 *            worldtubes/<step>.CceR0100.h5   metric on spheres, from this step on to the next checkpoint, for SpECTRE
 *            fields/slices.xmf, fields.xmf   for ParaView and VisIt; data in HDF5 files beside them
 *            checkpoints/checkpoint.<step>.h5 checkpoints for restarts
 *
 * Names and columns are those of the Einstein Toolkit where it has one, so that kuibit reads the
 * folder. Rank 0 writes; every row is on disk when a function returns, but those of modes and
 * worldtubes, which tx_output_flush writes; all functions are collective and agree. */
#pragma once

#include <limits.h>
#include <stdint.h>
#include "base/text.h"
#include "exec/exec.h"
#include "files/folder_lock.h"
#include "gw_extraction/gw.h"
#include "gw_extraction/worldtube.h"
#include "output/manifest.h"
#include "params/params.h"

typedef struct tx_output tx_output;

/** Fill run.name and run.folder where they are empty, from the parameter file's name. Local.
 *  Errors: TX_ERR_PARAM if the path leaves no name. */
tx_status tx_output_names(tx_params *p, const char *par_path);

/** Make the run folder, open the log in it and write run.yaml. With run.overwrite, the files of an earlier
 *  run are removed, and nothing else. *out is owned by the caller. Errors: TX_ERR_IO,
 *  also if a run is in the folder and run.overwrite is not set; TX_ERR_PARAM for an unknown name in
 *  output.variables. `par_path`, of the parameter file, is one line of text (tx_line_show). Borrows `files`, the list of
 *  the observers' files. */
tx_status tx_output_create(MPI_Comm comm, const tx_params *p, const char *par_path,
                           const tx_manifest *files, tx_output **out);

/** Find what a parameter `key` names: bits of variables, and of analysis quantities; "all" is all variables. Local. Errors:
 *  TX_ERR_PARAM for an unknown name, with a list; or if it names none. */
tx_status tx_output_choose(const tx_system *system, const char *key, const char *names,
                           uint32_t *variables, uint32_t *quantities);

/** Return the most bytes of the host that a rank of so many octants takes while it writes slices or whole fields, without the field of
 *  analysis quantities and without Psi4. `planes`: its octants with a face in a plane through 0, those of all three planes added up. Local. */
double tx_output_bytes(const tx_params *p, double planes, double octants);

/** Return whether slices, whole fields, norms or modes take analysis quantities: a field of all of them is there meanwhile. Local. */
bool tx_output_takes_quantities(const tx_params *p);

/** Source of a restart. */
typedef struct tx_resumption {
  const char *checkpoint; /**< its path; "": the run begins again at t = 0 */
  const char *note;       /**< a line for run.yaml: step, date, version, ranks, changes */
  tx_folder_lock *lock;   /**< on rank 0, else NULL; passes to the output */
} tx_resumption;

/** Open the output of a run that restarts in its folder: append to the log, and write run.yaml anew with the
 *  lines of earlier starts. Series are unchanged until tx_output_rewind. *out is owned by the
 *  caller. Errors: TX_ERR_IO. */
tx_status tx_output_resume(MPI_Comm comm, const tx_params *p, const char *par_path,
                           const tx_manifest *files, const tx_resumption *from, tx_output **out);

/** Reset all series and fields to their state at the checkpoint: `list` is of tx_output_list, "" where the run begins again; then
 *  the modes' file is removed too. Errors: TX_ERR_IO. */
tx_status tx_output_rewind(tx_output *out, const tx_resumption *from, const char *list);

/** Step and time, M, of the newest checkpoint that the run has written, also if it is gone; step 0: none yet. */
#define TX_LAST_CHECKPOINT "last_checkpoint.json"

/** Record in TX_LAST_CHECKPOINT that there is a checkpoint of this step. Errors: TX_ERR_IO. */
tx_status tx_output_saved(tx_output *out, int64_t step, double t);

/** Make the modes' file from the checkpoint at this path, with `rows` rows. Errors: TX_ERR_IO. */
tx_status tx_output_restore_modes(tx_output *out, const char *checkpoint, int64_t rows);

/** Write the buffered rows, and list all files with their lengths and checksums, for a checkpoint. *list on all
 *  ranks, of *n bytes and a 0; the caller frees it with tx_free. Errors: TX_ERR_IO, TX_ERR_MEMORY. */
tx_status tx_output_list(tx_output *out, char **list, size_t *n);

/** Count the rows of the modes' HDF5 file, 0 if there is none, for a checkpoint. Errors: TX_ERR_IO. */
tx_status tx_output_modes_rows(tx_output *out, int64_t *rows);

/** Write the buffered rows of the modes. Files that were removed or replaced since the last call are handled with a
 *  warning: log.txt, run.yaml and the modes' HDF5 file are restored, series start again. Errors: TX_ERR_IO, also if
 *  another run has the folder now. */
tx_status tx_output_flush(tx_output *out);

/** Write all buffered rows and close all files. Collective. Errors: TX_ERR_IO. */
tx_status tx_output_destroy(tx_output *out);

/** Tell whether this rank writes. Local. */
bool tx_output_writes(const tx_output *out);

/** Rows for a text file of the folder. */
typedef struct tx_rows {
  tx_text text;
  char path[PATH_MAX];
} tx_rows;
/** Begin rows on the rank that writes, and return true if the file, named as by printf, is new and needs its head; append
 *  them to the file and free the text. Local. Errors: TX_ERR_IO, TX_ERR_MEMORY. */
bool tx_rows_begin(tx_rows *rows, const tx_output *out, const char *name, ...)
    __attribute__((format(printf, 3, 4)));
tx_status tx_rows_end(tx_rows *rows);

/** Make a sub-folder, on the rank that writes. Local. Errors: TX_ERR_IO. */
tx_status tx_output_make_folder(const tx_output *out, const char *name);

/** Append a row of every mode, psi4 as tx_gw_extract gives it, on the rank that writes. It is on disk after tx_output_flush or
 *  tx_output_list. Borrows gw until the output is destroyed. Local. Errors: TX_ERR_IO, TX_ERR_MEMORY. */
tx_status tx_output_modes(tx_output *out, double t, const tx_gw_info *gw, const double (*psi4)[2]);

/** Append a row to every worldtube, `rows` as tx_worldtubes_sample gives them. It is on disk after tx_output_flush or tx_output_list,
 *  which begins new files. Borrows info until then. */
tx_status tx_output_worldtubes(tx_output *out, int64_t step, double t,
                               const tx_worldtube_info *info, const double *rows);

/** Whether slices and whole fields have analysis quantities. Local. */
bool tx_output_has_quantities(const tx_output *out);

/** Write slices in the coordinate planes x = 0, y = 0 and z = 0. Ghosts of u must be filled. quantities: the analysis quantities
 *  of u, where output.variables names some, else NULL; the ghosts of u are filled again after theirs. */
tx_status tx_output_slices(tx_output *out, int64_t step, double t, tx_exec *exec, tx_field *u,
                           const tx_field *quantities);

/** Write whole fields, as above. */
tx_status tx_output_fields(tx_output *out, int64_t step, double t, tx_exec *exec, tx_field *u,
                           const tx_field *quantities);

/** Write all variables of the octants around the first bad value, if there is any, into fields/bad.<step>.h5 and
 *  bad.xmf, with a line in the log. Fills the ghosts of u. */
tx_status tx_output_bad_place(tx_output *out, int64_t step, double t, tx_exec *exec, tx_field *u);

/** Write `text` as the run's summary.json. */
tx_status tx_output_summary(tx_output *out, const char *text);

/** Return the run folder, a view. Local. */
const char *tx_output_folder(const tx_output *out);
