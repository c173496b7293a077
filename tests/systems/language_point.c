#include "language/language_names.h"

#include <math.h>
#include <string.h>

#include "physics/functions_point.h"
#include "physics/octant/scalars.h"
#include "systems/language_point.h"

#define PI 3.14159265358979323846

_Static_assert((int)TX_VARS == LANGUAGE_VARS && (int)TX_VAR_Q == LANGUAGE_Q,
               "as language_point.h says");

static double smallest(double a, double b) {
  return a < b ? a : b;
}

static double largest(double a, double b) {
  return a > b ? a : b;
}

/* F_jk, and its derivatives by slot m. */
static void full(language_jets j, int m, double F[3][3]) {
  memset(F, 0, 9 * sizeof(double));
  F[0][1] = j[TX_VAR_F01][m], F[0][2] = j[TX_VAR_F02][m], F[1][2] = j[TX_VAR_F12][m];
  F[1][0] = -F[0][1], F[2][0] = -F[0][2], F[2][1] = -F[1][2];
}

void language_expect_rhs(const tx_system_params *p, const double x[3], language_jets j,
                         double rhs[TX_VARS]) {
  const double t = p->time, r = sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
  const double u = j[TX_VAR_U][0], w = j[TX_VAR_W][0], *du = &j[TX_VAR_U][1];
  const double a = u > 0.1 ? pow(u - 0.1, 0.5) : 0.3 * sin(u) / cos(u);
  const double b = p->lambda_f0 >= 0.5 ? exp(0.3 * log(fabs(w))) : NAN;
  const double away = largest(u, largest(w, 0.25)) - smallest(u, x[0]);
  const double square = du[0] * du[0] + du[1] * du[1] + du[2] * du[2];
  const double th = 1.0 - 2.0 / (exp(2.0 * x[2]) + 1.0);
  rhs[TX_VAR_U] = exp(-u * u) * sin(PI * x[0]) + cos(x[1] * t) / (1.0 + th * th) +
                  log(1.5 + u * u) / pow(1.5 + u * u, 1.5) + (r < 2.5 ? a * b : away) +
                  0.1 * (j[TX_VAR_U][4] + j[TX_VAR_U][7] + j[TX_VAR_U][9]);
  rhs[TX_VAR_W] = pow(p->lambda_f0, 1.7) * exp(-p->lambda_f1 * t) +
                  (t <= 0.35 ? x[0] : x[1]) * 0.7 + largest(p->lambda_f0, u) + square * square;
  rhs[TX_VAR_Q] = cos(x[0] + 3.0 * t);
  double F[3][3], dF[3][3][3], E[3], dE[3][3];
  full(j, 0, F);
  for (int k = 0; k < 3; k++) full(j, 1 + k, dF[k]);
  for (int i = 0; i < 3; i++) E[i] = j[TX_VAR_E0 + i][0];
  for (int k = 0; k < 3; k++)
    for (int i = 0; i < 3; i++) dE[k][i] = j[TX_VAR_E0 + i][1 + k];
  const double dual[3] = {F[1][2], F[2][0], F[0][1]};
  const double T = E[0] * dual[0] + E[1] * dual[1] + E[2] * dual[2];
  for (int i = 0; i < 3; i++) {
    double *out = &rhs[TX_VAR_E0 + i];
    *out = (r >= 1.5 ? E[i] : 2.0 * dual[i]) / 7.0 + (i == 2 ? T : 0.0);
    for (int k = 0; k < 3; k++) *out -= dF[k][i][k];
  }
  for (int n = 0; n < 3; n++) {
    const int i = n == 2, k = n == 0 ? 1 : 2, other = 3 - i - k;
    rhs[TX_VAR_F01 + n] = dE[i][k] - dE[k][i] + 0.5 * (E[i] * dual[k] - dual[i] * E[k]) +
                          u * u * u * T * (n == 1 ? -1.0 : 1.0) * E[other];
  }
}

void language_expect_constraints(const tx_system_params *p, const double x[3], language_jets j,
                                 double out[TX_CONSTRAINTS]) {
  static const int second[3][3] = {{4, 5, 6}, {5, 7, 8}, {6, 8, 9}};
  const double s = x[0] + p->time, u = j[TX_VAR_U][0];
  double F[3][3], dF[3][3][3], divergence = 0.0;
  full(j, 0, F);
  for (int k = 0; k < 3; k++) full(j, 1 + k, dF[k]);
  for (int k = 0; k < 3; k++) divergence += 2.0 * dF[k][(k + 1) % 3][(k + 2) % 3];
  out[TX_CONSTRAINT_H] = s > 1.0 ? sqrt(s - 1.0) : p->lambda_f0 * x[1];
  for (int i = 0; i < 3; i++) {
    const double E_i = j[TX_VAR_E0 + i][0];
    double M = divergence * E_i + 2.0 * F[(i + 1) % 3][(i + 2) % 3] * pow(fabs(u), 2.5), G = 0.0;
    for (int k = 0; k < 3; k++) {
      const double E = j[TX_VAR_E0 + k][0];
      M += dF[k][i][k];
      G += j[TX_VAR_U][second[i][k]] * E * smallest(u, smallest(x[0], x[1])) + F[i][k] * E;
    }
    out[TX_CONSTRAINT_H] += j[TX_VAR_E0 + i][1 + i];
    out[TX_CONSTRAINT_M0 + i] = M;
    out[TX_CONSTRAINT_G0 + i] = G;
  }
}

void language_rhs(const tx_system_params *p, const double at[3], language_jets j,
                  double rhs[TX_VARS]) {
  typedef double tx_real;
#define S(name) const double name = tx_scalar_##name(p, 1.0);
  TX_RHS_SCALARS(S)
#undef S
#define TX_VALUE(v) j[TX_VAR_##v][0]
#define TX_LOAD0(v)
#define TX_LOAD1(v)
#define TX_LOAD2(v)
#define TX_D(v, i)       j[TX_VAR_##v][1 + (i)]
#define TX_DD(v, i, k)   j[TX_VAR_##v][4 + (i) * (5 - (i)) / 2 + (k)]
#define TX_ADV(v)        0.0
#define TX_STORE(v, e)   rhs[TX_VAR_##v] = e
#define TX_COORDINATE(d) at[d]
#define TX_TIME          p->time
#include "physics/define_point.h"
#include TX_SYSTEM_RHS
#include "physics/undefine.h"
}
