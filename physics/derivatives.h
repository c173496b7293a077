/* Derivatives of a block of rows of a patch, gathered into one record a row of TX_W points. Used by
 * the octant functions of physics/octant only.
 *
 * A block is TX_BLOCK_Y rows of one z-plane; its records fit the second-level cache, and each
 * record the first. Mixed derivatives are one-dimensional differences of d_y and d_z, which are
 * formed on rows that extend into the ghosts. */
#pragma once

#include "base/schemes.h"
#include "physics/simd.h"
#include "physics/system.h"

/** Rows of a block. */
#define TX_BLOCK_Y (TX_N % 8 == 0 ? 8 : TX_N)

/** Vectors in a row. */
#define TX_CHUNKS (TX_N / TX_W)

/** Slots of a variable in a record, in this order; how many there are depends on the order of the
 *  derivatives that it needs: 2, 5 or 11. */
enum {
  TX_SLOT_VALUE,
  TX_SLOT_ADV, /**< advection times its switch, plus dissipation */
  TX_SLOT_D,
  TX_SLOT_DD = TX_SLOT_D + 3,
};
#define TX_SLOTS(order) ((order) == 2 ? TX_SLOT_DD + 6 : (order) == 1 ? TX_SLOT_DD : TX_SLOT_D)

/** Position of (a, b), a <= b, in xx, xy, xz, yy, yz, zz. */
#define TX_SYM(a, b) ((a) * (5 - (a)) / 2 + (b))

/** Vectors in a block. */
#define TX_BLOCK_ROWS (TX_BLOCK_Y * TX_CHUNKS)

/** Context of a block's derivatives: its place, the scales, the shift. */
typedef struct tx_block {
  tx_vec ko_x[TX_CHUNKS]; /**< dissipation factor along x, which differs from point to point */
  double ko_y[TX_N], ko_z[TX_N];
  const tx_vec (*beta)[3]; /**< [TX_BLOCK_ROWS] */
  const tx_vec *ko; /**< [TX_BLOCK_ROWS] what the dissipation is multiplied by at each point */
  double d1, d2;    /**< scales of first and second derivatives */
  int j, k;         /**< first row, and plane */
  int slots;        /**< of a record */
} tx_block;

/* Once for each scheme. */
#define tx_block_init    TX_OF_SCHEME(tx_block_init)
#define tx_block_derive0 TX_OF_SCHEME(tx_block_derive0)
#define tx_block_derive1 TX_OF_SCHEME(tx_block_derive1)
#define tx_block_derive2 TX_OF_SCHEME(tx_block_derive2)

/** Set the scales, and the dissipation factors: 0 where a stencil reaches what is extrapolated at an outer face. sigma: of
 *  points where the block's `ko` is 1, as it is at first. The block has no shift yet. */
void tx_block_init(tx_block *block, double h, double sigma, unsigned outer_faces, int slots);

/** Compute value, advection and derivatives up to order 0, 1, 2 of the variable `u` [TX_P3] into its slots,
 *  `first` being the first, of the block's records [TX_BLOCK_ROWS][slots]. */
void tx_block_derive0(const tx_block *block, const double *u, double advect, tx_vec *first);
void tx_block_derive1(const tx_block *block, const double *u, double advect, tx_vec *first);
void tx_block_derive2(const tx_block *block, const double *u, double advect, tx_vec *first);
