/* Shared by the common code of the operations: checks that come before each. */
#pragma once

#include "exec/backend.h"

/** TX_ERR_MESH unless f lives on the mesh of x. */
tx_status tx_field_check_mesh(const tx_exec *x, const tx_field *f, const char *operation);
/** The same, and unless the slots hold the ghosts of f. */
tx_status tx_field_check_ghosts(const tx_exec *x, const tx_field *f, const char *operation);
/** The contents of f are about to change. */
void tx_field_touch(tx_field *f);
