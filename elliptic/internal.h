/* Inside the elliptic solver: the levels and a cycle through them. */
#pragma once

#include "elliptic/elliptic.h"
#include "exec/algebra.h"

/** Stored stages that levels keep: of u, or what takes its place, and of zeros. */
enum { TX_ELLIPTIC_EDGE_U, TX_ELLIPTIC_EDGE_ZERO };

/** Fields of a cycle: u; before, v, p, f; q; cover. */
enum {
  TX_ELLIPTIC_SINGLE_U,
  TX_ELLIPTIC_SINGLE_Q = 5,
  TX_ELLIPTIC_SINGLE_COVER,
  TX_ELLIPTIC_SINGLES
};

/** One level. Fields of one variable each. */
typedef struct tx_elliptic_level {
  tx_exec *x;
  tx_descender *down;   /**< to this level; NULL: the coarsest */
  tx_set *covered;      /**< octants that have finer ones */
  tx_field *u, *before; /**< the solution; as it was before a coarser correction */
  tx_field *v, *p;      /**< scratch; v: the other solution of relaxations */
  tx_field *f,
      *q; /**< of \Delta u + q u = f in this cycle; below finer levels that of the full approximation */
  tx_field *given; /**< f of the equation */
  tx_field *c[TX_ELLIPTIC_COEFFICIENTS];
  tx_field
      *cover; /**< not 0 at points that finer ones cover: over their weights in full weighting */
  tx_field *single[TX_ELLIPTIC_SINGLES]; /**< for cycles in single precision; NULL: not yet */
} tx_elliptic_level;

struct tx_elliptic {
  const tx_mesh *leaves; /**< borrowed */
  tx_elliptic_equation equation;
  tx_level_grids *grids;
  int n;
  tx_elliptic_level level[TX_LEVELS]; /**< coarsest first */
  int64_t points;                     /**< unknowns, all ranks */
  int start;                          /**< stored stage of the u that a cycle starts from */
  tx_status status;                   /**< the first failure here: every rank goes through all */
  double evaluations; /**< of the operator at points of all ranks, since the solve began */
  const tx_elliptic_control *progress; /**< of the solve under way, if it is to be logged */
  const char *step;                    /**< word for a step of the method in messages */
  double logged_s;                     /**< when it was last */
  double start_s;                      /**< when it began */
};

/** Fill the ghosts of a field of level l, those at the refinement boundary from stored stage `state`. Collective; failures go
 *  to e->status, as below. */
void tx_elliptic_ghosts(tx_elliptic *e, int l, tx_field *f, int state);
/** Make u of level l, with stored stage `state` at its refinement boundary, the stored stage of u on the next finer level. */
void tx_elliptic_edge(tx_elliptic *e, int l, int state);
/** Restrict `f`, of level l, by full weighting to the covered points of `to`, of the next coarser level.
 *  f's planes and refinement boundary become 0; p of level l is overwritten. */
void tx_elliptic_restrict(tx_elliptic *e, int l, tx_field *f, tx_field *to);

/** Create a field of a level: even in all dimensions, and falling off. Local. */
tx_status tx_elliptic_field(const tx_elliptic *e, int l, tx_field **out);
/** Create a field of a level in single precision. Local. */
tx_status tx_elliptic_field_single(const tx_elliptic *e, int l, tx_field **out);
/** Apply a function at all points of a level. */
void tx_elliptic_pointwise(tx_elliptic *e, int l, const tx_pointwise_call *call, tx_field *out);
/** Apply a function on the covered octants of a level, which hold all covered points. */
void tx_elliptic_cover(tx_elliptic *e, int l, const tx_pointwise_call *call, tx_field *out);

/** Complete u of all levels from its unknown points: covered points, planes, refinement boundaries. Ghosts of u are filled
 *  afterwards, p is overwritten. */
void tx_elliptic_complete(tx_elliptic *e);
/** Linearise S about u on all levels. u, its planes and refinement boundaries agree afterwards on all levels. */
void tx_elliptic_linearise(tx_elliptic *e);
/** Run a V-cycle on the linearised equation. */
void tx_elliptic_cycle(tx_elliptic *e, const tx_elliptic_control *control);
/** Run a V-cycle from u = 0. f of covered points does not enter it. */
void tx_elliptic_cycle_from_zero(tx_elliptic *e, const tx_elliptic_control *control);
/** Create fields for cycles in single precision, if control asks for them. Collective. Errors: TX_ERR_MEMORY. */
tx_status tx_elliptic_prepare(tx_elliptic *e, const tx_elliptic_control *control);
/** Add to u the result d of a V-cycle in single precision, from d = 0, for \Delta d + q d = r [levels]. `size`: about that of r.
 *  r may be v. Planes and refinement boundaries of u are not valid afterwards. */
void tx_elliptic_correct(tx_elliptic *e, const tx_elliptic_control *control, tx_field *const r[],
                         double size);
/** Set v of level l to 0 at points that are not unknown: planes and covered points. */
void tx_elliptic_blank(tx_elliptic *e, int l);
/** Store S(u) of level l in f, for equations with coefficients. */
void tx_elliptic_source(tx_elliptic *e, int l);
/** Compute v = f - \Delta u - q u of level l; ghosts of u are filled. */
void tx_elliptic_evaluate(tx_elliptic *e, int l);
/** Compute the residual of the linearised equation in v of each level: 0 at points that are not unknown. */
void tx_elliptic_residuals(tx_elliptic *e);
