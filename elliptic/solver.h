/* Inside the elliptic solver: what all methods share, their residuals and history, and the methods. */
#pragma once

#include "elliptic/internal.h"

/** The start of the history, or what a step left; `max` and `l2` of r count. A second entry of a step takes the first one's place. */
void tx_elliptic_record(tx_elliptic *e, tx_elliptic_history *h, int step, tx_elliptic_residual r);
/** Norms of v, over all levels. Collective. */
tx_elliptic_residual tx_elliptic_norm(tx_elliptic *e);
/** Whether the last entry is within the tolerance. */
bool tx_elliptic_done(const tx_elliptic_control *control, const tx_elliptic_history *h);
/** TX_ERR_NUMERICS, with what the history says, and where the residual is largest. Collective. */
tx_status tx_elliptic_fail(tx_elliptic *e, const tx_elliptic_control *control,
                           const tx_elliptic_history *h);

/** The methods, behind tx_elliptic_solve. Collective. */
tx_status tx_elliptic_solve_krylov(tx_elliptic *e, const tx_elliptic_control *control,
                                   tx_elliptic_history *h);
tx_status tx_elliptic_solve_relaxation(tx_elliptic *e, const tx_elliptic_control *control,
                                       tx_elliptic_history *h);
