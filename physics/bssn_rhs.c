#include "physics/bssn.h"

#include <stdbool.h>

#include "physics/bssn_point.h"
#include "physics/derivatives.h"
#include "physics/dissipation_point.h"
#include "physics/eta_point.h"

/* First slot of each variable in a record. */
enum {
#define V(v, order) SLOT_##v, LAST_##v = SLOT_##v + TX_SLOTS(order) - 1,
  TX_BSSN_RHS_LOADS(V)
#undef V
      SLOTS
};

/* Blocks of a plane, and of the planes that are computed together. */
enum { PLANE_BLOCKS = TX_N / TX_BLOCK_Y, BLOCKS = TX_BSSN_PLANES * PLANE_BLOCKS };
_Static_assert(TX_N % TX_BSSN_PLANES == 0, "octants are computed in whole steps");

/* Of the planes from `first` on, block by block. */
typedef struct rhs_work {
  tx_block block;
  const tx_bssn_params *p;
  const tx_bssn_place *place;
  int first;
  bool varies; /* sigma, from point to point */
  tx_vec beta[BLOCKS][TX_BLOCK_ROWS][3];
  tx_vec ko[BLOCKS][TX_BLOCK_ROWS]; /* if it does */
  tx_vec records[BLOCKS][TX_BLOCK_ROWS][SLOTS];
} rhs_work;

size_t tx_bssn_work_bytes(void) {
  const size_t rhs = sizeof(rhs_work), constraints = tx_bssn_constraints_work_bytes();
  return rhs > constraints ? rhs : constraints;
}

double tx_bssn_rhs_bytes(void) {
  return 2.0 * TX_VARS * sizeof(double);
}

/* Counted in tx_block_derive0, 1 and 2, ghost rows shared out over the points. */
double tx_bssn_rhs_flops(void) {
  const double d1 = 3 * TX_K - 2, ko = 3 * TX_K, d2 = 2 * TX_K;
  const double dy = (double)TX_P / TX_N, dz = (double)(TX_P + 2 * TX_K) / TX_N;
  double flops = TX_BSSN_RHS_OPERATIONS;
#define V(v, order)                                                                                \
  flops +=                                                                                         \
      (order) == 2 ? d1 * (4 + dy + dz) + 3 * (ko + d2) + 21 : 3 * (d1 + ko) + 12 + 3 * (order);
  TX_BSSN_RHS_LOADS(V)
#undef V
  return flops;
}

uint32_t tx_bssn_rhs_mixed(void) {
  uint32_t mask = 0;
#define V(v, order) mask |= (uint32_t)((order) == 2) << TX_VAR_##v;
  TX_BSSN_RHS_LOADS(V)
#undef V
  return mask;
}

double tx_bssn_lapse_pull(const tx_bssn_params *p, double t) {
  const double s = t / p->slow_start_time, e = 0.5 * s * s;
  return p->slow_start > 0.0 && e < 40.0 ? p->slow_start * exp(-e) : 0.0;
}

/* eta at the points of a block, in the order of its records. */
typedef struct block_eta {
  double at[TX_BLOCK_Y * TX_N] __attribute__((aligned(sizeof(tx_vec))));
} block_eta;

static void eta_constant(const tx_bssn_params *p, block_eta *eta) {
  for (int n = 0; n < TX_BLOCK_Y * TX_N; n++) eta->at[n] = p->eta;
}

/* The first row of a block. */
typedef struct row_place {
  int j, k;
} row_place;

static row_place block_place(const rhs_work *w, int block) {
  return (row_place){block % PLANE_BLOCKS * TX_BLOCK_Y, w->first + block / PLANE_BLOCKS};
}

static void __attribute__((noinline))
eta_radial(const tx_bssn_params *p, const tx_bssn_place *place, row_place at, block_eta *eta) {
  const double h = place->h, x = place->x0[0], z = place->x0[2] + h * at.k;
  for (int row = 0; row < TX_BLOCK_Y; row++) {
    const double y = place->x0[1] + h * (at.j + row);
#pragma omp simd
    for (int i = 0; i < TX_N; i++) eta->at[row * TX_N + i] = tx_eta_radial(p, x + h * i, y, z);
  }
}

/* sigma at the points of a block. */
static void __attribute__((noinline))
sigma_outside(const tx_bssn_params *p, const tx_bssn_place *place, row_place at, tx_vec *sigma) {
  const double h = place->h, x = place->x0[0], z = place->x0[2] + h * at.k;
  for (int row = 0; row < TX_BLOCK_Y; row++) {
    const double y = place->x0[1] + h * (at.j + row);
    double *ko = (double *)&sigma[row * TX_CHUNKS];
    for (int i = 0; i < TX_N; i++) ko[i] = tx_dissipation(p, place->level, x + h * i, y, z);
  }
}

/* From lane `lane` of a record. */
static inline __attribute__((always_inline)) double
eta_metric_lane(const tx_bssn_params *p, double a, double b, const double *record, int lane) {
#define AT(v, slot) record[(SLOT_##v + (slot)) * TX_W + lane]
  const double gt[6] = {AT(GT00, TX_SLOT_VALUE), AT(GT01, TX_SLOT_VALUE), AT(GT02, TX_SLOT_VALUE),
                        AT(GT11, TX_SLOT_VALUE), AT(GT12, TX_SLOT_VALUE), AT(GT22, TX_SLOT_VALUE)};
  const double dchi[3] = {AT(CHI, TX_SLOT_D), AT(CHI, TX_SLOT_D + 1), AT(CHI, TX_SLOT_D + 2)};
  return tx_eta_metric(p, a, b, gt, AT(CHI, TX_SLOT_VALUE), dchi);
#undef AT
}

static inline __attribute__((always_inline)) void eta_metric_powers(const tx_bssn_params *p,
                                                                    double a, double b,
                                                                    const tx_vec (*records)[SLOTS],
                                                                    block_eta *eta) {
  for (int row = 0; row < TX_BLOCK_ROWS; row++) {
    const double *record = (const double *)records[row];
#pragma omp simd
    for (int lane = 0; lane < TX_W; lane++)
      eta->at[row * TX_W + lane] = eta_metric_lane(p, a, b, record, lane);
  }
}

/* With the published powers fixed, the compiler makes vectors of the loop. */
static void __attribute__((noinline))
eta_metric(const tx_bssn_params *p, const tx_vec (*records)[SLOTS], block_eta *eta) {
  if (p->eta_a == 1.0 && p->eta_b == 2.0)
    eta_metric_powers(p, 1.0, 2.0, records, eta);
  else if (p->eta_a == 2.0 && p->eta_b == 2.0)
    eta_metric_powers(p, 2.0, 2.0, records, eta);
  else
    eta_metric_powers(p, p->eta_a, p->eta_b, records, eta);
}

/* The algebra of one vector of points: from its record and eta to the right-hand sides at `out`. */
static void __attribute__((noinline))
row_rhs(const tx_bssn_params *p, const tx_vec *__restrict record, const double *__restrict eta_row,
        double *__restrict out) {
  typedef tx_vec tx_real;
  const tx_vec eta = tx_vec_load(eta_row);
  TX_BSSN_SCALARS(p);
#define TX_VALUE(v) record[SLOT_##v + TX_SLOT_VALUE]
#define TX_LOAD0(v)
#define TX_LOAD1(v)
#define TX_LOAD2(v)
#define TX_D(v, i)     record[SLOT_##v + TX_SLOT_D + (i)]
#define TX_DD(v, i, j) record[SLOT_##v + TX_SLOT_DD + TX_SYM(i, j)]
#define TX_ADV(v)      record[SLOT_##v + TX_SLOT_ADV]
#define TX_STORE(v, e) tx_vec_store(out + (size_t)TX_VAR_##v * TX_N3, e)
#define TX_SQRT(e)     (lapse_pull != 0.0 ? tx_vec_sqrt(e) : (tx_vec){0.0})
#include "physics/generated/bssn_rhs.inc"
#include "physics/undefine.h"
}

void tx_bssn_rhs_begin(const tx_bssn_params *p, const tx_bssn_place *place, int first,
                       tx_bssn_shift shift, void *scratch) {
  rhs_work *w = scratch;
  w->p = p;
  w->place = place;
  w->first = first;
  w->varies = p->over_reach2[place->level] > 0.0;
  tx_block_init(&w->block, place->h, w->varies ? 1.0 : p->sigma, place->outer_faces, SLOTS);
  for (int n = 0; n < BLOCKS; n++) {
    const row_place at = block_place(w, n);
    const double *start = shift.at + at.k * shift.z + at.j * shift.y;
    if (w->varies) sigma_outside(p, place, at, w->ko[n]);
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

void tx_bssn_rhs_take(int v, const double *patch_v, void *scratch) {
  rhs_work *w = scratch;
  const double advect = tx_bssn_advection(w->p, v);
  for (int n = 0; n < BLOCKS; n++) {
    block_enter(w, n);
    switch (v) {
#define V(v, order)                                                                                \
  case TX_VAR_##v:                                                                                 \
    tx_block_derive##order(&w->block, patch_v, advect, &w->records[n][0][SLOT_##v]);               \
    break;
      TX_BSSN_RHS_LOADS(V)
#undef V
    }
  }
}

void tx_bssn_rhs_end(double *__restrict rhs, void *scratch) {
  const rhs_work *w = scratch;
  const tx_bssn_params *p = w->p;
  const int form = p->shift == TX_SHIFT_ZERO ? TX_ETA_CONSTANT : p->eta_form;
  block_eta eta;
  if (form == TX_ETA_CONSTANT) eta_constant(p, &eta);
  for (int n = 0; n < BLOCKS; n++) {
    const row_place at = block_place(w, n);
    if (form == TX_ETA_RADIAL) eta_radial(p, w->place, at, &eta);
    if (form == TX_ETA_METRIC) eta_metric(p, w->records[n], &eta);
    for (int row = 0; row < TX_BLOCK_ROWS; row++) {
      row_rhs(p, w->records[n][row], &eta.at[row * TX_W],
              rhs + TX_AT(row % TX_CHUNKS * TX_W, at.j + row / TX_CHUNKS, at.k));
    }
  }
}

void tx_bssn_rhs_octant(const tx_bssn_params *p, const tx_bssn_place *place,
                        const double *__restrict patch, double *__restrict rhs, void *scratch) {
  const double *beta = patch + (size_t)TX_VAR_BETA0 * TX_P3 + TX_PATCH_AT(0, 0, 0);
  const tx_bssn_shift shift = {beta, TX_P3, TX_P * TX_P, TX_P};
  for (int first = 0; first < TX_N; first += TX_BSSN_PLANES) {
    tx_bssn_rhs_begin(p, place, first, shift, scratch);
    for (int v = 0; v < TX_VARS; v++) tx_bssn_rhs_take(v, patch + (size_t)v * TX_P3, scratch);
    tx_bssn_rhs_end(rhs, scratch);
  }
}
