#include "evolve/horizons.h"

#include <math.h>
#include <string.h>
#include "base/timer.h"

/* A search in vain is followed by 2^(failures - 1) - 1 that are left out, up to this many. */
#define WAIT_MOST 15
/* Once a common horizon is there, the ones inside are given up after so many searches in vain. */
#define FAILURES_MOST 3
/* In the gauge of moving punctures holes get a common horizon at a distance of about 1.7 M head-on
 * (Brill-Lindquist data from 2.6 M) and less in orbits; at t = 0 the critical distance is 0.77 M. */
#define COMMON_BELOW 2.2
/* Spheres that are tried one after the other, about a guess of the radius. */
static const double factors[] = {1.0, 1.5, 2.25, 0.7};
#define N_FACTORS ((int)(sizeof factors / sizeof factors[0]))

tx_status tx_horizons_create(const tx_params *p, const tx_domain *domain, tx_horizons *out) {
  memset(out, 0, sizeof *out);
  out->l_max = p->horizons_l_max;
  for (int k = 0; k < TX_HORIZONS_MAX; k++) out->first_seen[k] = out->last_seen[k] = -1.0;
  return tx_horizon_finder_create(domain, p->horizons_l_max, &out->finder);
}

void tx_horizons_destroy(tx_horizons *h) {
  tx_horizon_finder_destroy(h->finder);
  memset(h, 0, sizeof *h);
}

bool tx_horizons_merged(const tx_horizons *h, double t, double delay) {
  const double since = h->first_seen[TX_HORIZONS_COMMON];
  return since >= 0.0 && t > since + delay;
}

int tx_horizons_remnant(const tx_horizons *h, int n_punctures) {
  int k = n_punctures == 1 ? 0 : TX_HORIZONS_COMMON;
  return h->last[k].found ? k : -1;
}

/* Numbers packed into a buffer, or unpacked from it. */
typedef struct archive {
  double *at;
  bool in;
} archive;

static void serialize(archive *f, double *value) {
  if (f->in)
    *f->at = *value;
  else
    *value = *f->at;
  f->at++;
}

static void serialize_int(archive *f, int *value) {
  double x = *value;
  serialize(f, &x);
  *value = (int)x;
}

static void serialize_all(archive *f, size_t n, double *values) {
  for (size_t i = 0; i < n; i++) serialize(f, &values[i]);
}

static void serialize_horizon(archive *f, tx_horizon *h) {
  int found = h->found;
  serialize_int(f, &found);
  h->found = found != 0;
  serialize_int(f, &h->surface.l_max);
  serialize_all(f, 3, h->surface.centre);
  serialize_all(f, TX_HORIZON_COEFFICIENTS, h->surface.a);
  serialize_int(f, &h->iterations);
  serialize(f, &h->residual);
  serialize(f, &h->area);
  serialize(f, &h->mass_irreducible);
  serialize(f, &h->mass);
  serialize_all(f, 3, h->spin);
  serialize(f, &h->chi);
  serialize_all(f, 3, h->centroid);
  serialize(f, &h->radius_min);
  serialize(f, &h->radius_max);
  serialize(f, &h->radius_mean);
  serialize(f, &h->radius_areal);
}

static void serialize_horizons(tx_horizons *h, bool in) {
  for (int k = 0; k < TX_HORIZONS_MAX; k++) {
    archive f = {.at = h->packed[k], .in = in};
    serialize_horizon(&f, &h->last[k]);
    serialize(&f, &h->first_seen[k]);
    serialize(&f, &h->last_seen[k]);
    serialize_all(&f, 3, h->anchor[k]);
    serialize_int(&f, &h->failures[k]);
    serialize_int(&f, &h->wait[k]);
  }
}

void tx_horizons_pack(tx_horizons *h) {
  serialize_horizons(h, true);
}

void tx_horizons_unpack(tx_horizons *h) {
  serialize_horizons(h, false);
}

/* Dimensions in which puncture 1 is the mirror image of puncture 0, bit for bit; 0: it is none. */
static int image_of(const tx_domain *domain, const double x[2][3]) {
  int image = 0;
  for (int d = 0; d < 3; d++) {
    if (x[1][d] == x[0][d]) continue;
    if (domain->low[d] != TX_FACE_REFLECT || x[1][d] != -x[0][d]) return 0;
    image |= 1 << d;
  }
  return image;
}

/* With psi = m/2r + M/m + ... near a puncture, M its ADM mass, its horizon is near r = m^2/2M. */
void tx_horizons_look(const tx_sim *sim, tx_horizons_scene *out) {
  const tx_adm_numbers *adm = &sim->adm;
  tx_domain domain;
  double sum = 0.0;
  memset(out, 0, sizeof *out);
  out->t = sim->t;
  out->n = sim->tracker.n;
  for (int a = 0; a < out->n; a++) {
    memcpy(out->x[a], sim->tracker.at[a].x, sizeof out->x[a]);
    out->mass[a] = adm->mass_adm[a];
    out->radius[a] = 0.5 * adm->mass_bare[a] * adm->mass_bare[a] / adm->mass_adm[a];
    sum += adm->mass_adm[a];
  }
  double asked = sim->params->horizons_common_below;
  out->common_below = asked > 0.0 ? asked : COMMON_BELOW * sum;
  tx_sim_domain(sim->params, &domain);
  if (out->n == 2) out->image = image_of(&domain, (const double(*)[3])out->x);
}

static double distance(const double a[3], const double b[3]) {
  return sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) +
              (a[2] - b[2]) * (a[2] - b[2]));
}

/* The place that surface k is about: a puncture, or the middle of both, weighted by their masses.
 * The middle of images is 0 to the last bit, fused operations or not. */
static void find_anchor(const tx_horizons_scene *scene, int k, double out[3]) {
  const double *m = scene->mass;
  for (int d = 0; d < 3; d++) {
    double a = scene->x[0][d], b = scene->x[1][d];
    out[d] = k < TX_HORIZONS_COMMON ? scene->x[k][d]
                                    : 0.5 * ((a + b) + (m[0] - m[1]) / (m[0] + m[1]) * (a - b));
  }
}

bool tx_horizons_due(const tx_horizons *h, const tx_horizons_scene *scene, int k) {
  if (h->wait[k] > 0) return false;
  if (k < TX_HORIZONS_COMMON)
    return k < scene->n && !(h->last[TX_HORIZONS_COMMON].found && h->failures[k] >= FAILURES_MOST);
  return scene->n == 2 &&
         (h->last[k].found || distance(scene->x[0], scene->x[1]) < scene->common_below);
}

/* Radius of a sphere about `centre` near the horizon k, when none was found so far. */
static double first_radius(const tx_horizons_scene *scene, int k, const double centre[3]) {
  if (k < TX_HORIZONS_COMMON) return scene->radius[k];
  double r = 0.9 * (scene->mass[0] + scene->mass[1]);
  for (int a = 0; a < 2; a++) r = fmax(r, distance(centre, scene->x[a]) + 0.8 * scene->mass[a]);
  return 1.2 * r;
}

void tx_horizons_guess(const tx_horizons *h, const tx_horizons_scene *scene, int k,
                       tx_surface *out) {
  const tx_horizon *last = &h->last[k];
  double centre[3], factor = factors[h->failures[k] % N_FACTORS];
  find_anchor(scene, k, centre);
  if (!last->found) {
    tx_surface_sphere(h->l_max, centre, factor * first_radius(scene, k, centre), out);
    return;
  }
  *out = last->surface;
  for (int d = 0; d < 3; d++) out->centre[d] += centre[d] - h->anchor[k][d];
  if (h->failures[k] > 0) tx_surface_sphere(h->l_max, out->centre, factor * last->radius_mean, out);
}

static bool is_inside(const tx_surface *s, const double x[3]) {
  double r = distance(x, s->centre), n[3];
  if (r == 0.0) return true;
  for (int d = 0; d < 3; d++) n[d] = (x[d] - s->centre[d]) / r;
  return r < tx_surface_radius(s, n);
}

/* A surface of a puncture holds this one only; the common one holds both. */
static bool is_what_was_sought(const tx_horizons_scene *scene, int k, const tx_surface *s) {
  for (int a = 0; a < scene->n; a++)
    if (is_inside(s, scene->x[a]) != (k == a || k == TX_HORIZONS_COMMON)) return false;
  return true;
}

void tx_horizons_note(tx_horizons *h, const tx_horizons_scene *scene, int k,
                      const tx_horizon *result) {
  h->at[k] = *result;
  h->looked[k] = true;
  if (!result->found || !is_what_was_sought(scene, k, &result->surface)) {
    h->at[k].found = false;
    h->failures[k]++;
    int skip = h->failures[k] > 5 ? WAIT_MOST : (1 << (h->failures[k] - 1)) - 1;
    bool awaited = k == TX_HORIZONS_COMMON && !h->last[k].found;
    h->wait[k] = awaited ? 0 : skip < WAIT_MOST ? skip : WAIT_MOST;
    return;
  }
  h->last[k] = *result;
  h->last_seen[k] = scene->t;
  if (h->first_seen[k] < 0.0) h->first_seen[k] = scene->t;
  find_anchor(scene, k, h->anchor[k]);
  h->failures[k] = h->wait[k] = 0;
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
    out->spin[d] = turned(of->spin[d], across != handed); /* an axial vector */
  }
  for (int l = 0; l <= of->surface.l_max; l++)
    for (int m = -l; m <= l; m++) {
      int i = l * l + l + m;
      out->surface.a[i] = turned(of->surface.a[i], harmonic_parity(l, m, mirror) < 0.0);
    }
}

/* What leaves a puncture outside on the way is no common horizon any more. */
static tx_status look_for(tx_horizons *h, tx_sim *sim, const tx_horizons_scene *scene, int k) {
  tx_horizon result;
  int around = k == TX_HORIZONS_COMMON ? scene->n : 0;
  if (k == 1 && scene->image && h->looked[0])
    tx_horizon_mirrored(&h->at[0], scene->image, &result);
  else {
    tx_surface guess;
    tx_horizons_guess(h, scene, k, &guess);
    TX_TRY(tx_horizon_find_around(h->finder, sim->exec, sim->u, &guess,
                                  &(tx_horizon_points){around, (const double(*)[3])scene->x},
                                  &result));
  }
  tx_horizons_note(h, scene, k, &result);
  return TX_OK;
}

tx_status tx_horizons_find(tx_horizons *h, tx_sim *sim) {
  tx_horizons_scene scene;
  tx_status status = TX_OK;
  tx_phase_begin(TX_PHASE_HORIZONS);
  tx_horizons_look(sim, &scene);
  for (int k = 0; k < TX_HORIZONS_MAX && status == TX_OK; k++) {
    h->looked[k] = false;
    if (tx_horizons_due(h, &scene, k))
      status = look_for(h, sim, &scene, k);
    else if (h->wait[k] > 0)
      h->wait[k]--;
  }
  tx_phase_end(TX_PHASE_HORIZONS);
  return status;
}
