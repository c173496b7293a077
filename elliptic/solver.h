/* Inside the elliptic solver: what all methods share, their residuals and history, and the methods. */
#pragma once

#include "elliptic/internal.h"

/** Record a residual in the history, of which `max` and `l2` count. A second entry of a step replaces the first one. */
void tx_elliptic_record(tx_elliptic *e, tx_elliptic_history *h, int step, tx_elliptic_residual r);
/** Return the norms of v over all levels. Collective. */
tx_elliptic_residual tx_elliptic_norm(tx_elliptic *e);
/** Return whether the last entry is within the tolerance. */
bool tx_elliptic_done(const tx_elliptic_control *control, const tx_elliptic_history *h);
/** Fail with TX_ERR_NUMERICS, the last residuals, and where the residual is largest. Collective. */
tx_status tx_elliptic_fail(tx_elliptic *e, const tx_elliptic_control *control,
                           const tx_elliptic_history *h);

/** Solve by one method; tx_elliptic_solve calls them. Collective. */
tx_status tx_elliptic_solve_krylov(tx_elliptic *e, const tx_elliptic_control *control,
                                   tx_elliptic_history *h);
tx_status tx_elliptic_solve_relaxation(tx_elliptic *e, const tx_elliptic_control *control,
                                       tx_elliptic_history *h);
