#include "physics/initial_data/initial_data.h"

#include <math.h>
#include <string.h>
#include "base/memory.h"

static const char dim_names[3] = {'x', 'y', 'z'};

static tx_status punctures_create(const tx_params *p, tx_punctures *b) {
  const double mass[2] = {p->initial_data_bh1_mass, p->initial_data_bh2_mass};
  const double *position[2] = {p->initial_data_bh1_position, p->initial_data_bh2_position};
  b->n = p->initial_data_type == TX_ID_BRILL_LINDQUIST ? 2 : 1;
  b->lapse_one = p->initial_data_lapse == TX_LAPSE_ONE;
  for (int a = 0; a < b->n; a++) {
    TX_REQUIRE(mass[a] > 0.0, TX_ERR_PARAM,
               "initial_data.bh%d_mass: %g: this type of initial data needs a mass above 0", a + 1,
               mass[a]);
    b->mass[a] = mass[a];
    memcpy(b->position[a], position[a], sizeof b->position[a]);
  }
  return TX_OK;
}

static void plane_wave_create(const tx_params *p, tx_plane_wave *wave) {
  *wave = (tx_plane_wave){.axis = p->initial_data_direction,
                          .amplitude = p->initial_data_amplitude,
                          .wavelength = p->initial_data_wavelength};
}

/** The tensor C whose wave has the azimuthal number m: C_ij n^i n^j is the real harmonic of l = 2,
 *  cos(m phi) for m >= 0, sin(-m phi) for m < 0, the largest component being 1. */
static void quadrupole_tensor(int m, double C_dd[3][3]) {
  memset(C_dd, 0, 9 * sizeof(double));
  switch (m) {
  case 0:
    C_dd[0][0] = C_dd[1][1] = -0.5;
    C_dd[2][2] = 1.0;
    break;
  case 1:
    C_dd[0][2] = C_dd[2][0] = 1.0;
    break;
  case -1:
    C_dd[1][2] = C_dd[2][1] = 1.0;
    break;
  case 2:
    C_dd[0][0] = 1.0;
    C_dd[1][1] = -1.0;
    break;
  default:
    C_dd[0][1] = C_dd[1][0] = 1.0;
    break;
  }
}

static tx_status teukolsky_create(const tx_params *p, tx_teukolsky *wave) {
  wave->odd = p->initial_data_wave_parity == TX_PARITY_ODD;
  wave->amplitude = p->initial_data_amplitude;
  wave->width = p->initial_data_wavelength;
  quadrupole_tensor(p->initial_data_wave_m, wave->C_dd);
  TX_REQUIRE(wave->amplitude < 0.5, TX_ERR_PARAM,
             "initial_data.amplitude: %g: a Teukolsky wave solves the linear equations; choose an "
             "amplitude well below 0.5",
             wave->amplitude);
  return TX_OK;
}

static void noise_create(const tx_params *p, tx_noise *noise) {
  *noise = (tx_noise){.amplitude = p->initial_data_amplitude,
                      .extent = p->grid_extent,
                      .seed = (uint64_t)p->initial_data_seed,
                      .reflect = p->grid_reflect,
                      .periodic = p->grid_periodic};
  for (int d = 0; d < 3; d++)
    for (int v = 0; v < TX_VARS; v++)
      if (tx_variables[v].parity[d] < 0) noise->odd[d] |= (uint32_t)1 << v;
}

/** The data must have the domain's reflection symmetries: compare points with their mirror images.
 */
static tx_status symmetry_check(const tx_initial_data *id, const tx_params *p) {
  const double direction[5][3] = {{0.51, 0.62, 0.59},
                                  {0.93, 0.21, 0.31},
                                  {0.19, 0.95, 0.23},
                                  {0.23, 0.27, 0.94},
                                  {0.7, 0.7, 0.1}};
  for (int d = 0; d < 3; d++)
    for (int n = 0; n < 5 * 20 && (p->grid_reflect >> d & 1); n++) {
      double x[3], mirror[3], u[TX_VARS], w[TX_VARS], scale = 0.0;
      for (int i = 0; i < 3; i++)
        x[i] = mirror[i] = ldexp(direction[n % 5][i] * p->grid_extent, -(n / 5));
      mirror[d] = -mirror[d];
      tx_initial_data_point(id, x, u);
      tx_initial_data_point(id, mirror, w);
      for (int v = 0; v < TX_VARS; v++) scale = fmax(scale, fabs(u[v] - tx_variables[v].infinity));
      for (int v = 0; v < TX_VARS; v++) {
        double image = w[v] * tx_variables[v].parity[d];
        TX_REQUIRE(
            fabs(u[v] - image) <= 1e-10 * scale + 4e-15 * fabs(u[v]), TX_ERR_PARAM,
            "grid.reflect: %c: the initial data do not have this symmetry: %s = %.15g at "
            "(%g, %g, %g), but its mirror image gives %.15g; leave %c out of grid.reflect or "
            "change the initial data",
            dim_names[d], tx_variables[v].name, u[v], x[0], x[1], x[2], image, dim_names[d]);
      }
    }
  return TX_OK;
}

static tx_status initial_data_fill(const tx_params *p, tx_initial_data *id) {
  id->type = p->initial_data_type;
  switch (id->type) {
  case TX_ID_MINKOWSKI:
    break;
  case TX_ID_PUNCTURE:
  case TX_ID_BRILL_LINDQUIST:
    TX_TRY(punctures_create(p, &id->punctures));
    break;
  case TX_ID_GAUGE_WAVE:
  case TX_ID_LINEAR_WAVE:
    plane_wave_create(p, &id->wave);
    break;
  case TX_ID_TEUKOLSKY:
    TX_TRY(teukolsky_create(p, &id->teukolsky));
    break;
  case TX_ID_NOISE:
    noise_create(p, &id->noise);
    break;
  default:
    TX_FAIL(TX_ERR_PARAM, "initial_data.type: %d is not a type of initial data", id->type);
  }
  return symmetry_check(id, p);
}

tx_status tx_initial_data_create(const tx_params *p, tx_initial_data **out) {
  *out = NULL;
  tx_initial_data *id;
  TX_TRY(tx_alloc(1, sizeof *id, "initial data", &id));
  tx_status status = initial_data_fill(p, id);
  if (status == TX_OK)
    *out = id;
  else
    tx_free(id);
  return status;
}

void tx_initial_data_destroy(tx_initial_data *id) {
  tx_free(id);
}

void tx_initial_data_point(const tx_initial_data *id, const double x[3], double *u) {
  tx_initial_data_at(id, 0.0, x, u);
}

void tx_initial_data_point_at_time(const tx_initial_data *id, double t, const double x[3],
                                   double *u) {
  tx_initial_data_at(id, t, x, u);
}

void tx_initial_data_octant(const tx_initial_data *id, double t, const double x0[3], double h,
                            double *u) {
  for (int k = 0; k < TX_N; k++)
    for (int j = 0; j < TX_N; j++)
      for (int i = 0; i < TX_N; i++) {
        double x[3] = {x0[0] + i * h, x0[1] + j * h, x0[2] + k * h}, point[TX_VARS];
        tx_initial_data_at(id, t, x, point);
        for (int v = 0; v < TX_VARS; v++) u[v * TX_N3 + TX_AT(i, j, k)] = point[v];
      }
}

void tx_initial_data_adm(const tx_initial_data *id, tx_adm_numbers *out) {
  *out = (tx_adm_numbers){0};
  if (id->type != TX_ID_PUNCTURE && id->type != TX_ID_BRILL_LINDQUIST) return;
  const tx_punctures *b = &id->punctures;
  out->n = b->n;
  double d2 = 0.0;
  for (int i = 0; i < 3 && b->n == 2; i++) {
    double d = b->position[0][i] - b->position[1][i];
    d2 += d * d;
  }
  for (int a = 0; a < b->n; a++) {
    out->energy += b->mass[a];
    out->mass_bare[a] = out->mass_adm[a] = b->mass[a];
    if (b->n == 2) out->mass_adm[a] *= 1.0 + b->mass[1 - a] / (2.0 * sqrt(d2));
    memcpy(out->position[a], b->position[a], sizeof out->position[a]);
  }
}

/** C_ij mbar^i mbar^j = \sum_m c_m {}_{-2}Y_{2m} (arXiv:0709.0093, eq. II.7-8): [out] c_m. */
static void quadrupole_mode(const double C_dd[3][3], int m, double c[2]) {
  double k = 2.0 * sqrt(M_PI / 5.0);
  switch (m) {
  case 0:
    c[0] = k * sqrt(1.5) * C_dd[2][2];
    c[1] = 0.0;
    break;
  case 1:
  case -1:
    c[0] = -(double)m * k * C_dd[0][2];
    c[1] = k * C_dd[1][2];
    break;
  default:
    c[0] = 0.5 * k * (C_dd[0][0] - C_dd[1][1]);
    c[1] = (m > 0 ? -k : k) * C_dd[0][1];
    break;
  }
}

void tx_teukolsky_psi4(const tx_initial_data *id, double t, double r, int m, double psi4[2]) {
  psi4[0] = psi4[1] = 0.0;
  if (id->type != TX_ID_TEUKOLSKY || m < -2 || m > 2) return;
  double c[2], f[2];
  quadrupole_mode(id->teukolsky.C_dd, m, c);
  tx_teukolsky_psi4_radial(&id->teukolsky, t, r, f);
  psi4[0] = c[0] * f[0] - c[1] * f[1];
  psi4[1] = c[0] * f[1] + c[1] * f[0];
}
