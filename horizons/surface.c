#include <math.h>
#include <string.h>
#include "horizons/internal.h"

/* Surfaces that are less round than this, largest over smallest radius, are given up; in steps
 * of bisection a radius is found to round-off. */
static const double RADII_RATIO = 10.0;
enum { BISECTIONS = 60 };

void tx_surface_sphere(int l_max, const double centre[3], double r, tx_surface *out) {
  memset(out, 0, sizeof *out);
  out->l_max = l_max;
  memcpy(out->centre, centre, sizeof out->centre);
  out->a[0] = r * sqrt(4.0 * M_PI);
}

double tx_surface_radius(const tx_surface *s, const double n[3]) {
  double y[TX_HORIZON_COEFFICIENTS], r = 0.0;
  tx_sphere_harmonics_at(s->l_max, n, y);
  for (int i = 0; i < (s->l_max + 1) * (s->l_max + 1); i++) r += s->a[i] * y[i];
  return r;
}

bool tx_harmonic_allowed(int mirror, int l, int m) {
  bool sine = m < 0, odd_m = m % 2 != 0;
  if (mirror & 1 && sine != odd_m) return false;
  if (mirror & 2 && sine) return false;
  if (mirror & 4 && (l + m) % 2 != 0) return false;
  return true;
}

static void choose_modes(tx_horizon_finder *f, const tx_surface *guess) {
  int here = (f->l_max + 1) * (f->l_max + 1), there = (guess->l_max + 1) * (guess->l_max + 1);
  f->n_modes = 0;
  for (int i = 0; i < here; i++) {
    int l, m;
    tx_sphere_mode(i, &l, &m);
    if (!tx_harmonic_allowed(f->mirror, l, m)) continue;
    f->mode[f->n_modes++] = i;
    f->surface.a[i] = i < there ? guess->a[i] : 0.0;
  }
}

static void choose_points(tx_horizon_finder *f) {
  f->n_points = 0;
  for (int p = 0; p < f->sphere.n; p++) {
    double n[3], e[2][3], weight = f->sphere.weight[p / f->sphere.n_phi];
    bool image = false;
    tx_sphere_frame(&f->sphere, p, n, e);
    for (int d = 0; d < 3; d++)
      if (f->mirror >> d & 1) {
        image = image || n[d] < 0.0;
        weight *= 2.0;
      }
    if (image) continue;
    tx_surface_jet *jet = &f->jet[f->n_points];
    memcpy(jet->n, n, sizeof n);
    memcpy(jet->e, e, sizeof e);
    memcpy(f->normal[f->n_points], n, sizeof n);
    f->weight[f->n_points] = weight;
    f->point[f->n_points++] = p;
  }
}

void tx_search_begin(tx_horizon_finder *f, const tx_surface *guess) {
  tx_surface_sphere(f->l_max, guess->centre, 0.0, &f->surface);
  f->mirror = 0;
  for (int d = 0; d < 3; d++)
    f->mirror |= (f->domain.low[d] == TX_FACE_REFLECT && guess->centre[d] == 0.0) << d;
  choose_modes(f, guess);
  choose_points(f);
}

/* Height and derivatives at point i, harmonics kept for projections. */
static void place_point(tx_horizon_finder *f, int i) {
  double y[TX_HORIZON_COEFFICIENTS][6], sum[6] = {0.0};
  double *keep = f->harmonic + (size_t)i * (size_t)f->n_modes;
  tx_sphere_harmonics(&f->sphere, f->point[i], f->n_modes, f->mode, y);
  for (int k = 0; k < f->n_modes; k++) {
    keep[k] = y[k][0];
    for (int c = 0; c < 6; c++) sum[c] += f->surface.a[f->mode[k]] * y[k][c];
  }
  tx_surface_jet *jet = &f->jet[i];
  jet->h = sum[0];
  memcpy(jet->d, sum + 1, sizeof jet->d);
  memcpy(jet->dd, sum + 3, sizeof jet->dd);
  for (int d = 0; d < 3; d++) f->x[i][d] = f->surface.centre[d] + jet->h * jet->n[d];
}

static bool inside(const tx_domain *domain, const double x[3]) {
  for (int d = 0; d < 3; d++) {
    double at = domain->low[d] == TX_FACE_REFLECT ? fabs(x[d]) : x[d];
    if (!(at >= -domain->extent && at < domain->extent)) return false;
  }
  return true;
}

bool tx_search_place(tx_horizon_finder *f, double spacing) {
#pragma omp parallel for schedule(static)
  for (int i = 0; i < f->n_points; i++) place_point(f, i);
  double low = INFINITY, high = 0.0;
  for (int i = 0; i < f->n_points; i++) {
    if (!inside(&f->domain, f->x[i])) return false;
    low = fmin(low, f->jet[i].h);
    high = fmax(high, f->jet[i].h);
  }
  return low > 0.0 && high < RADII_RATIO * low && high > 2.0 * spacing;
}

void tx_search_offset(const tx_horizon_finder *f, double offset[3]) {
  const double *a = f->surface.a, scale = sqrt(0.75 / M_PI);
  offset[0] = scale * a[3];
  offset[1] = scale * a[1];
  offset[2] = scale * a[2];
}

/* Distance from centre + offset to the surface along n, by bisection; NaN if the new centre is
 * outside. */
static double distance(const tx_surface *s, const double offset[3], const double n[3],
                       double most) {
  double low = 0.0, high = most;
  for (int step = 0; step < BISECTIONS; step++) {
    double t = 0.5 * (low + high), y[3], r2 = 0.0;
    for (int d = 0; d < 3; d++) {
      y[d] = offset[d] + t * n[d];
      r2 += y[d] * y[d];
    }
    if (!(r2 > 0.0) || sqrt(r2) < tx_surface_radius(s, y))
      low = t;
    else
      high = t;
  }
  return low > 0.0 && high < most ? 0.5 * (low + high) : NAN;
}

bool tx_search_recentre(tx_horizon_finder *f, const double offset[3]) {
  tx_surface old = f->surface;
  double most = 0.0,
         shift = sqrt(offset[0] * offset[0] + offset[1] * offset[1] + offset[2] * offset[2]);
  for (int i = 0; i < f->n_points; i++) most = fmax(most, 2.0 * f->jet[i].h + 2.0 * shift);
  bool good = true;
#pragma omp parallel for schedule(static) reduction(&& : good)
  for (int i = 0; i < f->n_points; i++) {
    f->jet[i].h = distance(&old, offset, f->jet[i].n, most);
    good = good && isfinite(f->jet[i].h);
  }
  if (!good) return false;
  for (int d = 0; d < 3; d++) f->surface.centre[d] = old.centre[d] + offset[d];
  for (int k = 0; k < f->n_modes; k++) {
    double sum = 0.0;
    for (int i = 0; i < f->n_points; i++)
      sum += f->weight[i] * f->harmonic[(size_t)i * (size_t)f->n_modes + (size_t)k] * f->jet[i].h;
    f->surface.a[f->mode[k]] = sum;
  }
  return true;
}
