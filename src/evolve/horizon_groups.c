/* Which groups of holes may have a common horizon. */
#include <math.h>
#include <string.h>
#include "base/vec3.h"
#include "evolve/horizons.h"

/* In the gauge of moving punctures holes get a common horizon at a distance of about 1.7 M head-on
 * (Brill-Lindquist data from 2.6 M) and less in orbits; at t = 0 the critical distance is 0.77 M. */
#define COMMON_BELOW 2.2

/* A hole, or the holes of a group that was seen. */
typedef struct body {
  int64_t holds;
  double x[3];
} body;

static bool has(int64_t holds, int a) {
  return holds >> a & 1;
}

static double mass_of(const tx_horizons_scene *scene, int64_t holds) {
  double sum = 0.0;
  for (int a = 0; a < scene->n; a++)
    if (has(holds, a)) sum += scene->mass[a];
  return sum;
}

double tx_horizons_reach(const tx_horizons_scene *scene, int64_t holds) {
  return scene->common_below > 0.0 ? scene->common_below : COMMON_BELOW * mass_of(scene, holds);
}

/* Is one of the punctures in `holds` the image of x in the mirror across d? */
static bool has_image(const tx_horizons_scene *scene, int64_t holds, const double x[3], int d) {
  for (int a = 0; a < scene->n; a++) {
    bool same = has(holds, a);
    for (int e = 0; e < 3; e++) same = same && scene->x[a][e] == (e == d ? -x[e] : x[e]);
    if (same) return true;
  }
  return false;
}

static bool is_own_image(const tx_horizons_scene *scene, int64_t holds, int d) {
  bool own = scene->mirrors >> d & 1;
  for (int a = 0; a < scene->n && own; a++)
    if (has(holds, a)) own = has_image(scene, holds, scene->x[a], d);
  return own;
}

/* Compute the centre of a pair: exactly 0 for mirror images, with fused operations too. */
static void middle_of_pair(const tx_horizons_scene *scene, const int pair[2], double out[3]) {
  const double m[2] = {scene->mass[pair[0]], scene->mass[pair[1]]};
  for (int d = 0; d < 3; d++) {
    double a = scene->x[pair[0]][d], b = scene->x[pair[1]][d];
    out[d] = 0.5 * ((a + b) + (m[0] - m[1]) / (m[0] + m[1]) * (a - b));
  }
}

void tx_horizons_centre(const tx_horizons_scene *scene, int64_t holds, double out[3]) {
  int n = 0, which[TX_PUNCTURES_MAX];
  for (int a = 0; a < scene->n; a++)
    if (has(holds, a)) which[n++] = a;
  if (n == 1) memcpy(out, scene->x[which[0]], 3 * sizeof *out);
  if (n == 2) middle_of_pair(scene, which, out);
  for (int d = 0; d < 3 && n > 2; d++) {
    double sum = 0.0;
    for (int i = 0; i < n; i++) sum += scene->mass[which[i]] * scene->x[which[i]][d];
    out[d] = is_own_image(scene, holds, d) ? 0.0 : sum / mass_of(scene, holds);
  }
}

/* Holes of the largest group within `holds` that was seen and has puncture a; or this one alone. */
static int64_t body_with(const tx_horizons *h, int64_t holds, int a) {
  int64_t most = (int64_t)1 << a;
  for (int k = h->n_punctures; k < h->n_surfaces; k++) {
    const int64_t group = h->slot[k].holds;
    const bool inside = h->slot[k].first_seen >= 0.0 && (group & ~holds) == 0;
    if (inside && has(group, a) && (most & ~group) == 0) most = group;
  }
  return most;
}

/* The bodies that these holes are, in the order of their first ones; how many. */
static int list_bodies(const tx_horizons *h, const tx_horizons_scene *scene, int64_t holds,
                       body out[TX_PUNCTURES_MAX]) {
  int n = 0;
  int64_t done = 0;
  for (int a = 0; a < scene->n; a++) {
    if (!has(holds & ~done, a)) continue;
    out[n].holds = body_with(h, holds, a);
    done |= out[n].holds;
    tx_horizons_centre(scene, out[n].holds, out[n].x);
    n++;
  }
  return n;
}

/* The largest distance between bodies of these holes. */
static double extent_of(int n, const body *bodies, int64_t holds) {
  double most = 0.0;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < i; j++)
      if ((bodies[i].holds & holds) && (bodies[j].holds & holds))
        most = fmax(most, tx_vec3_distance(bodies[j].x, bodies[i].x));
  return most;
}

bool tx_horizons_near(const tx_horizons *h, const tx_horizons_scene *scene, int k) {
  body bodies[TX_PUNCTURES_MAX];
  const int64_t holds = h->slot[k].holds;
  const int n = list_bodies(h, scene, holds, bodies);
  return extent_of(n, bodies, holds) < tx_horizons_reach(scene, holds);
}

/* The two of n sets whose union is the smallest for its mass: out[0] < out[1]. */
static void closest(const tx_horizons_scene *scene, int n_bodies, const body *bodies, int n,
                    const int64_t *sets, int out[2]) {
  double least = INFINITY;
  for (int i = 0; i < n; i++)
    for (int j = i + 1; j < n; j++) {
      const int64_t both = sets[i] | sets[j];
      const double size = extent_of(n_bodies, bodies, both) / mass_of(scene, both);
      if (!(size < least)) continue;
      least = size;
      out[0] = i;
      out[1] = j;
    }
}

/* Sets of bodies that may get a common horizon next, small ones first; how many. */
static int list_awaited(const tx_horizons *h, const tx_horizons_scene *scene,
                        int64_t out[TX_PUNCTURES_MAX]) {
  body bodies[TX_PUNCTURES_MAX];
  int64_t sets[TX_PUNCTURES_MAX];
  const int n_bodies = list_bodies(h, scene, ((int64_t)1 << scene->n) - 1, bodies);
  for (int i = 0; i < n_bodies; i++) sets[i] = bodies[i].holds;
  for (int n = n_bodies; n > 1; n--) {
    int pair[2] = {0, 1};
    closest(scene, n_bodies, bodies, n, sets, pair);
    out[n_bodies - n] = sets[pair[0]] |= sets[pair[1]];
    for (int i = pair[1]; i + 1 < n; i++) sets[i] = sets[i + 1];
  }
  return n_bodies > 0 ? n_bodies - 1 : 0;
}

void tx_horizons_plan(tx_horizons *h, const tx_horizons_scene *scene) {
  int64_t awaited[TX_PUNCTURES_MAX], before[TX_HORIZONS_MAX];
  int failures[TX_HORIZONS_MAX], first = h->n_punctures;
  const int n = list_awaited(h, scene, awaited);
  while (first < h->n_surfaces && h->slot[first].first_seen >= 0.0) first++;
  for (int k = first; k < h->n_surfaces; k++) {
    before[k] = h->slot[k].holds;
    failures[k] = h->slot[k].failures;
  }
  for (int k = first; k < h->n_surfaces; k++) {
    tx_horizon_slot *slot = &h->slot[k];
    slot->holds = k - first < n ? awaited[k - first] : 0;
    slot->failures = slot->wait = 0;
    for (int was = first; was < h->n_surfaces; was++)
      if (slot->holds && before[was] == slot->holds) slot->failures = failures[was];
  }
}
