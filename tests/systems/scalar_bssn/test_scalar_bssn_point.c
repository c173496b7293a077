/* The generated arithmetic of BSSN with a scalar field on random data, against the slow reference of BSSN and what matter adds to
 * it (Baumgarte & Shapiro (2010), ch. 2 and 11; units in which G = 1), from the physical metric and its connection:
 *   d_t K += 4 pi alpha (rho + S), d_t At_ij -= 8 pi alpha chi (S_ij - gamma_ij S/3), d_t Gt^i and B^i -= 16 pi alpha gt^ij S_j,
 *   H -= 16 pi rho, M^i -= 8 pi gt^ij S_j, E_ij -= 4 pi S_ij up to multiples of the metric,
 *   d_t phi = beta^k d_k phi + alpha Pi, d_t Pi = beta^k d_k Pi + D^i (alpha D_i phi) + alpha (K Pi - V'). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "physics/bssn.h"
#include "support/cmocka.h"
#include "systems/scalar_bssn/scalar_bssn_point.h"
#include "unit/reference_bssn.h"

#define PI_ 3.14159265358979323846

static double noise(void) {
  return 2.0 * rand() / RAND_MAX - 1.0;
}

static const int sym[3][3] = {{0, 1, 2}, {1, 3, 4}, {2, 4, 5}};
static const int second[3][3] = {{4, 5, 6}, {5, 7, 8}, {6, 8, 9}};

/* Inverse of a symmetric matrix. */
static void invert(const double g[3][3], double inv[3][3]) {
  double det = 0.0;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      inv[i][j] = g[(i + 1) % 3][(j + 1) % 3] * g[(i + 2) % 3][(j + 2) % 3] -
                  g[(i + 1) % 3][(j + 2) % 3] * g[(i + 2) % 3][(j + 1) % 3];
  for (int i = 0; i < 3; i++) det += g[0][i] * inv[0][i];
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) inv[i][j] /= det;
}

/* Metric, connection Gamma^k_ij, and the sources. */
typedef struct matter {
  double g[3][3], up[3][3], Gamma[3][3][3];
  double rho, S_i[3], S_ij[3][3], S, force;
} matter;

static void geometry(const double jets[][10], matter *m) {
  double d[3][3][3];
  const double *chi = jets[TX_VAR_CHI];
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      const double *gt = jets[TX_VAR_GT00 + sym[i][j]];
      m->g[i][j] = gt[0] / chi[0];
      for (int k = 0; k < 3; k++)
        d[k][i][j] = gt[1 + k] / chi[0] - gt[0] * chi[1 + k] / (chi[0] * chi[0]);
    }
  invert((const double(*)[3])m->g, m->up);
  memset(m->Gamma, 0, sizeof m->Gamma);
  for (int k = 0; k < 3; k++)
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 3; j++)
        for (int l = 0; l < 3; l++)
          m->Gamma[k][i][j] += 0.5 * m->up[k][l] * (d[i][j][l] + d[j][i][l] - d[l][i][j]);
}

static void sources(const tx_system_params *p, const double jets[][10], matter *m) {
  const double *phi = jets[SCALAR_PHI], Pi = jets[SCALAR_PI][0], f = phi[0];
  const double m2 = p->own[SCALAR_MASS] * p->own[SCALAR_MASS],
               lambda = p->own[SCALAR_SELF_INTERACTION];
  const double V = m2 * f * f / 2.0 + lambda * f * f * f * f / 4.0;
  double square = 0.0;
  geometry(jets, m);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) square += m->up[i][j] * phi[1 + i] * phi[1 + j];
  m->force = m2 * f + lambda * f * f * f;
  m->rho = 0.5 * Pi * Pi + 0.5 * square + V;
  m->S = 0.0;
  for (int i = 0; i < 3; i++) {
    m->S_i[i] = -Pi * phi[1 + i];
    for (int j = 0; j < 3; j++) {
      m->S_ij[i][j] = phi[1 + i] * phi[1 + j] + m->g[i][j] * (0.5 * Pi * Pi - 0.5 * square - V);
      m->S += m->up[i][j] * m->S_ij[i][j];
    }
  }
}

static void add_sources(const tx_system_params *p, const double jets[][10], const matter *m,
                        double rhs[SCALAR_VARS]) {
  const double alpha = jets[TX_VAR_ALPHA][0], chi = jets[TX_VAR_CHI][0];
  rhs[TX_VAR_K] += 4.0 * PI_ * alpha * (m->rho + m->S);
  rhs[TX_VAR_CHI] -= 4.0 * p->own[SCALAR_DAMPING] * p->cfl * chi * 16.0 * PI_ * m->rho;
  for (int i = 0; i < 3; i++) {
    for (int j = i; j < 3; j++)
      rhs[TX_VAR_AT00 + sym[i][j]] -=
          8.0 * PI_ * alpha * chi * (m->S_ij[i][j] - m->g[i][j] * m->S / 3.0);
    for (int j = 0; j < 3; j++) {
      const double more = -16.0 * PI_ * alpha * m->up[i][j] / chi * m->S_i[j];
      rhs[TX_VAR_GAMT0 + i] += more;
      rhs[TX_VAR_B0 + i] += more;
    }
  }
}

static double along_shift(const double jets[][10], int v) {
  double sum = 0.0;
  for (int k = 0; k < 3; k++) sum += jets[TX_VAR_BETA0 + k][0] * jets[v][1 + k];
  return sum;
}

static void field_equations(const double jets[][10], const matter *m, double rhs[SCALAR_VARS]) {
  const double *alpha = jets[TX_VAR_ALPHA], *phi = jets[SCALAR_PHI], Pi = jets[SCALAR_PI][0];
  double divergence = 0.0; /* of alpha grad phi */
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      double DD = phi[second[i][j]];
      for (int k = 0; k < 3; k++) DD -= m->Gamma[k][i][j] * phi[1 + k];
      divergence += m->up[i][j] * (alpha[0] * DD + alpha[1 + i] * phi[1 + j]);
    }
  rhs[SCALAR_PHI] = along_shift(jets, SCALAR_PHI) + alpha[0] * Pi;
  rhs[SCALAR_PI] =
      along_shift(jets, SCALAR_PI) + divergence + alpha[0] * (jets[TX_VAR_K][0] * Pi - m->force);
}

static void random_jets(double jets[SCALAR_VARS][10]) {
  double inv[3][3], g[3][3], trace = 0.0;
  for (int v = 0; v < SCALAR_VARS; v++) {
    const bool one = v == TX_VAR_CHI || v == TX_VAR_ALPHA;
    const double far = v < TX_VARS ? tx_bssn.variable[v].infinity : 0.0;
    jets[v][0] = one ? 0.5 + 0.4 * noise() : far + 0.3 * noise();
    for (int n = 1; n < 10; n++) jets[v][n] = noise();
  }
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) g[i][j] = jets[TX_VAR_GT00 + sym[i][j]][0];
  invert((const double(*)[3])g, inv);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) trace += inv[i][j] * jets[TX_VAR_AT00 + sym[i][j]][0];
  for (int c = 0; c < 6; c++) jets[TX_VAR_AT00 + c][0] -= trace / 3.0 * jets[TX_VAR_GT00 + c][0];
}

/* Largest difference over the largest value. */
static double difference(int n, const double *a, const double *b) {
  double worst = 0.0, size = 0.0;
  for (int i = 0; i < n; i++) {
    assert_true(isfinite(a[i]));
    worst = fmax(worst, fabs(a[i] - b[i]));
    size = fmax(size, fabs(b[i]));
  }
  return worst / size;
}

static void right_hand_sides(void **state) {
  srand(5);
  for (int n = 0; n < 300; n++) {
    const tx_system_params p = {.eta = 1.7,
                                .lambda_f0 = 0.8,
                                .advect_lapse = 1.0,
                                .advect_shift = 1.0,
                                .advect_B = 1.0,
                                .advect_Gt = 1.0,
                                .cfl = 0.25,
                                .own = {[SCALAR_DAMPING] = n % 3 * 0.05,
                                        [SCALAR_MASS] = n % 4 * 0.6,
                                        [SCALAR_SELF_INTERACTION] = n % 5 - 2.0}};
    const double x[3] = {noise(), noise(), noise()}, still[TX_VARS] = {0.0};
    double jets[SCALAR_VARS][10], rhs[SCALAR_VARS], expected[SCALAR_VARS];
    matter m;
    random_jets(jets);
    sources(&p, (const double(*)[10])jets, &m);
    reference_rhs(&p, (const double(*)[10])jets, still, x, expected);
    add_sources(&p, (const double(*)[10])jets, &m, expected);
    field_equations((const double(*)[10])jets, &m, expected);
    scalar_rhs(&p, (const double(*)[10])jets, x, rhs);
    assert_true(difference(SCALAR_VARS, rhs, expected) < 1e-12);
    assert_true(difference(2, &rhs[SCALAR_PHI], &expected[SCALAR_PHI]) < 1e-12);
  }
}

/* And the densities of energy and momentum, which are analysis quantities. */
static void constraints(void **state) {
  srand(6);
  for (int n = 0; n < 300; n++) {
    const tx_system_params p = {
        .own = {[SCALAR_MASS] = n % 4 * 0.6, [SCALAR_SELF_INTERACTION] = n % 5 - 2.0}};
    double jets[SCALAR_VARS][10], ours[SCALAR_QUANTITIES], expected[TX_CONSTRAINTS];
    matter m;
    random_jets(jets);
    sources(&p, (const double(*)[10])jets, &m);
    reference_constraints((const double(*)[10])jets, expected);
    expected[TX_CONSTRAINT_H] -= 16.0 * PI_ * m.rho;
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 3; j++)
        expected[TX_CONSTRAINT_M0 + i] -= 8.0 * PI_ * m.up[i][j] / jets[TX_VAR_CHI][0] * m.S_i[j];
    scalar_constraints(&p, (const double(*)[10])jets, ours);
    assert_true(difference(TX_CONSTRAINTS, ours, expected) < 1e-12);
    assert_true(difference(1, &ours[SCALAR_RHO], &m.rho) < 1e-12);
    assert_true(difference(3, &ours[SCALAR_S], m.S_i) < 1e-12);
  }
}

/* Psi4 sees no multiples of the metric. */
static void weyl(void **state) {
  const tx_system_params p = {.own = {[SCALAR_MASS] = 0.6}};
  srand(7);
  for (int n = 0; n < 300; n++) {
    double jets[SCALAR_VARS][10], ours[12], off[3][3], trace = 0.0, E[3][3], B[3][3];
    matter m;
    random_jets(jets);
    sources(&p, (const double(*)[10])jets, &m);
    reference_weyl((const double(*)[10])jets, E, B);
    scalar_weyl((const double(*)[10])jets, ours, ours + 6);
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 3; j++) {
        off[i][j] = ours[sym[i][j]] - E[i][j] + 4.0 * PI_ * m.S_ij[i][j];
        trace += m.up[i][j] * off[i][j];
        assert_true(fabs(ours[6 + sym[i][j]] - B[i][j]) < 1e-9);
      }
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 3; j++)
        assert_true(fabs(off[i][j] - m.g[i][j] * trace / 3.0) < 1e-10 * (1.0 + fabs(E[i][j])));
  }
}

/* The start satisfies the constraints, with the ADM mass that it is given: by differences of the profile. */
static void pulse(void **state) {
  const tx_system *system = tx_system_numbered(TX_EVOLVED_SCALAR_BSSN);
  tx_params chosen;
  tx_system_params p = {.cfl = 0.25};
  tx_params_default(&chosen);
  chosen.scalar_bssn_adm_mass = 1.3;
  chosen.scalar_bssn_width = 1.7;
  chosen.scalar_bssn_mass = 0.9;
  system->parameters(&chosen, p.own);
  srand(8);
  for (int n = 0; n < 50; n++) {
    const double x[3] = {2 * noise(), 2 * noise(), 2 * noise()}, h = 1e-3;
    double jets[SCALAR_VARS][10] = {{0.0}}, at[5][3][SCALAR_VARS], out[SCALAR_QUANTITIES];
    for (int d = 0; d < 3; d++)
      for (int s = 0; s < 5; s++) {
        double y[3] = {x[0], x[1], x[2]};
        y[d] += (s - 2) * h;
        system->initial_at(&p, 0, y, at[s][d]);
      }
    for (int v = 0; v < SCALAR_VARS; v++) {
      jets[v][0] = at[2][0][v];
      for (int d = 0; d < 3; d++) {
        const double a = at[0][d][v], b = at[1][d][v], c = at[2][d][v], e = at[3][d][v],
                     f = at[4][d][v];
        jets[v][1 + d] = (a - 8 * b + 8 * e - f) / (12 * h);
        jets[v][second[d][d]] = (-a + 16 * b - 30 * c + 16 * e - f) / (12 * h * h);
      }
    }
    scalar_constraints(&p, (const double(*)[10])jets, out);
    for (int c = 0; c < TX_CONSTRAINTS; c++) assert_true(fabs(out[c]) < 1e-7);
    assert_true(jets[SCALAR_PI][0] > 0.0 && jets[SCALAR_PHI][0] == 0.0);
  }
  double far[SCALAR_VARS];
  const double R = 1e4;
  system->initial_at(&p, 0, (const double[3]){R, 0.0, 0.0}, far);
  assert_true(fabs(2.0 * R * (pow(far[TX_VAR_CHI], -0.25) - 1.0) - 1.3) < 1e-7);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(right_hand_sides),
      cmocka_unit_test(constraints),
      cmocka_unit_test(weyl),
      cmocka_unit_test(pulse),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
