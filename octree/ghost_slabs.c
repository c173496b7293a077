/* Which points of a patch a region fills, and from where. */
#include "octree/internal.h"

_Static_assert(TX_N > 2 * TX_K, "mirrored ghosts must lie within one child octant");

/* Place and source of the points of a slab along dimension d. Point p of dst lies p - dir N points
 * into the box beside it; that box is src (COPY), holds src (INJECT) or lies within src (INTERP).
 * Where mirrored, both octants touch the plane and point p is the image of point -p. */
static void set_dimension(tx_slab *slab, int d, int dir, const tx_octant *dst,
                          const tx_octant *src) {
  bool mirrored = slab->mirror >> d & 1;
  int lo = dir < 0 ? -TX_K : dir > 0 ? TX_N : 0, n = dir == 0 ? TX_N : TX_K;
  int scale = slab->kind == TX_SLAB_INJECT ? 2 : 1, shift = 0;
  if (slab->kind == TX_SLAB_INJECT) {
    int half = src->x[d] & 1;
    shift = -half * TX_N;
    if (dir == 0) {
      n = TX_N / 2;
      lo = half * n;
    }
  } else if (slab->kind == TX_SLAB_INTERP) {
    shift = ((dst->x[d] + dir) & 1) * TX_N;
  }
  int from = mirrored ? -lo * scale : (lo - dir * TX_N) * scale + shift;
  slab->lo[d] = (int8_t)lo;
  slab->n[d] = (int8_t)n;
  slab->from[d] = (int16_t)from;
  slab->step[d] = (int8_t)(mirrored ? -scale : scale);
}

int tx_region_slabs(const tx_mesh *mesh, tx_lidx dst, int r, const tx_region *region,
                    tx_slab out[4]) {
  static const uint8_t kinds[] = {[TX_REGION_SAME] = TX_SLAB_COPY,
                                  [TX_REGION_FINER] = TX_SLAB_INJECT,
                                  [TX_REGION_COARSER] = TX_SLAB_INTERP};
  const int dir[3] = {r % 3 - 1, r / 3 % 3 - 1, r / 9 - 1};
  int n = 0;
  if (region->kind == TX_REGION_OUTER) return 0;
  for (int c = 0; c < 4; c++) {
    tx_lidx src = region->octant[c];
    if (src < 0) continue;
    tx_slab *slab = &out[n++];
    *slab = (tx_slab){.dst = dst, .src = src, .kind = kinds[region->kind], .at = -1};
    slab->mirror = region->mirror;
    for (int d = 0; d < 3; d++)
      set_dimension(slab, d, dir[d], &mesh->octant[dst], &mesh->octant[src]);
  }
  return n;
}

int64_t tx_region_points(int r, tx_region_kind kind) {
  int64_t points = 1;
  for (int d = 0; d < 3; d++) {
    int along = kind == TX_REGION_FINER ? TX_N / 2 : TX_N;
    points *= tx_region_direction[r][d] == 0 ? along : TX_K;
  }
  return points;
}
