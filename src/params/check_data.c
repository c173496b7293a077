/* Demands of the parameters of the initial data on each other. */
#include "base/vec3.h"
#include "params/table.h"

#include <math.h>
#include <string.h>

/* Data of Bowen and York reach no larger S / M_ADM^2 (gr-qc/0108076); so neither does a puncture
 * whose ADM mass is given. */
#define LARGEST_SPIN 0.928

static const char *const dim_names[] = {"x", "y", "z"};

/* Plane waves fill all space, so they fit only into a box that repeats itself. */
static tx_status check_plane_wave(const tx_params *p, const tx_param_source *s) {
  if (p->initial_data_type != TX_ID_GAUGE_WAVE && p->initial_data_type != TX_ID_LINEAR_WAVE)
    return TX_OK;
  TX_DEMAND(p->grid_periodic == TX_DIMS_XYZ, s, grid_periodic,
            "a plane wave needs periodic faces along and across its direction; give xyz");
  double waves = 2 * p->grid_extent / p->initial_data_wavelength;
  TX_DEMAND(waves > 0.5 && fabs(waves - round(waves)) <= 1e-12 * waves, s, initial_data_wavelength,
            "%g M does not divide the periodic domain of %g M; give %g", p->initial_data_wavelength,
            2 * p->grid_extent, 2 * p->grid_extent / fmax(1, round(waves)));
  TX_DEMAND(p->initial_data_amplitude < 1, s, initial_data_amplitude,
            "%g makes the metric of a plane wave singular; give less than 1",
            p->initial_data_amplitude);
  return TX_OK;
}

/* Its seed is e^-25 times as large there as at its centre. */
#define BRILL_WIDTHS 5.0

/* Between these \Delta\psi + V \psi = 0 has a solution that is positive; at them the operator has an eigenvalue of 0, and the mass
 * no bound (tests/science/test_brill.py finds them). */
#define BRILL_LEAST (-6.513)
#define BRILL_MOST  20.005
static tx_status check_amplitude(const tx_params *p, const tx_param_source *s) {
  if (p->initial_data_type != TX_ID_BRILL_WAVE) {
    TX_DEMAND(p->initial_data_amplitude >= 0, s, initial_data_amplitude,
              "%g is not allowed; give 0 or more: only a Brill wave may have a negative one",
              p->initial_data_amplitude);
    return TX_OK;
  }
  TX_DEMAND(p->initial_data_amplitude >= BRILL_LEAST && p->initial_data_amplitude <= BRILL_MOST, s,
            initial_data_amplitude,
            "no Brill wave has amplitude %g, as no positive conformal factor solves the equation; "
            "give one from %g to %g",
            p->initial_data_amplitude, BRILL_LEAST, BRILL_MOST);
  TX_DEMAND(
      p->initial_data_wavelength <= p->grid_extent / BRILL_WIDTHS, s, initial_data_wavelength,
      "a Brill wave of width %g M reaches the outer boundary at grid.extent, %g M; give at most "
      "%g, or raise grid.extent",
      p->initial_data_wavelength, p->grid_extent, p->grid_extent / BRILL_WIDTHS);
  return TX_OK;
}

/* Is `x`, mirrored in dimension d, the place of `y`? */
static bool mirrored(const double *x, const double *y, int d) {
  for (int e = 0; e < 3; e++)
    if (y[e] != (e == d ? -x[e] : x[e])) return false;
  return true;
}

/* Is the axial vector `s`, mirrored in dimension d, `t`? */
static bool mirrored_spin(const double *s, const double *t, int d) {
  for (int e = 0; e < 3; e++)
    if (t[e] != (e == d ? s[e] : -s[e])) return false;
  return true;
}

static int finest_level(const tx_params *p, const tx_params_hole *h) {
  return h->level == -1 ? p->grid_level_max : h->level;
}

static bool inside(const tx_params *p, const double *x) {
  for (int d = 0; d < 3; d++) {
    bool reflects = p->grid_reflect >> d & 1;
    if (x[d] >= p->grid_extent || x[d] < -p->grid_extent) return false;
    if (reflects && x[d] == -p->grid_extent) return false;
  }
  return true;
}

/* Puncture b is the mirror image of puncture a < b in dimension d. */
static tx_status check_images(const tx_params *p, const tx_param_source *s, const int pair[2],
                              int d) {
  const char *name = dim_names[d];
  const int a = pair[0] + 1, b = pair[1] + 1;
  const tx_params_hole g = tx_params_hole_of(p, pair[0]), h = tx_params_hole_of(p, pair[1]);
  TX_DEMAND(g.mass == h.mass, s, initial_data_bhN_mass + pair[1],
            "%.17g differs from the mass of puncture %d, %.17g, whose mirror image in %s is "
            "puncture %d (grid.reflect); make them equal or do not reflect %s",
            h.mass, a, g.mass, name, b, name);
  TX_DEMAND(finest_level(p, &g) == finest_level(p, &h), s, grid_bhN_level + pair[1],
            "%d differs from grid.bh%d_level, %d, though puncture %d is the mirror image of "
            "puncture %d (grid.reflect); make them equal",
            h.level, a, g.level, b, a);
  TX_DEMAND(g.radius == h.radius, s, grid_bhN_radius + pair[1],
            "%.10g M differs from that of puncture %d, %.10g M, though puncture %d is its mirror "
            "image (grid.reflect); give both the same",
            h.radius, a, g.radius, b);
  TX_DEMAND(
      mirrored(g.momentum, h.momentum, d), s, initial_data_bhN_momentum + pair[1],
      "is not the mirror image of bh%d_momentum, though puncture %d is that of puncture %d in "
      "%s (grid.reflect): give bh%d_momentum with the sign of %s changed, or do not reflect %s",
      a, b, a, name, a, name, name);
  TX_DEMAND(
      mirrored_spin(g.spin, h.spin, d), s, initial_data_bhN_spin + pair[1],
      "is not the mirror image of bh%d_spin, though puncture %d is that of puncture %d in %s "
      "(grid.reflect): give bh%d_spin with the signs of all but %s changed, or do not reflect "
      "%s",
      a, b, a, name, a, name, name);
  return TX_OK;
}

/* Return another remedy for puncture a, off the mirror, to have an image. */
static const char *image_remedy(int a, int n) {
  static const char *const of_two[] = {"make puncture 2 its mirror image, ",
                                       "make it the mirror image of puncture 1, "};
  return n == 1 ? "" : n == 2 ? of_two[a] : "make another puncture its mirror image, ";
}

/* Puncture `a` is its own mirror image in dimension d. */
static tx_status check_own_image(const tx_params *p, const tx_param_source *s, int a, int d) {
  const char *name = dim_names[d];
  const tx_params_hole h = tx_params_hole_of(p, a);
  const double *x = h.position, *P = h.momentum, *S = h.spin;
  TX_DEMAND(x[d] == 0, s, initial_data_bhN_position + a,
            "%s = %g breaks the reflection symmetry of grid.reflect; give %s = 0, %sor take %s "
            "out of grid.reflect",
            name, x[d], name, image_remedy(a, tx_params_punctures(p)), name);
  TX_DEMAND(P[d] == 0, s, initial_data_bhN_momentum + a,
            "%s = %g breaks the reflection symmetry of grid.reflect; give %s = 0, or take %s out "
            "of grid.reflect",
            name, P[d], name, name);
  for (int e = 0; e < 3; e++)
    TX_DEMAND(e == d || S[e] == 0, s, initial_data_bhN_spin + a,
              "%s = %g breaks the reflection symmetry of grid.reflect: a spin may only point "
              "along %s; give %s = 0, or take %s out of grid.reflect",
              dim_names[e], S[e], name, dim_names[e], name);
  return TX_OK;
}

/* The puncture at the mirror image of puncture a in dimension d; -1: none. */
static int find_image(const tx_params *p, int n, int a, int d) {
  const double *x = tx_params_hole_of(p, a).position;
  for (int b = 0; b < n; b++)
    if (mirrored(x, tx_params_hole_of(p, b).position, d)) return b;
  return -1;
}

/* The data must be their own mirror image wherever grid.reflect says so. */
static tx_status check_mirror(const tx_params *p, const tx_param_source *s) {
  const int n = tx_params_punctures(p);
  for (int d = 0; d < 3; d++) {
    for (int a = 0; a < n && (p->grid_reflect >> d & 1); a++) {
      const int image = find_image(p, n, a, d);
      if (image == a || image < 0) TX_TRY(check_own_image(p, s, a, d));
      if (image > a) TX_TRY(check_images(p, s, (int[2]){a, image}, d));
    }
  }
  return TX_OK;
}

static tx_status check_hole(const tx_params *p, const tx_param_source *s, int a, const char *type) {
  const tx_params_hole h = tx_params_hole_of(p, a);
  const double *x = h.position;
  TX_DEMAND(h.mass > 0, s, initial_data_bhN_mass + a,
            "initial_data.type %s needs a mass above 0 M%s", type,
            tx_params_punctures(p) == 2 ? "; for one puncture give single_puncture" : "");
  TX_DEMAND(inside(p, x), s, initial_data_bhN_position + a,
            "(%g, %g, %g) lies outside the domain; raise grid.extent, which is %g M", x[0], x[1],
            x[2], p->grid_extent);
  double chi = tx_vec3_norm(h.spin) / (h.mass * h.mass);
  TX_DEMAND(p->initial_data_masses == TX_MASSES_BARE || chi < LARGEST_SPIN, s,
            initial_data_bhN_spin + a,
            "%.4g M^2 is %.4g of the square of the ADM mass, %g M; punctures reach less than %g: "
            "lower it or raise the mass",
            tx_vec3_norm(h.spin), chi, h.mass, LARGEST_SPIN);
  return TX_OK;
}

/* No two punctures at one place, and none with a mass behind one without. */
static tx_status check_places(const tx_params *p, const tx_param_source *s) {
  const int n = tx_params_punctures(p);
  for (int b = n; b < TX_PUNCTURES_MAX && p->initial_data_type == TX_ID_PUNCTURES; b++) {
    const tx_params_hole h = tx_params_hole_of(p, b);
    TX_DEMAND(
        !(h.mass > 0), s, initial_data_bhN_mass + b,
        "puncture %d has no mass, so this one would be ignored; number punctures without gaps",
        n + 1);
  }
  for (int a = 0; a < n; a++)
    for (int b = a + 1; b < n; b++) {
      const tx_params_hole g = tx_params_hole_of(p, a), h = tx_params_hole_of(p, b);
      const double *x = g.position, *y = h.position;
      TX_DEMAND(x[0] != y[0] || x[1] != y[1] || x[2] != y[2], s, initial_data_bhN_position + b,
                "is also the position of puncture %d; give another%s", a + 1,
                n == 2 ? ", or use single_puncture" : ", or remove one");
    }
  return TX_OK;
}

static tx_status check_punctures(const tx_params *p, const tx_param_source *s) {
  static const char *const types[] = {
      [TX_ID_PUNCTURE] = "single_puncture",
      [TX_ID_BRILL_LINDQUIST] = "brill_lindquist",
      [TX_ID_TWO_PUNCTURES] = "two_punctures",
      [TX_ID_PUNCTURES] = "punctures",
  };
  for (int a = 0; a < tx_params_punctures(p); a++)
    TX_TRY(check_hole(p, s, a, types[p->initial_data_type]));
  TX_TRY(check_places(p, s));
  return check_mirror(p, s);
}

static tx_status check_quasi_circular(const tx_params *p, const tx_param_source *s) {
  double D = p->initial_data_separation, q = p->initial_data_mass_ratio;
  double farthest = D * fmax(q, 1.0) / (1.0 + q);
  TX_DEMAND(
      farthest < p->grid_extent, s, initial_data_separation,
      "a puncture %g M from the origin lies outside the domain; lower it or raise grid.extent, "
      "which is %g M",
      farthest, p->grid_extent);
  for (int d = 0; d < 2; d++)
    TX_DEMAND(!(p->grid_reflect >> d & 1), s, grid_reflect,
              "a binary in orbit about z has no reflection symmetry in %s; give z or none",
              dim_names[d]);
  for (int a = 0; a < 2; a++) {
    const double *chi = p->initial_data_bhN_chi[a];
    TX_DEMAND(tx_vec3_norm(chi) < LARGEST_SPIN, s, initial_data_bhN_chi + a,
              "a spin of %.4g is not allowed: punctures reach less than %g; lower it",
              tx_vec3_norm(chi), LARGEST_SPIN);
    TX_DEMAND(!(p->grid_reflect & TX_DIMS_Z) || (chi[0] == 0 && chi[1] == 0), s,
              initial_data_bhN_chi + a,
              "a spin in the orbital plane breaks the reflection symmetry of grid.reflect; give x "
              "= y = 0, or take z out of grid.reflect");
  }
  return TX_OK;
}

/* A system of equations starts from a profile of its own, or from data of gravity if it has their variables. */
static tx_status check_start(const tx_params *p, const tx_param_source *s) {
  const char *system = tx_param_system_name(p);
  char list[TX_PARAM_TEXT_MAX / 2];
  const bool some = tx_param_profiles(p, list, sizeof list);
  if (p->initial_data_type == TX_ID_PROFILE) {
    TX_DEMAND(some, s, initial_data_type, "the system %s has no profiles; give another type",
              system);
    TX_DEMAND(tx_params_profile(p) >= 0, s, initial_data_profile,
              "\"%s\" is no profile of the system %s; give %s", p->initial_data_profile, system,
              list);
    return TX_OK;
  }
  TX_DEMAND(tx_params_has(p, TX_HAS_GRAVITY), s, initial_data_type,
            "the system %s does not have the variables of these data%s%s", system,
            some ? "; give profile, and as initial_data.profile "
                 : ", and no profiles in INITIAL of its system.py",
            some ? list : "");
  return TX_OK;
}

tx_status tx_param_check_data(const tx_params *p, const tx_param_source *s) {
  TX_TRY(check_start(p, s));
  int n = p->initial_data_resolution;
  TX_DEMAND(n == 0 || (n >= 8 && n % 2 == 0), s, initial_data_resolution,
            "%d is not allowed; give 0 or an even number from 8 to 128", n);
  TX_DEMAND(p->elliptic_order % 2 == 0, s, elliptic_order, "%d is not allowed; give 2, 4 or 6",
            p->elliptic_order);
  TX_TRY(check_plane_wave(p, s));
  TX_TRY(check_amplitude(p, s));
  TX_DEMAND(!(tx_params_punctures(p) > 0 && p->gauge_slow_start > 0) ||
                p->initial_data_lapse == TX_LAPSE_PSI_MINUS_2,
            s, initial_data_lapse,
            "gauge.slow_start would pull this lapse to psi^-2 at once, at the cost of the "
            "constraints; give psi^-2, or gauge.slow_start 0");
  if (p->initial_data_type == TX_ID_QUASI_CIRCULAR) return check_quasi_circular(p, s);
  return tx_params_punctures(p) > 0 ? check_punctures(p, s) : TX_OK;
}
