#include "physics/initial_data/initial_data.h"

#include <math.h>
#include <string.h>
#include "base/memory.h"
#include "physics/initial_data/quasi_circular.h"

static const char dim_names[3] = {'x', 'y', 'z'};

/** Bare masses of two punctures at rest from their ADM masses, M_a = m_a + x, x = m_1 m_2/(2 d):
 *  x^2 - (M_1 + M_2 + 2 d) x + M_1 M_2 = 0. */
static void bare_masses(double d, const double adm[2], double bare[2]) {
  double sum = adm[0] + adm[1] + 2.0 * d, product = adm[0] * adm[1];
  double x = 2.0 * product / (sum + sqrt(sum * sum - 4.0 * product));
  for (int a = 0; a < 2; a++) bare[a] = adm[a] - x;
}

static double distance(const double *x, const double *y) {
  double d2 = 0.0;
  for (int i = 0; i < 3; i++) d2 += (x[i] - y[i]) * (x[i] - y[i]);
  return sqrt(d2);
}

/* Return M_a / m_a of any number of holes: M_a = m_a (1 + \sum_b m_b/(2 d_ab)), iterated from the ADM masses. */
#define MASS_STEPS 1000
static double mass_factor(const tx_punctures *b, int a) {
  double factor = 1.0;
  for (int c = 0; c < b->n; c++)
    if (c != a) factor += b->mass[c] / (2.0 * distance(b->position[a], b->position[c]));
  return factor;
}

static tx_status bare_masses_of(const double *adm, tx_punctures *b) {
  double off = 1.0;
  for (int step = 0; step < MASS_STEPS && off > 1e-15; step++) {
    off = 0.0;
    for (int a = 0; a < b->n; a++) {
      const double mass = adm[a] / mass_factor(b, a);
      off = fmax(off, fabs(mass / b->mass[a] - 1.0));
      b->mass[a] = mass;
    }
  }
  TX_REQUIRE(off <= 1e-14, TX_ERR_PARAM,
             "initial_data.masses: no bare masses were found for these ADM masses; the punctures "
             "are too close: give a larger separation, or bare masses");
  return TX_OK;
}

static void punctures_adm(const tx_punctures *b, tx_adm_numbers *adm) {
  adm->n = b->n;
  for (int a = 0; a < b->n; a++) {
    adm->energy += b->mass[a];
    adm->mass_bare[a] = b->mass[a];
    adm->mass_adm[a] = b->mass[a] * mass_factor(b, a);
    memcpy(adm->position[a], b->position[a], sizeof adm->position[a]);
  }
}

static tx_status punctures_create(const tx_params *p, tx_initial_data *id) {
  tx_punctures *b = &id->punctures;
  double mass[TX_PUNCTURES_MAX];
  b->n = tx_params_punctures(p);
  b->lapse = p->initial_data_lapse;
  for (int a = 0; a < b->n; a++) {
    const tx_params_hole hole = tx_params_hole_of(p, a);
    TX_REQUIRE(hole.mass > 0.0, TX_ERR_PARAM,
               "initial_data.bh%d_mass: %g: this type of initial data needs a mass above 0", a + 1,
               hole.mass);
    b->mass[a] = mass[a] = hole.mass;
    memcpy(b->position[a], hole.position, sizeof b->position[a]);
  }
  if (b->n > 1 && p->initial_data_masses == TX_MASSES_ADM) {
    if (b->n == 2)
      bare_masses(distance(b->position[0], b->position[1]), mass, b->mass);
    else
      TX_TRY(bare_masses_of(mass, b));
  }
  punctures_adm(b, &id->adm);
  return TX_OK;
}

static void make_orbit(const tx_params *p, double separation, tx_quasi_circular *orbit) {
  tx_quasi_circular_momenta(separation, p->initial_data_mass_ratio, p->initial_data_bhN_chi[0],
                            p->initial_data_bhN_chi[1], orbit);
}

static tx_status quasi_circular_spec(const tx_params *p, tx_two_punctures_spec *spec) {
  tx_quasi_circular orbit;
  make_orbit(p, p->initial_data_separation, &orbit);
  TX_REQUIRE(tx_quasi_circular_inspirals(p->initial_data_separation, p->initial_data_mass_ratio,
                                         p->initial_data_bhN_chi[0], p->initial_data_bhN_chi[1]),
             TX_ERR_PARAM,
             "initial_data.separation: at %g M post-Newtonian theory gives no slow inspiral (p_t = "
             "%.4g, p_r = %.4g M); give more, 8 M and above are usual",
             p->initial_data_separation, orbit.p_t, orbit.p_r);
  spec->adm_masses = 1;
  memcpy(spec->mass, orbit.mass, sizeof spec->mass);
  memcpy(spec->position, orbit.position, sizeof spec->position);
  memcpy(spec->momentum, orbit.momentum, sizeof spec->momentum);
  memcpy(spec->spin, orbit.spin, sizeof spec->spin);
  return TX_OK;
}

static void given_spec(const tx_params *p, tx_two_punctures_spec *spec) {
  spec->adm_masses = p->initial_data_masses == TX_MASSES_ADM;
  for (int a = 0; a < 2 && a < spec->n; a++) { /* gcc 14 does not see that n is 2 at most */
    const tx_params_hole hole = tx_params_hole_of(p, a);
    spec->mass[a] = hole.mass;
    memcpy(spec->position[a], hole.position, sizeof spec->position[a]);
    memcpy(spec->momentum[a], hole.momentum, sizeof spec->momentum[a]);
    memcpy(spec->spin[a], hole.spin, sizeof spec->spin[a]);
  }
}

tx_status tx_initial_data_spec(const tx_params *p, tx_two_punctures_spec *spec) {
  const int type = p->initial_data_type;
  *spec = (tx_two_punctures_spec){.resolution = p->initial_data_resolution,
                                  .tolerance = p->initial_data_tolerance};
  if (p->initial_data_solver == TX_SOLVER_MULTIGRID) return TX_OK;
  if (type == TX_ID_TWO_PUNCTURES || type == TX_ID_QUASI_CIRCULAR) spec->n = 2;
  if (type == TX_ID_PUNCTURE && tx_params_moves(p)) spec->n = 1;
  if (type == TX_ID_QUASI_CIRCULAR) return quasi_circular_spec(p, spec);
  if (spec->n > 0) given_spec(p, spec);
  return TX_OK;
}

/** The data must have the domain's reflection symmetries: compare points with their mirror images.
 */
static tx_status symmetry_check(const tx_initial_data *id, const tx_params *p) {
  const double direction[5][3] = {{0.51, 0.62, 0.59},
                                  {0.93, 0.21, 0.31},
                                  {0.19, 0.95, 0.23},
                                  {0.23, 0.27, 0.94},
                                  {0.7, 0.7, 0.1}};
  /* Where psi is solved for it has the symmetry to a part of the error of u, which in a preview is large. The curvature times
   * psi^6 is known. */
  const double tolerance = fmax(1e-10, 0.1 * id->adm.error);
  for (int d = 0; d < 3; d++)
    for (int n = 0; n < 5 * 20 && (p->grid_reflect >> d & 1); n++) {
      double x[3], mirror[3], u[TX_VARS], w[TX_VARS], scale = 0.0, curvature = 0.0;
      for (int i = 0; i < 3; i++)
        x[i] = mirror[i] = ldexp(direction[n % 5][i] * p->grid_extent, -(n / 5));
      mirror[d] = -mirror[d];
      tx_initial_data_at(id, 0.0, x, u);
      tx_initial_data_at(id, 0.0, mirror, w);
      for (int v = TX_VAR_AT00; v <= TX_VAR_AT22; v++) {
        u[v] *= pow(u[TX_VAR_CHI], -1.5);
        w[v] *= pow(w[TX_VAR_CHI], -1.5);
        curvature = fmax(curvature, fabs(u[v]));
      }
      for (int v = 0; v < TX_VARS; v++)
        if (v < TX_VAR_AT00 || v > TX_VAR_AT22)
          scale = fmax(scale, fabs(u[v] - tx_bssn.variable[v].infinity));
      for (int v = 0; v < TX_VARS; v++) {
        const bool known = v >= TX_VAR_AT00 && v <= TX_VAR_AT22;
        const double image = w[v] * tx_bssn.variable[v].parity[d];
        const double allowed = known ? 1e-10 * curvature : tolerance * scale;
        TX_REQUIRE(
            fabs(u[v] - image) <= allowed + 4e-15 * fabs(u[v]), TX_ERR_PARAM,
            "grid.reflect: %c: the initial data do not have this symmetry: %s = %.15g at "
            "(%g, %g, %g), but its mirror image gives %.15g; leave %c out of grid.reflect or "
            "change the initial data",
            dim_names[d], tx_bssn.variable[v].name, u[v], x[0], x[1], x[2], image, dim_names[d]);
      }
    }
  return TX_OK;
}

tx_status tx_initial_data_holes(const tx_params *p, tx_bowen_york *out, double *mass) {
  tx_two_punctures_spec pair = {.n = 2};
  *out = (tx_bowen_york){.n = tx_params_punctures(p), .lapse = p->initial_data_lapse};
  const bool orbit = p->initial_data_type == TX_ID_QUASI_CIRCULAR;
  if (orbit) TX_TRY(quasi_circular_spec(p, &pair));
  for (int a = 0; a < out->n; a++) {
    const tx_params_hole hole = tx_params_hole_of(p, a);
    mass[a] = orbit ? pair.mass[a] : hole.mass;
    memcpy(out->position[a], orbit ? pair.position[a] : hole.position, sizeof out->position[a]);
    memcpy(out->momentum[a], orbit ? pair.momentum[a] : hole.momentum, sizeof out->momentum[a]);
    memcpy(out->spin[a], orbit ? pair.spin[a] : hole.spin, sizeof out->spin[a]);
  }
  return TX_OK;
}

/** Bowen-York data before they are solved for: u = 0, and masses as given. */
static tx_status unsolved_create(const tx_params *p, tx_initial_data *id) {
  tx_bowen_york *b = &id->bowen_york;
  tx_adm_numbers *adm = &id->adm;
  id->type = TX_ID_TWO_PUNCTURES;
  TX_TRY(tx_initial_data_holes(p, b, b->mass));
  adm->n = b->n;
  for (int a = 0; a < b->n; a++) adm->energy += b->mass[a];
  memcpy(adm->mass_bare, b->mass, sizeof adm->mass_bare);
  memcpy(adm->mass_adm, b->mass, sizeof adm->mass_adm);
  memcpy(adm->position, b->position, sizeof adm->position);
  memcpy(adm->momentum, b->momentum, sizeof adm->momentum);
  memcpy(adm->spin, b->spin, sizeof adm->spin);
  return symmetry_check(id, p);
}

/** Everything but what `solved` does not know: the lapse. */
static void solved_fill(const tx_params *p, const tx_two_punctures *solved, tx_initial_data *id) {
  tx_bowen_york *b = &id->bowen_york;
  id->type = TX_ID_TWO_PUNCTURES;
  *b = solved->data;
  b->lapse = p->initial_data_lapse;
  b->u.coefficients = solved->coefficients;
  tx_adm_numbers *adm = &id->adm;
  *adm = (tx_adm_numbers){.energy = solved->energy,
                          .n = b->n,
                          .resolution = solved->resolution,
                          .residual = solved->residual,
                          .error = solved->error,
                          .newton_steps = solved->newton_steps,
                          .mass_steps = solved->mass_steps};
  memcpy(adm->linear_momentum, solved->momentum, sizeof adm->linear_momentum);
  memcpy(adm->angular_momentum, solved->angular_momentum, sizeof adm->angular_momentum);
  memcpy(adm->mass_bare, b->mass, sizeof adm->mass_bare);
  memcpy(adm->mass_adm, solved->mass_adm, sizeof solved->mass_adm);
  memcpy(adm->position, b->position, sizeof adm->position);
  memcpy(adm->momentum, b->momentum, sizeof adm->momentum);
  memcpy(adm->spin, b->spin, sizeof adm->spin);
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

static uint8_t odd_dimensions(const tx_variable_info *variable) {
  unsigned odd = 0;
  for (int d = 0; d < 3; d++)
    if (variable->parity[d] < 0) odd |= 1u << d;
  return (uint8_t)odd;
}

static void noise_create(const tx_params *p, tx_noise *noise) {
  *noise = (tx_noise){.amplitude = p->initial_data_amplitude,
                      .extent = p->grid_extent,
                      .seed = (uint64_t)p->initial_data_seed,
                      .reflect = p->grid_reflect,
                      .periodic = p->grid_periodic};
  for (int v = 0; v < TX_VARS; v++) noise->odd[v] = odd_dimensions(&tx_bssn.variable[v]);
}

/** A profile must have the domain's reflection symmetries, point by point of a few. */
static tx_status profile_check(const tx_initial_data *id, const tx_system *system,
                               const tx_params *p) {
  const tx_initial_profile *profile = &id->profile;
  for (int d = 0; d < 3; d++)
    for (int n = 0; n < 3 * 20 && (p->grid_reflect >> d & 1); n++) {
      const double place[3] = {0.51, 0.62, 0.59};
      double x[3], mirror[3], u[TX_SYSTEM_VARS], w[TX_SYSTEM_VARS];
      for (int i = 0; i < 3; i++)
        x[i] = mirror[i] = ldexp(place[(i + n) % 3] * p->grid_extent, -(n / 3));
      mirror[d] = -mirror[d];
      system->initial_at(&profile->given, profile->number, x, u);
      system->initial_at(&profile->given, profile->number, mirror, w);
      for (int v = 0; v < system->n_vars; v++) {
        const double image = w[v] * system->variable[v].parity[d];
        TX_REQUIRE(fabs(u[v] - image) <= 1e-10 * fabs(u[v]) + 1e-300, TX_ERR_PARAM,
                   "grid.reflect: %c: the profile %s does not have this symmetry: %s = %.15g at "
                   "(%g, %g, %g), but its mirror image gives %.15g; leave %c out of grid.reflect",
                   dim_names[d], p->initial_data_profile, system->variable[v].name, u[v], x[0],
                   x[1], x[2], image, dim_names[d]);
      }
    }
  return TX_OK;
}

static tx_status profile_create(const tx_params *p, tx_initial_data *id) {
  const tx_system *system = tx_system_of(p);
  id->profile.number = tx_params_profile(p);
  TX_REQUIRE(system->initial_at && id->profile.number >= 0, TX_ERR_PARAM,
             "initial_data.profile: the system %s has no profile \"%s\"", system->name,
             p->initial_data_profile);
  id->profile.given.cfl = p->evolution_cfl;
  system->parameters(p, id->profile.given.own);
  return profile_check(id, system, p);
}

static tx_status initial_data_fill(const tx_params *p, tx_initial_data *id) {
  id->type = p->initial_data_type;
  switch (id->type) {
  case TX_ID_MINKOWSKI:
    break;
  case TX_ID_PUNCTURE:
  case TX_ID_BRILL_LINDQUIST:
  case TX_ID_PUNCTURES:
    TX_TRY(punctures_create(p, id));
    if (id->type == TX_ID_PUNCTURES) id->type = TX_ID_BRILL_LINDQUIST;
    break;
  case TX_ID_GAUGE_WAVE:
  case TX_ID_LINEAR_WAVE:
    plane_wave_create(p, &id->wave);
    break;
  case TX_ID_BRILL_WAVE:
    id->brill = (tx_brill){p->initial_data_amplitude, p->initial_data_wavelength};
    break;
  case TX_ID_TEUKOLSKY:
    TX_TRY(teukolsky_create(p, &id->teukolsky));
    break;
  case TX_ID_NOISE:
    noise_create(p, &id->noise);
    break;
  case TX_ID_PROFILE:
    return profile_create(p, id);
  default:
    TX_FAIL(TX_ERR_PARAM, "initial_data.type: %d is not a type of initial data", id->type);
  }
  return symmetry_check(id, p);
}

tx_status tx_initial_data_create_solved(const tx_params *p, tx_two_punctures *solved,
                                        tx_initial_data **out) {
  *out = NULL;
  tx_initial_data *id = NULL;
  tx_status status = tx_alloc(1, sizeof *id, "initial data", &id);
  if (status != TX_OK) {
    tx_two_punctures_free(solved);
    return status;
  }
  solved_fill(p, solved, id);
  solved->coefficients = NULL;
  status = symmetry_check(id, p);
  if (status == TX_OK)
    *out = id;
  else
    tx_initial_data_destroy(id);
  return status;
}

tx_status tx_initial_data_create(const tx_params *p, tx_initial_data **out) {
  *out = NULL;
  tx_two_punctures_spec spec;
  tx_two_punctures solved;
  TX_TRY(tx_initial_data_spec(p, &spec));
  if (spec.n > 0) {
    TX_TRY(tx_two_punctures_solve(&spec, &solved));
    return tx_initial_data_create_solved(p, &solved, out);
  }
  tx_initial_data *id = NULL;
  TX_TRY(tx_alloc(1, sizeof *id, "initial data", &id));
  tx_status status = tx_params_on_grid(p) && tx_params_punctures(p) > 0 ? unsolved_create(p, id)
                                                                        : initial_data_fill(p, id);
  if (status == TX_OK)
    *out = id;
  else
    tx_initial_data_destroy(id);
  return status;
}

const tx_system *tx_initial_data_system(void) {
  return &tx_bssn;
}

void tx_initial_data_destroy(tx_initial_data *id) {
  if (!id) return;
  tx_free((double *)id->bowen_york.u.coefficients);
  tx_free(id);
}

tx_status tx_initial_map_of(const tx_system *system, tx_initial_map *out) {
  *out = (tx_initial_map){.n_more = 0};
  for (int v = 0; v < TX_VARS; v++) out->to[v] = -1;
  for (int v = 0; v < system->n_vars; v++) {
    const tx_variable_info *variable = &system->variable[v];
    const int from = tx_system_variable(&tx_bssn, variable->initial);
    if (from >= 0) {
      out->to[from] = (int8_t)v;
      continue;
    }
    out->more[out->n_more].infinity = variable->infinity;
    out->more[out->n_more].odd = odd_dimensions(variable);
    out->more[out->n_more++].number = (int8_t)v;
  }
  for (int v = 0; v < TX_VARS; v++)
    TX_REQUIRE(out->to[v] >= 0, TX_ERR_USAGE,
               "no variable of the system %s starts from %s of the initial data", system->name,
               tx_bssn.variable[v].name);
  return TX_OK;
}

void tx_initial_data_octant(const tx_initial_data *id, const tx_initial_map *map,
                            const tx_initial_at *first, double h, double *u) {
  const tx_initial_given *given = &first->given;
  const double *x0 = first->x;
  for (int n = 0; n < TX_N3; n++) {
    const tx_initial_at at = {
        first->t,
        {x0[0] + n % TX_N * h, x0[1] + n / TX_N % TX_N * h, x0[2] + n / (TX_N * TX_N) * h},
        {given->u ? &given->u[n] : NULL, given->w ? &given->w[n] : NULL}};
    tx_initial_state_of(id->type, id, map, &at, u + n);
  }
}

void tx_initial_profile_octant(const tx_initial_data *id, const tx_system *system,
                               const double x0[3], double h, double *u) {
  const tx_initial_profile *profile = &id->profile;
  for (int i = 0; i < TX_N3; i++) {
    const double x[3] = {x0[0] + i % TX_N * h, x0[1] + i / TX_N % TX_N * h,
                         x0[2] + i / (TX_N * TX_N) * h};
    double at[TX_SYSTEM_VARS];
    system->initial_at(&profile->given, profile->number, x, at);
    for (int v = 0; v < system->n_vars; v++) u[v * TX_N3 + i] = at[v];
  }
}

void tx_initial_data_solved(tx_initial_data *id, const tx_bowen_york *data,
                            const tx_adm_numbers *adm) {
  id->bowen_york = *data;
  id->adm = *adm;
}

void tx_initial_data_adm(const tx_initial_data *id, tx_adm_numbers *out) {
  *out = id->adm;
}
