/* Analysis quantities, constraints among them. */
#include "physics/octant/octant.h"

#ifdef TX_SYSTEM_ANALYSIS
#include <string.h>

#include "physics/derivatives.h"
#include "physics/octant/scalars.h"
#include "physics/simd_functions.h"

/* First slot of each variable in a record. */
enum {
#define V(v, order) SLOT_##v, LAST_##v = SLOT_##v + TX_SLOTS(order) - 1,
  TX_ANALYSIS_LOADS(V)
#undef V
      SLOTS
};

typedef struct analysis_work {
  tx_block block;
  tx_vec beta[TX_BLOCK_ROWS][3];
  tx_vec records[TX_BLOCK_ROWS][SLOTS];
} analysis_work;

/* The quantities of one vector of points, the first of which is point (i, j, k) of the octant. */
static void __attribute__((noinline))
row_analysis(const tx_system_params *p, const tx_octant_place *place,
             const tx_vec *__restrict record, const int first[3], double *__restrict out) {
  typedef tx_vec tx_real;
  (void)p, (void)place, (void)first; /* not every system asks for all */
#ifdef TX_ANALYSIS_SCALARS
#define S(name) const double name = tx_scalar_##name(p, place->h);
  TX_ANALYSIS_SCALARS(S)
#undef S
#endif
#define TX_VALUE(v) record[SLOT_##v + TX_SLOT_VALUE]
#define TX_LOAD0(v)
#define TX_LOAD1(v)
#define TX_LOAD2(v)
#define TX_D(v, i)       record[SLOT_##v + TX_SLOT_D + (i)]
#define TX_DD(v, i, j)   record[SLOT_##v + TX_SLOT_DD + TX_SYM(i, j)]
#define TX_STORE(v, e)   tx_vec_store(out + (size_t)TX_ANALYSIS_##v * TX_N3, e)
#define TX_COORDINATE(d) tx_row_coordinate(place, first[0], first[1], first[2], d)
#define TX_TIME          p->time
#include "physics/define_vector.h"
#include TX_SYSTEM_ANALYSIS
#include "physics/undefine.h"
}

size_t TX_BY_SCHEME(analysis_scratch)(void) {
  return sizeof(analysis_work);
}

void TX_BY_SCHEME(analysis)(const tx_system_params *p, const tx_octant_place *place,
                            const double *__restrict patch, double *__restrict out, void *scratch) {
  analysis_work *w = scratch;
  tx_block_init(&w->block, place->h, 0.0, 0, SLOTS);
  memset(w->beta, 0, sizeof w->beta); /* nothing is advected */
  w->block.beta = w->beta;
  for (int k = 0; k < TX_N; k++)
    for (int j = 0; j < TX_N; j += TX_BLOCK_Y) {
      w->block.j = j;
      w->block.k = k;
#define V(v, order)                                                                                \
  tx_block_derive##order(&w->block, patch + (size_t)TX_VAR_##v * TX_P3, 0.0,                       \
                         &w->records[0][SLOT_##v]);
      TX_ANALYSIS_LOADS(V)
#undef V
      for (int row = 0; row < TX_BLOCK_ROWS; row++) {
        const int first[3] = {row % TX_CHUNKS * TX_W, j + row / TX_CHUNKS, k};
        row_analysis(p, place, w->records[row], first, out + TX_AT(first[0], first[1], first[2]));
      }
    }
}
#else
size_t TX_BY_SCHEME(analysis_scratch)(void) {
  return 0;
}
#endif
