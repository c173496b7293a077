/* Which points of a patch a region fills, and from where. */
#include "octree/internal.h"

_Static_assert(TX_N > 2 * TX_K, "mirrored ghosts must lie within one child octant");

/* Place and source of the points of a slab along a dimension. */
typedef struct side {
  int8_t lo, n, from, step;
} side;

/* Point p of dst lies p - dir N points into the box beside it; that box is src (COPY), holds src (INJECT) or
 * lies within src (INTERP), in both cases in its lower or upper `half`. Where mirrored, both octants touch the
 * plane and point p is the image of point -p. */
static side make_side(tx_slab_kind kind, bool mirrored, int dir, int half) {
  int lo = dir < 0 ? -TX_K : dir > 0 ? TX_N : 0, n = dir == 0 ? TX_N : TX_K;
  int scale = kind == TX_SLAB_INJECT ? 2 : 1, shift = 0;
  if (kind == TX_SLAB_INJECT) {
    shift = -half * TX_N;
    if (dir == 0) {
      n = TX_N / 2;
      lo = half * n;
    }
  } else if (kind == TX_SLAB_INTERP) {
    shift = half * TX_N;
  }
  int from = mirrored ? -lo * scale : (lo - dir * TX_N) * scale + shift;
  return (side){(int8_t)lo, (int8_t)n, (int8_t)from, (int8_t)(mirrored ? -scale : scale)};
}

/* By kind, mirrored, direction + 1, half. */
static side sides[3][2][3][2];

__attribute__((constructor)) static void make_sides(void) {
  for (int n = 0; n < 36; n++) {
    int kind = n / 12, mirrored = n / 6 % 2, dir = n / 2 % 3 - 1, half = n % 2;
    sides[kind][mirrored][dir + 1][half] = make_side((tx_slab_kind)kind, mirrored != 0, dir, half);
  }
}

void tx_slab_shape(int r, const int half[3], tx_slab *slab) {
  const int *dir = tx_region_direction[r];
  for (int d = 0; d < 3; d++) {
    const side *s = &sides[slab->kind][slab->mirror >> d & 1][dir[d] + 1][half[d]];
    slab->lo[d] = s->lo;
    slab->n[d] = s->n;
    slab->from[d] = s->from;
    slab->step[d] = s->step;
  }
}

void tx_region_slab(const tx_mesh *mesh, tx_lidx dst, int r, const tx_region *region, int c,
                    tx_slab *out) {
  static const uint8_t kinds[] = {[TX_REGION_SAME] = TX_SLAB_COPY,
                                  [TX_REGION_FINER] = TX_SLAB_INJECT,
                                  [TX_REGION_COARSER] = TX_SLAB_INTERP};
  const int *dir = tx_region_direction[r];
  tx_lidx src = region->octant[c];
  int half[3] = {0, 0, 0};
  *out = (tx_slab){.dst = dst, .src = src, .mirror = region->mirror, .at = -1};
  out->kind = kinds[region->kind];
  for (int d = 0; d < 3; d++)
    if (out->kind == TX_SLAB_INJECT)
      half[d] = mesh->octant[src].x[d] & 1;
    else if (out->kind == TX_SLAB_INTERP)
      half[d] = (mesh->octant[dst].x[d] + dir[d]) & 1;
  tx_slab_shape(r, half, out);
}

int64_t tx_region_points(int r, tx_region_kind kind) {
  int64_t points = 1;
  for (int d = 0; d < 3; d++) {
    int along = kind == TX_REGION_FINER ? TX_N / 2 : TX_N;
    points *= tx_region_direction[r][d] == 0 ? along : TX_K;
  }
  return points;
}
