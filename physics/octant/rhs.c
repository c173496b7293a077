/* Right-hand sides. */
#include "physics/octant/octant.h"

#include <math.h>
#include <stdbool.h>

#include "physics/derivatives.h"
#include "physics/dissipation_point.h"
#include "physics/octant/scalars.h"
#include "physics/simd_functions.h"

/* First slot of each variable in a record. */
enum {
#define V(v, order) SLOT_##v, LAST_##v = SLOT_##v + TX_SLOTS(order) - 1,
  TX_RHS_LOADS(V)
#undef V
      SLOTS
};

/* Blocks of a plane, and of the planes that are computed together. */
enum { PLANE_BLOCKS = TX_N / TX_BLOCK_Y, BLOCKS = TX_RHS_PLANES * PLANE_BLOCKS };
_Static_assert(TX_N % TX_RHS_PLANES == 0, "octants are computed in whole steps");

/* Work space of the planes from `first` on, block by block. */
typedef struct rhs_work {
  tx_block block;
  const tx_system_params *p;
  const tx_octant_place *place;
  int first;
  bool varies; /* sigma, from point to point */
  tx_vec beta[BLOCKS][TX_BLOCK_ROWS][3];
  tx_vec ko[BLOCKS][TX_BLOCK_ROWS]; /* if it does */
  tx_vec records[BLOCKS][TX_BLOCK_ROWS][SLOTS];
} rhs_work;

size_t TX_BY_SCHEME(rhs_scratch)(void) {
  return sizeof(rhs_work);
}

/* The first row of a block. */
typedef struct row_place {
  int j, k;
} row_place;

static row_place block_place(const rhs_work *w, int block) {
  return (row_place){block % PLANE_BLOCKS * TX_BLOCK_Y, w->first + block / PLANE_BLOCKS};
}

/* Does sigma depend on chi, where there is one? And chi, in the block of the shift. */
static bool by_W(const tx_system_params *p) {
#ifdef TX_SYSTEM_FACTOR
  return p->by_W;
#else
  return (void)p, false;
#endif
}

static tx_octant_shift factor_beside(tx_octant_shift shift) {
#ifdef TX_SYSTEM_FACTOR
  shift.at += (TX_SYSTEM_FACTOR - TX_SYSTEM_SHIFT) * shift.var;
#endif
  return shift;
}

/* sigma at the points of a block. chi: at point (0, 0, 0), laid out as the shift is. */
static void __attribute__((noinline))
sigma_of_block(const rhs_work *w, row_place at, const tx_octant_shift *chi, tx_vec *sigma) {
  const tx_system_params *p = w->p;
  const tx_octant_place *place = w->place;
  const double h = place->h, x = place->x0[0], z = place->x0[2] + h * at.k;
  for (int row = 0; row < TX_BLOCK_Y; row++) {
    const double y = place->x0[1] + h * (at.j + row);
    double *ko = (double *)&sigma[row * TX_CHUNKS];
    const double *from = chi->at + at.k * chi->z + (at.j + row) * chi->y;
    for (int i = 0; i < TX_N; i++)
      ko[i] = (by_W(p) ? sqrt(from[i]) : 1.0) * tx_dissipation(p, place->level, x + h * i, y, z);
  }
}

/* Quantities computed at the points of a block before its algebra. */
#ifdef TX_RHS_ETA
#include "physics/octant/eta.h"
#endif
typedef struct block_inputs {
  const tx_octant_place *place;
  row_place at;
#ifdef TX_RHS_ETA
  block_eta eta;
#endif
} block_inputs;

/* The algebra of one vector of points, the first of which is number `first` of its block: from its record, which it may use
 * for what it adds to advections, to the right-hand sides at `out`. */
static void __attribute__((noinline))
row_rhs(const tx_system_params *p, tx_vec *__restrict record, const block_inputs *inputs, int first,
        double *__restrict out) {
  typedef tx_vec tx_real;
#ifdef TX_RHS_ETA
  const tx_vec eta = tx_vec_load(&inputs->eta.at[first]);
#endif
  (void)p, (void)inputs, (void)first; /* not every system asks for all */
#define S(name) const double name = tx_scalar_##name(p, inputs->place->h);
  TX_RHS_SCALARS(S)
#undef S
#define TX_VALUE(v) record[SLOT_##v + TX_SLOT_VALUE]
#define TX_LOAD0(v)
#define TX_LOAD1(v)
#define TX_LOAD2(v)
#define TX_D(v, i)     record[SLOT_##v + TX_SLOT_D + (i)]
#define TX_DD(v, i, j) record[SLOT_##v + TX_SLOT_DD + TX_SYM(i, j)]
#define TX_ADV(v)      record[SLOT_##v + TX_SLOT_ADV]
#define TX_MORE(v, f, e)                                                                           \
  if ((f) != 0.0) TX_ADV(v) += (f) * (e);
#define TX_STORE(v, e) tx_vec_store(out + (size_t)TX_VAR_##v * TX_N3, e)
#define TX_COORDINATE(d)                                                                           \
  tx_row_coordinate(inputs->place, first % TX_N, inputs->at.j + first / TX_N, inputs->at.k, d)
#define TX_TIME p->time
#include "physics/define_vector.h"
#include TX_SYSTEM_RHS
#include "physics/undefine.h"
}

void TX_BY_SCHEME(rhs_begin)(const tx_system_params *p, const tx_octant_place *place, int first,
                             tx_octant_shift shift, void *scratch) {
  rhs_work *w = scratch;
  w->p = p;
  w->place = place;
  w->first = first;
  w->varies = p->over_reach2[place->level] > 0.0 || by_W(p);
  const tx_octant_shift chi = factor_beside(shift);
  tx_block_init(&w->block, place->h, w->varies ? 1.0 : p->sigma, place->outer_faces, SLOTS);
  for (int n = 0; n < BLOCKS; n++) {
    const row_place at = block_place(w, n);
    const double *start = shift.at + at.k * shift.z + at.j * shift.y;
    if (w->varies) sigma_of_block(w, at, &chi, w->ko[n]);
    for (int row = 0; row < TX_BLOCK_ROWS; row++)
      for (int a = 0; a < 3; a++)
        w->beta[n][row][a] =
            tx_vec_load(start + a * shift.var + row / TX_CHUNKS * shift.y + row % TX_CHUNKS * TX_W);
  }
}

/* Block n is the one that derivatives are taken in. */
static void block_enter(rhs_work *w, int n) {
  const row_place at = block_place(w, n);
  w->block.j = at.j;
  w->block.k = at.k;
  w->block.beta = w->beta[n];
  if (w->varies) w->block.ko = w->ko[n];
}

void TX_BY_SCHEME(rhs_take)(int v, const double *patch_v, void *scratch) {
  rhs_work *w = scratch;
  const double advect = tx_rhs_advection(w->p, v);
  for (int n = 0; n < BLOCKS; n++) {
    block_enter(w, n);
    switch (v) {
#define V(v, order)                                                                                \
  case TX_VAR_##v:                                                                                 \
    tx_block_derive##order(&w->block, patch_v, advect, &w->records[n][0][SLOT_##v]);               \
    break;
      TX_RHS_LOADS(V)
#undef V
    }
  }
}

void TX_BY_SCHEME(rhs_end)(double *__restrict rhs, void *scratch) {
  rhs_work *w = scratch;
  block_inputs inputs;
  inputs.place = w->place;
  for (int n = 0; n < BLOCKS; n++) {
    const row_place at = inputs.at = block_place(w, n);
#ifdef TX_RHS_ETA
    eta_of_block(w->p, w->place, at, w->records[n], &inputs.eta);
#endif
    for (int row = 0; row < TX_BLOCK_ROWS; row++)
      row_rhs(w->p, w->records[n][row], &inputs, row * TX_W,
              rhs + TX_AT(row % TX_CHUNKS * TX_W, at.j + row / TX_CHUNKS, at.k));
  }
}
