/* Shared by the common code of the operations: checks that come before each. */
#pragma once

#include "base/timer.h"
#include "exec/backend.h"

/** Call the backend and measure its time: see tx_work_begin. kind: TX_OPERATION_ and this. */
#define TX_WORK(kind, aside, status, call)                                                         \
  do {                                                                                             \
    tx_work_begin(TX_OPERATION_##kind, aside);                                                     \
    (status) = (call);                                                                             \
    tx_work_end(aside);                                                                            \
  } while (0)

/** Collective. Create the plans of n meshes, of which each is the coarser one of the next, `coarser` that of the first: tx_exec_create and
 *  tx_exec_create_levels. After a failure out [n] is NULL. */
tx_status tx_exec_create_on(int n, const tx_mesh *const mesh[], int max_vars, tx_exec *coarser,
                            tx_exec *out[]);
/** Remap the octants of f: those that leave this rank into the send buffer, those that stay into their places in `out`
 *  (NULL: not those). Local. */
tx_status tx_transfer_remap(tx_exec *x, const tx_field *f, const tx_transfer *t,
                            double *send_buffer, double *out);
/** Fail with TX_ERR_MESH unless f lives on the mesh of x, TX_ERR_USAGE for a single field. */
tx_status tx_field_check_mesh(const tx_exec *x, const tx_field *f, const char *operation);
/** Check as above, and fail with TX_ERR_MESH unless the slots hold the ghosts of f. */
tx_status tx_field_check_ghosts(const tx_exec *x, const tx_field *f, const char *operation);
/** Check fields of either precision. */
tx_status tx_field_check_any(const tx_exec *x, const tx_field *f, const char *operation);
tx_status tx_field_check_ghosts_any(const tx_exec *x, const tx_field *f, const char *operation);
/** Fail with TX_ERR_USAGE unless f and g have the same precision. */
tx_status tx_field_check_precision(const tx_field *f, const tx_field *g, const char *operation);
/** Fail with TX_ERR_USAGE unless all of f is TX_OUTER_POLYNOMIAL. */
tx_status tx_field_check_polynomial(const tx_field *f, const char *operation);
/** Fail with TX_ERR_USAGE unless f is a state of a system. `operation`: a noun. */
tx_status tx_field_check_state(const tx_field *f, const char *operation);
/** Fail with TX_ERR_MESH unless the set is of x. */
tx_status tx_set_check(const tx_exec *x, const tx_set *set, const char *operation);
/** Mark the contents of f as changed. */
void tx_field_touch(tx_field *f);
