/* What the parameters of the initial data demand of each other. */
#include "params/table.h"

#include <math.h>
#include <string.h>

/* Data of Bowen and York reach no larger S / M_ADM^2 (gr-qc/0108076); so neither does a puncture
 * whose ADM mass is given. */
#define LARGEST_SPIN 0.928

static const char *const dim_names[] = {"x", "y", "z"};

/* A puncture as its parameters describe it. */
typedef struct hole {
  double mass;
  const double *position, *momentum, *spin;
  int mass_index, position_index, momentum_index, spin_index;
} hole;

static hole hole_of(const tx_params *p, int a) {
#define HOLE(n)                                                                                    \
  (hole) {                                                                                         \
    .mass = p->initial_data_bh##n##_mass, .position = p->initial_data_bh##n##_position,            \
    .momentum = p->initial_data_bh##n##_momentum, .spin = p->initial_data_bh##n##_spin,            \
    .mass_index = TX_PARAM_initial_data_bh##n##_mass,                                              \
    .position_index = TX_PARAM_initial_data_bh##n##_position,                                      \
    .momentum_index = TX_PARAM_initial_data_bh##n##_momentum,                                      \
    .spin_index = TX_PARAM_initial_data_bh##n##_spin                                               \
  }
  return a == 0 ? HOLE(1) : HOLE(2);
#undef HOLE
}

static double norm(const double *x) {
  return sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
}

int tx_param_punctures(const tx_params *p) {
  switch (p->initial_data_type) {
  case TX_ID_PUNCTURE:
    return 1;
  case TX_ID_BRILL_LINDQUIST:
  case TX_ID_TWO_PUNCTURES:
  case TX_ID_QUASI_CIRCULAR:
    return 2;
  default:
    return 0;
  }
}

bool tx_param_solved(const tx_params *p) {
  if (p->initial_data_type == TX_ID_PUNCTURE)
    return norm(p->initial_data_bh1_momentum) > 0 || norm(p->initial_data_bh1_spin) > 0;
  return p->initial_data_type == TX_ID_TWO_PUNCTURES ||
         p->initial_data_type == TX_ID_QUASI_CIRCULAR;
}

/* Plane waves fill all space, so they fit only into a box that repeats itself. */
static tx_status check_plane_wave(const tx_params *p, const param_source *s) {
  if (p->initial_data_type != TX_ID_GAUGE_WAVE && p->initial_data_type != TX_ID_LINEAR_WAVE)
    return TX_OK;
  DEMAND(p->grid_periodic == TX_DIMS_XYZ, s, grid_periodic,
         "a plane wave needs periodic faces in its direction and across it; give xyz");
  double waves = 2 * p->grid_extent / p->initial_data_wavelength;
  DEMAND(waves > 0.5 && fabs(waves - round(waves)) <= 1e-12 * waves, s, initial_data_wavelength,
         "%g M does not go a whole number of times into the periodic domain of %g M; give %g",
         p->initial_data_wavelength, 2 * p->grid_extent,
         2 * p->grid_extent / fmax(1, round(waves)));
  DEMAND(p->initial_data_amplitude < 1, s, initial_data_amplitude,
         "%g makes the metric of a plane wave singular; give less than 1",
         p->initial_data_amplitude);
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

static int finest_level(const tx_params *p, int level) {
  return level == -1 ? p->grid_level_max : level;
}

static bool inside(const tx_params *p, const double *x) {
  for (int d = 0; d < 3; d++) {
    bool reflects = p->grid_reflect >> d & 1;
    if (x[d] >= p->grid_extent || x[d] < -p->grid_extent) return false;
    if (reflects && x[d] == -p->grid_extent) return false;
  }
  return true;
}

/* Puncture 2 is the mirror image of puncture 1 in dimension d. */
static tx_status check_images(const tx_params *p, const param_source *s, int d) {
  const char *name = dim_names[d];
  DEMAND(p->initial_data_bh1_mass == p->initial_data_bh2_mass, s, initial_data_bh2_mass,
         "%.17g is not the mass of puncture 1, %.17g, whose mirror image in %s puncture 2 is "
         "(grid.reflect); make them equal or do not reflect %s",
         p->initial_data_bh2_mass, p->initial_data_bh1_mass, name, name);
  DEMAND(finest_level(p, p->grid_bh1_level) == finest_level(p, p->grid_bh2_level), s,
         grid_bh2_level,
         "%d is not grid.bh1_level, %d, though puncture 2 is the mirror image of puncture 1 "
         "(grid.reflect); make them equal",
         p->grid_bh2_level, p->grid_bh1_level);
  DEMAND(mirrored(p->initial_data_bh1_momentum, p->initial_data_bh2_momentum, d), s,
         initial_data_bh2_momentum,
         "is not the mirror image of bh1_momentum, though puncture 2 is that of puncture 1 in %s "
         "(grid.reflect): give bh1_momentum with the sign of %s changed, or do not reflect %s",
         name, name, name);
  DEMAND(mirrored_spin(p->initial_data_bh1_spin, p->initial_data_bh2_spin, d), s,
         initial_data_bh2_spin,
         "is not the mirror image of bh1_spin, though puncture 2 is that of puncture 1 in %s "
         "(grid.reflect): give bh1_spin with the signs of all but %s changed, or do not reflect %s",
         name, name, name);
  return TX_OK;
}

/* Puncture `a` is its own mirror image in dimension d. */
static tx_status check_own_image(const tx_params *p, const param_source *s, int a, int d) {
  static const char *const remedies[] = {"", "make puncture 2 its mirror image, ",
                                         "make it the mirror image of puncture 1, "};
  const char *name = dim_names[d];
  const hole h = hole_of(p, a);
  DEMAND_OF(h.position[d] == 0, s, h.position_index,
            "%s = %g breaks the reflection symmetry of grid.reflect; give %s = 0, %sor take %s "
            "out of grid.reflect",
            name, h.position[d], name, remedies[tx_param_punctures(p) == 2 ? 1 + a : 0], name);
  DEMAND_OF(h.momentum[d] == 0, s, h.momentum_index,
            "%s = %g breaks the reflection symmetry of grid.reflect; give %s = 0, or take %s out "
            "of grid.reflect",
            name, h.momentum[d], name, name);
  for (int e = 0; e < 3; e++)
    DEMAND_OF(e == d || h.spin[e] == 0, s, h.spin_index,
              "%s = %g breaks the reflection symmetry of grid.reflect: a spin may only point "
              "along %s; give %s = 0, or take %s out of grid.reflect",
              dim_names[e], h.spin[e], name, dim_names[e], name);
  return TX_OK;
}

/* The data must be their own mirror image wherever grid.reflect says so. */
static tx_status check_mirror(const tx_params *p, const param_source *s) {
  int n = tx_param_punctures(p);
  const double *x1 = p->initial_data_bh1_position, *x2 = p->initial_data_bh2_position;
  for (int d = 0; d < 3; d++) {
    if (!(p->grid_reflect >> d & 1)) continue;
    if (n == 2 && x1[d] != 0 && mirrored(x1, x2, d)) {
      TX_TRY(check_images(p, s, d));
      continue;
    }
    for (int a = 0; a < n; a++) TX_TRY(check_own_image(p, s, a, d));
  }
  return TX_OK;
}

static tx_status check_hole(const tx_params *p, const param_source *s, int a, const char *type) {
  const hole h = hole_of(p, a);
  DEMAND_OF(h.mass > 0, s, h.mass_index, "initial_data.type %s needs a mass above 0 M%s", type,
            tx_param_punctures(p) == 2 ? "; for one puncture give single_puncture" : "");
  DEMAND_OF(inside(p, h.position), s, h.position_index,
            "(%g, %g, %g) lies outside the domain; raise grid.extent, which is %g M", h.position[0],
            h.position[1], h.position[2], p->grid_extent);
  double chi = norm(h.spin) / (h.mass * h.mass);
  DEMAND_OF(p->initial_data_masses == TX_MASSES_BARE || chi < LARGEST_SPIN, s, h.spin_index,
            "%.4g M^2 is %.4g of the square of the ADM mass, %g M; punctures reach less than %g: "
            "lower it or raise the mass",
            norm(h.spin), chi, h.mass, LARGEST_SPIN);
  return TX_OK;
}

static tx_status check_punctures(const tx_params *p, const param_source *s) {
  static const char *const types[] = {
      [TX_ID_PUNCTURE] = "single_puncture",
      [TX_ID_BRILL_LINDQUIST] = "brill_lindquist",
      [TX_ID_TWO_PUNCTURES] = "two_punctures",
  };
  const int n = tx_param_punctures(p);
  const double *x1 = p->initial_data_bh1_position, *x2 = p->initial_data_bh2_position;
  for (int a = 0; a < n; a++) TX_TRY(check_hole(p, s, a, types[p->initial_data_type]));
  DEMAND(n == 1 || x1[0] != x2[0] || x1[1] != x2[1] || x1[2] != x2[2], s, initial_data_bh2_position,
         "is the position of puncture 1; give another, or use single_puncture");
  return check_mirror(p, s);
}

static tx_status check_quasi_circular(const tx_params *p, const param_source *s) {
  double D = p->initial_data_separation, q = p->initial_data_mass_ratio;
  double farthest = D * fmax(q, 1.0) / (1.0 + q);
  DEMAND(farthest < p->grid_extent, s, initial_data_separation,
         "a puncture %g M from the origin lies outside the domain; lower it or raise grid.extent, "
         "which is %g M",
         farthest, p->grid_extent);
  for (int d = 0; d < 2; d++)
    DEMAND(!(p->grid_reflect >> d & 1), s, grid_reflect,
           "a binary in orbit about z has no reflection symmetry in %s; give z or none",
           dim_names[d]);
  const double *chi[] = {p->initial_data_bh1_chi, p->initial_data_bh2_chi};
  const int index[] = {TX_PARAM_initial_data_bh1_chi, TX_PARAM_initial_data_bh2_chi};
  for (int a = 0; a < 2; a++) {
    DEMAND_OF(norm(chi[a]) < LARGEST_SPIN, s, index[a],
              "a spin of %.4g is not allowed: punctures reach less than %g; lower it", norm(chi[a]),
              LARGEST_SPIN);
    DEMAND_OF(!(p->grid_reflect & TX_DIMS_Z) || (chi[a][0] == 0 && chi[a][1] == 0), s, index[a],
              "a spin in the orbital plane breaks the reflection symmetry of grid.reflect; give x "
              "= y = 0, or take z out of grid.reflect");
  }
  return TX_OK;
}

tx_status tx_param_check_data(const tx_params *p, const param_source *s) {
  int n = p->initial_data_resolution;
  DEMAND(n == 0 || (n >= 8 && n % 2 == 0), s, initial_data_resolution,
         "%d is not allowed; give 0 or an even number from 8 to 128", n);
  TX_TRY(check_plane_wave(p, s));
  DEMAND(!(tx_param_punctures(p) > 0 && p->gauge_slow_start > 0) ||
             p->initial_data_lapse == TX_LAPSE_PSI_MINUS_2,
         s, initial_data_lapse,
         "a lapse other than psi^-2 would be pulled to it at once by gauge.slow_start, at the "
         "cost of the constraints; give psi^-2, or gauge.slow_start 0");
  if (p->initial_data_type == TX_ID_QUASI_CIRCULAR) return check_quasi_circular(p, s);
  return tx_param_punctures(p) > 0 ? check_punctures(p, s) : TX_OK;
}
