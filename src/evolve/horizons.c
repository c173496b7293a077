#include "evolve/horizons.h"

#include <math.h>
#include <string.h>
#include "base/timer.h"
#include "base/vec3.h"

/* A search in vain is followed by 2^(failures - 1) - 1 that are left out, up to this many. */
#define WAIT_MOST 15
/* Once a common horizon is there, the ones inside are given up after so many searches in vain. */
#define FAILURES_MOST 3
/* Spheres that are tried one after the other, about a guess of the radius. */
static const double factors[] = {1.0, 1.5, 2.25, 0.7};
#define N_FACTORS ((int)(sizeof factors / sizeof factors[0]))

static int64_t all_holes(int n) {
  return ((int64_t)1 << n) - 1;
}

void tx_horizons_init(tx_horizons *h, int n, int l_max) {
  memset(h, 0, sizeof *h);
  h->l_max = l_max;
  h->n_punctures = n;
  h->n_surfaces = n > 1 ? 2 * n - 1 : TX_HORIZONS_LEAST;
  for (int k = 0; k < TX_HORIZONS_MAX; k++) h->slot[k].first_seen = h->slot[k].last_seen = -1.0;
  for (int k = 0; k < n; k++) h->slot[k].holds = (int64_t)1 << k;
  if (n == 2) h->slot[n].holds = all_holes(n); /* the only group there may be */
}

tx_status tx_horizons_create(const tx_params *p, const tx_domain *domain, int n, tx_horizons *out) {
  tx_horizons_init(out, n, p->horizons_l_max);
  return tx_horizon_finder_create(domain, p->horizons_l_max, &out->finder);
}

void tx_horizons_destroy(tx_horizons *h) {
  tx_horizon_finder_destroy(h->finder);
  memset(h, 0, sizeof *h);
}

static bool is_group(const tx_horizons *h, int k) {
  return k >= h->n_punctures;
}

int tx_horizons_common(const tx_horizons *h) {
  for (int k = h->n_punctures; k < h->n_surfaces; k++)
    if (h->slot[k].first_seen >= 0.0 && h->slot[k].holds == all_holes(h->n_punctures)) return k;
  return -1;
}

int tx_horizons_number(const tx_horizons *h, int k) {
  const bool is_next = h->n_punctures <= 2;
  return is_group(h, k) && !is_next && h->slot[k].first_seen < 0.0 ? 0 : k + 1;
}

double tx_horizons_merger(const tx_horizons *h, int a) {
  double first = -1.0;
  for (int k = h->n_punctures; k < h->n_surfaces; k++) {
    const double seen = h->slot[k].holds >> a & 1 ? h->slot[k].first_seen : -1.0;
    if (seen >= 0.0 && (first < 0.0 || seen < first)) first = seen;
  }
  return first;
}

bool tx_horizons_merged(const tx_horizons *h, double t, double delay) {
  const int k = tx_horizons_common(h);
  return k >= 0 && t > h->slot[k].first_seen + delay;
}

int tx_horizons_remnant(const tx_horizons *h) {
  if (h->n_punctures == 1) return h->slot[0].last.found ? 0 : -1;
  return tx_horizons_common(h);
}

/* How the spin was measured is in the files of a search alone. */
void tx_horizons_records(tx_horizons *h, tx_record_list *list) {
  static const tx_member slot[] = {
      TX_MEMBER(tx_horizon_slot, holds),
      TX_MEMBER(tx_horizon_slot, first_seen),
      TX_MEMBER(tx_horizon_slot, last_seen),
      TX_MEMBER(tx_horizon_slot, anchor),
      TX_MEMBER(tx_horizon_slot, failures),
      TX_MEMBER(tx_horizon_slot, wait),
      TX_MEMBER(tx_horizon_slot, last.found),
      TX_MEMBER(tx_horizon_slot, last.surface.l_max),
      TX_MEMBER(tx_horizon_slot, last.surface.centre),
      TX_MEMBER(tx_horizon_slot, last.surface.a),
      TX_MEMBER(tx_horizon_slot, last.iterations),
      TX_MEMBER(tx_horizon_slot, last.residual),
      TX_MEMBER(tx_horizon_slot, last.area),
      TX_MEMBER(tx_horizon_slot, last.mass_irreducible),
      TX_MEMBER(tx_horizon_slot, last.mass),
      TX_MEMBER(tx_horizon_slot, last.spin),
      TX_MEMBER(tx_horizon_slot, last.chi),
      TX_MEMBER(tx_horizon_slot, last.centroid),
      TX_MEMBER(tx_horizon_slot, last.radius_min),
      TX_MEMBER(tx_horizon_slot, last.radius_max),
      TX_MEMBER(tx_horizon_slot, last.radius_mean),
      TX_MEMBER(tx_horizon_slot, last.radius_areal),
  };
  static const tx_members members = TX_MEMBERS(tx_horizon_slot, slot);
  tx_records_add_members(list, "horizons/", &members, h->slot, (size_t)h->n_surfaces);
}

/* Dimensions in which a place is the mirror image of another one, bit for bit; 0: it is none. */
static int image_of(int mirrors, const double x[3], const double y[3]) {
  int image = 0;
  for (int d = 0; d < 3; d++) {
    if (y[d] == x[d]) continue;
    if (!(mirrors >> d & 1) || y[d] != -x[d]) return 0;
    image |= 1 << d;
  }
  return image;
}

static void find_images(tx_horizons_scene *scene) {
  for (int a = 0; a < scene->n; a++)
    for (int b = 0; b < a && !scene->image[a]; b++) {
      scene->image[a] = image_of(scene->mirrors, scene->x[b], scene->x[a]);
      scene->original[a] = b;
    }
}

/* With psi = m/2r + c + ... near a puncture, c = 1 + \sum_b m_b/(2 d_ab), its horizon is near r = m/2c. A spin changes nothing of
 * that, however much it adds to c at the puncture: alone, the data are their own image in the sphere r = m/2. */
static double radius_at_start(const tx_adm_numbers *adm, int a) {
  double c = 1.0;
  for (int b = 0; b < adm->n; b++)
    if (b != a) c += 0.5 * adm->mass_bare[b] / tx_vec3_distance(adm->position[a], adm->position[b]);
  return 0.5 * adm->mass_bare[a] / c;
}

void tx_horizons_look(const tx_sim *sim, tx_horizons_scene *out) {
  const tx_adm_numbers *adm = &sim->adm;
  tx_domain domain;
  memset(out, 0, sizeof *out);
  out->t = sim->t;
  out->n = sim->tracker.n;
  if (out->n == 0 && sim->params->horizons_radius > 0) {
    out->n = 1; /* about the origin */
    out->radius[0] = sim->params->horizons_radius;
    out->forms = true;
  }
  for (int a = 0; a < sim->tracker.n; a++) {
    memcpy(out->x[a], sim->tracker.at[a].x, sizeof out->x[a]);
    out->mass[a] = adm->mass_adm[a];
    out->radius[a] = radius_at_start(adm, a);
  }
  out->common_below = sim->params->horizons_common_below;
  tx_sim_domain(sim->params, &domain);
  for (int d = 0; d < 3; d++)
    if (domain.low[d] == TX_FACE_REFLECT) out->mirrors |= 1 << d;
  find_images(out);
}

/* Is there a horizon about what surface k holds and more? */
static bool is_swallowed(const tx_horizons *h, int k) {
  for (int i = h->n_punctures; i < h->n_surfaces; i++) {
    const tx_horizon_slot *group = &h->slot[i];
    if (i != k && group->last.found && (h->slot[k].holds & ~group->holds) == 0) return true;
  }
  return false;
}

bool tx_horizons_due(const tx_horizons *h, const tx_horizons_scene *scene, int k) {
  const tx_horizon_slot *slot = &h->slot[k];
  if (slot->wait > 0 || slot->holds == 0) return false;
  if (is_group(h, k) && !slot->last.found) return tx_horizons_near(h, scene, k);
  return !(slot->failures >= FAILURES_MOST && is_swallowed(h, k));
}

/* Radius of a sphere about `centre` near the horizon k, when none was found so far. */
static double first_radius(const tx_horizons *h, const tx_horizons_scene *scene, int k,
                           const double centre[3]) {
  if (!is_group(h, k)) return scene->radius[k];
  double sum = 0.0, r = 0.0;
  for (int a = 0; a < scene->n; a++) {
    if (!(h->slot[k].holds >> a & 1)) continue;
    r = fmax(r, tx_vec3_distance(centre, scene->x[a]) + 0.8 * scene->mass[a]);
    sum += scene->mass[a];
  }
  return 1.2 * fmax(r, 0.9 * sum);
}

void tx_horizons_guess(const tx_horizons *h, const tx_horizons_scene *scene, int k,
                       tx_surface *out) {
  const tx_horizon_slot *slot = &h->slot[k];
  const tx_horizon *last = &slot->last;
  double centre[3], factor = factors[slot->failures % N_FACTORS];
  tx_horizons_centre(scene, slot->holds, centre);
  if (!last->found) {
    tx_surface_sphere(h->l_max, centre, factor * first_radius(h, scene, k, centre), out);
    return;
  }
  *out = last->surface;
  for (int d = 0; d < 3; d++) out->centre[d] += centre[d] - slot->anchor[d];
  if (slot->failures > 0) tx_surface_sphere(h->l_max, out->centre, factor * last->radius_mean, out);
}

static bool is_inside(const tx_surface *s, const double x[3]) {
  double r = tx_vec3_distance(x, s->centre), n[3];
  if (r == 0.0) return true;
  for (int d = 0; d < 3; d++) n[d] = (x[d] - s->centre[d]) / r;
  return r < tx_surface_radius(s, n);
}

/* A surface has all punctures inside that it is about, and no other one. */
static bool is_what_was_sought(const tx_horizons_scene *scene, int64_t holds, const tx_surface *s) {
  for (int a = 0; a < scene->n; a++)
    if (is_inside(s, scene->x[a]) != (holds >> a & 1)) return false;
  return true;
}

/* A group that was just seen for the first time has its number from now on. */
static void give_number(tx_horizons *h, int k) {
  int to = h->n_punctures;
  while (to < k && h->slot[to].first_seen >= 0.0) to++;
  const tx_horizon_slot first = h->slot[to];
  h->slot[to] = h->slot[k];
  h->slot[k] = first;
}

void tx_horizons_note(tx_horizons *h, const tx_horizons_scene *scene, int k,
                      const tx_horizon *result) {
  tx_horizon_slot *slot = &h->slot[k];
  slot->at = *result;
  slot->looked = true;
  if (!result->found || !is_what_was_sought(scene, slot->holds, &result->surface)) {
    slot->at.found = false;
    slot->failures++;
    int skip = slot->failures > 5 ? WAIT_MOST : (1 << (slot->failures - 1)) - 1;
    bool awaited = (is_group(h, k) || scene->forms) && !slot->last.found;
    slot->wait = awaited ? 0 : skip < WAIT_MOST ? skip : WAIT_MOST;
    return;
  }
  slot->last = *result;
  slot->last_seen = scene->t;
  tx_horizons_centre(scene, slot->holds, slot->anchor);
  slot->failures = slot->wait = 0;
  if (slot->first_seen >= 0.0) return;
  slot->first_seen = scene->t;
  if (is_group(h, k)) give_number(h, k);
}

/* Sign of the real harmonic (l, m) under the mirrors: m < 0 stands for sin(|m| phi). */
static double harmonic_parity(int l, int m, int mirror) {
  bool odd_m = m & 1, sine = m < 0, odd = false;
  if (mirror & 1) odd ^= odd_m ^ sine;
  if (mirror & 2) odd ^= sine;
  if (mirror & 4) odd ^= (l & 1) ^ odd_m;
  return odd ? -1.0 : 1.0;
}

/* Zeros keep their sign, so that an image differs from its original in nothing else. */
static double turned(double x, bool turn) {
  return turn && x != 0.0 ? -x : x;
}

void tx_horizon_mirrored(const tx_horizon *of, int mirror, tx_horizon *out) {
  bool handed = __builtin_parity((unsigned)mirror);
  *out = *of;
  for (int d = 0; d < 3; d++) {
    bool across = mirror >> d & 1;
    out->surface.centre[d] = turned(of->surface.centre[d], across);
    out->centroid[d] = turned(of->centroid[d], across);
    out->spin[d] = turned(of->spin[d], across != handed); /* axial vectors */
    out->spin_coordinate[d] = turned(of->spin_coordinate[d], across != handed);
  }
  for (int l = 0; l <= of->surface.l_max; l++)
    for (int m = -l; m <= l; m++) {
      int i = l * l + l + m;
      out->surface.a[i] = turned(of->surface.a[i], harmonic_parity(l, m, mirror) < 0.0);
    }
}

/* The punctures that a horizon must have inside all the way: what leaves one of a group outside is no common horizon any
 * more. */
static int list_inside(const tx_horizons *h, const tx_horizons_scene *scene, int k,
                       double x[TX_PUNCTURES_MAX][3]) {
  int n = 0;
  for (int a = 0; a < scene->n && is_group(h, k); a++)
    if (h->slot[k].holds >> a & 1) memcpy(x[n++], scene->x[a], sizeof x[0]);
  return n;
}

static tx_status look_for(tx_horizons *h, tx_sim *sim, const tx_horizons_scene *scene, int k) {
  tx_horizon result;
  const bool single = !is_group(h, k);
  if (single && scene->image[k] && h->slot[scene->original[k]].looked)
    tx_horizon_mirrored(&h->slot[scene->original[k]].at, scene->image[k], &result);
  else {
    tx_surface guess;
    double x[TX_PUNCTURES_MAX][3];
    const int n = list_inside(h, scene, k, x);
    tx_horizons_guess(h, scene, k, &guess);
    TX_TRY(tx_horizon_find(h->finder, sim->exec, sim->u, &guess,
                           &(tx_horizon_points){n, (const double(*)[3])x}, &result));
  }
  tx_horizons_note(h, scene, k, &result);
  return TX_OK;
}

tx_status tx_horizons_find(tx_horizons *h, tx_sim *sim) {
  tx_horizons_scene scene;
  tx_status status = TX_OK;
  tx_phase_begin(TX_PHASE_HORIZONS);
  tx_horizons_look(sim, &scene);
  tx_horizons_plan(h, &scene);
  for (int k = 0; k < h->n_surfaces; k++) h->slot[k].looked = false;
  for (int k = 0; k < h->n_surfaces && status == TX_OK; k++) {
    if (tx_horizons_due(h, &scene, k))
      status = look_for(h, sim, &scene, k);
    else if (h->slot[k].wait > 0)
      h->slot[k].wait--;
  }
  tx_phase_end(TX_PHASE_HORIZONS);
  return status;
}
