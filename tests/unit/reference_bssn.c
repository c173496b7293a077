#include "physics/bssn.h"
#include "reference_bssn.h"

#include <math.h>
#include <string.h>

#define FOR(i) for (int i = 0; i < 3; i++)

/* A symmetric tensor's variables and a jet's second derivatives both run xx, xy, xz, yy, yz, zz. */
static const int sym[3][3] = {{0, 1, 2}, {1, 3, 4}, {2, 4, 5}};

/* Everything that the equations are made of. Derivative indices come first. */
typedef struct geometry {
  double alpha, chi, K, beta[3], B[3], Gamt[3], gt[3][3], At[3][3];
  double dalpha[3], dchi[3], dK[3], dbeta[3][3], dB[3][3], dGamt[3][3], dgt[3][3][3], dAt[3][3][3];
  double ddalpha[3][3], ddchi[3][3], ddbeta[3][3][3], ddgt[3][3][3][3];
  double gtu[3][3];         /* inverse of gt */
  double g[3][3], gu[3][3]; /* physical metric and its inverse */
  double Gam[3][3][3];      /* its connection, upper index first */
  double Gt[3][3][3];       /* conformal connection, upper index first */
  double Gd[3], dGd[3][3];  /* gt^jk Gt^i_jk and its derivative */
  double R[3][3];           /* Ricci tensor, with the evolved Gt^i where it stands differentiated */
} geometry;

static double det3(double m[3][3]) {
  return m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) -
         m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0]) +
         m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0]);
}

static void inverse(double m[3][3], double inv[3][3]) {
  const double det = det3(m);
  FOR(i) FOR(j) {
    const int a = (j + 1) % 3, b = (j + 2) % 3, c = (i + 1) % 3, d = (i + 2) % 3;
    inv[i][j] = (m[a][c] * m[b][d] - m[a][d] * m[b][c]) / det;
  }
}

static void unpack(const double jets[TX_VARS][10], geometry *s) {
#define JET(v) jets[TX_VAR_##v]
  s->alpha = JET(ALPHA)[0];
  s->chi = JET(CHI)[0];
  s->K = JET(K)[0];
  FOR(i) {
    s->beta[i] = jets[TX_VAR_BETA0 + i][0];
    s->B[i] = jets[TX_VAR_B0 + i][0];
    s->Gamt[i] = jets[TX_VAR_GAMT0 + i][0];
    s->dalpha[i] = JET(ALPHA)[1 + i];
    s->dchi[i] = JET(CHI)[1 + i];
    s->dK[i] = JET(K)[1 + i];
    FOR(j) {
      const double *gt = jets[TX_VAR_GT00 + sym[i][j]], *At = jets[TX_VAR_AT00 + sym[i][j]];
      s->gt[i][j] = gt[0];
      s->At[i][j] = At[0];
      s->dbeta[i][j] = jets[TX_VAR_BETA0 + j][1 + i];
      s->dB[i][j] = jets[TX_VAR_B0 + j][1 + i];
      s->dGamt[i][j] = jets[TX_VAR_GAMT0 + j][1 + i];
      s->ddalpha[i][j] = JET(ALPHA)[4 + sym[i][j]];
      s->ddchi[i][j] = JET(CHI)[4 + sym[i][j]];
      FOR(k) {
        s->dgt[k][i][j] = gt[1 + k];
        s->dAt[k][i][j] = At[1 + k];
        s->ddbeta[i][j][k] = jets[TX_VAR_BETA0 + k][4 + sym[i][j]];
        FOR(l) s->ddgt[k][l][i][j] = gt[4 + sym[k][l]];
      }
    }
  }
#undef JET
}

/* Connection of a metric, its derivative, and the contracted connection and its derivative:
 * Gamma^k_ij = 1/2 g^kl (d_i g_lj + d_j g_li - d_l g_ij), d_m g^kl = -g^ka g^lb d_m g_ab. */
static void connection(double g[3][3], double dg[3][3][3], double ddg[3][3][3][3],
                       double G[3][3][3], double dG[3][3][3][3], double C[3], double dC[3][3]) {
  double gu[3][3], dgu[3][3][3];
  inverse(g, gu);
  FOR(m) FOR(k) FOR(l) {
    dgu[m][k][l] = 0;
    FOR(a) FOR(b) dgu[m][k][l] -= gu[k][a] * gu[l][b] * dg[m][a][b];
  }
  FOR(k) FOR(i) FOR(j) {
    G[k][i][j] = 0;
    FOR(l) G[k][i][j] += 0.5 * gu[k][l] * (dg[i][l][j] + dg[j][l][i] - dg[l][i][j]);
    FOR(m) {
      dG[m][k][i][j] = 0;
      FOR(l)
      dG[m][k][i][j] += 0.5 * dgu[m][k][l] * (dg[i][l][j] + dg[j][l][i] - dg[l][i][j]) +
                        0.5 * gu[k][l] * (ddg[m][i][l][j] + ddg[m][j][l][i] - ddg[m][l][i][j]);
    }
  }
  FOR(k) {
    C[k] = 0;
    FOR(i) FOR(j) C[k] += gu[i][j] * G[k][i][j];
    FOR(m) {
      dC[m][k] = 0;
      FOR(i) FOR(j) dC[m][k] += dgu[m][i][j] * G[k][i][j] + gu[i][j] * dG[m][k][i][j];
    }
  }
}

static void prepare(const double jets[TX_VARS][10], geometry *s) {
  double dg[3][3][3], ddg[3][3][3][3], dG[3][3][3][3], C[3], dC[3][3];
  unpack(jets, s);
  inverse(s->gt, s->gtu);
  /* gamma_ij = gt_ij / chi and its derivatives, by the quotient rule */
  const double q = 1 / s->chi;
  double dq[3], ddq[3][3];
  FOR(k) dq[k] = -q * q * s->dchi[k];
  FOR(k) FOR(l) ddq[k][l] = 2 * q * q * q * s->dchi[k] * s->dchi[l] - q * q * s->ddchi[k][l];
  FOR(i) FOR(j) {
    s->g[i][j] = q * s->gt[i][j];
    FOR(k) dg[k][i][j] = dq[k] * s->gt[i][j] + q * s->dgt[k][i][j];
    FOR(k)
    FOR(l)
    ddg[k][l][i][j] = ddq[k][l] * s->gt[i][j] + dq[k] * s->dgt[l][i][j] + dq[l] * s->dgt[k][i][j] +
                      q * s->ddgt[k][l][i][j];
  }
  inverse(s->g, s->gu);
  connection(s->gt, s->dgt, s->ddgt, s->Gt, dG, s->Gd, s->dGd);
  connection(s->g, dg, ddg, s->Gam, dG, C, dC);
  /* Ricci tensor of gamma, R_ij = d_k G^k_ij - d_j G^k_ik + G^k_kl G^l_ij - G^k_jl G^l_ik, and
   * gt_k(i d_j) (Gt^k - Gd^k): BSSN puts the evolved Gt^k under the derivative */
  FOR(i) FOR(j) {
    double R = 0;
    FOR(k) {
      R += dG[k][k][i][j] - dG[j][k][i][k];
      FOR(l) R += s->Gam[k][k][l] * s->Gam[l][i][j] - s->Gam[k][j][l] * s->Gam[l][i][k];
      R += 0.5 * s->gt[k][i] * (s->dGamt[j][k] - s->dGd[j][k]);
      R += 0.5 * s->gt[k][j] * (s->dGamt[i][k] - s->dGd[i][k]);
    }
    s->R[i][j] = R;
  }
}

/* Transport and stretching of the shift for a symmetric tensor density, T_ik d_j beta^k + T_jk d_i
 * beta^k - 2/3 T_ij d_k beta^k + beta^k d_k T_ij. */
static double lie(const geometry *s, double T[3][3], double dT[3][3][3], int i, int j) {
  double sum = 0;
  FOR(k)
  sum += T[i][k] * s->dbeta[j][k] + T[j][k] * s->dbeta[i][k] - 2. / 3 * T[i][j] * s->dbeta[k][k] +
         s->beta[k] * dT[k][i][j];
  return sum;
}

static double along(const double beta[3], const double d[3]) {
  return beta[0] * d[0] + beta[1] * d[1] + beta[2] * d[2];
}

/* d_t Gt^i without dissipation and without its advection. */
static double Gamt_dot(const geometry *s, double Atu[3][3], int i) {
  double sum = 0;
  FOR(j) {
    sum += -s->Gd[j] * s->dbeta[j][i] + 2. / 3 * s->Gd[i] * s->dbeta[j][j] -
           2 * Atu[i][j] * s->dalpha[j] +
           2 * s->alpha *
               (-3 / (2 * s->chi) * Atu[i][j] * s->dchi[j] - 2. / 3 * s->gtu[i][j] * s->dK[j]);
    FOR(k)
    sum += s->gtu[j][k] * s->ddbeta[j][k][i] + 1. / 3 * s->gtu[i][j] * s->ddbeta[j][k][k] +
           2 * s->alpha * s->Gt[i][j][k] * Atu[j][k];
  }
  return sum;
}

/* The metric form with W = sqrt(chi), whose slope is measured by gt^ij = gamma^ij/chi. */
static double damping(const tx_system_params *p, const geometry *s, const double x[3]) {
  const double r = sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
  if (p->eta_form == TX_ETA_CONSTANT) return p->eta;
  if (p->eta_form == TX_ETA_RADIAL)
    return (p->eta - p->eta_far) * exp(-pow(r / p->eta_radius, 4)) + p->eta_far;
  const double W = sqrt(s->chi);
  double dW[3], slope2 = 0;
  FOR(i) dW[i] = s->dchi[i] / (2 * W);
  FOR(i) FOR(j) slope2 += s->gu[i][j] / s->chi * dW[i] * dW[j];
  const double rest = fmax(1 - pow(W, p->eta_a), 1e-3 * p->eta_a);
  return fmin(p->eta_R0 * sqrt(slope2) / pow(rest, p->eta_b), p->eta_max);
}

void reference_rhs(const tx_system_params *p, const double jets[TX_VARS][10],
                   const double ko[TX_VARS], const double x[3], double rhs[TX_VARS]) {
  geometry s;
  prepare(jets, &s);
  const double a = s.alpha, eta = damping(p, &s, x);
  double Atu[3][3], AA = 0, div = 0, DDalpha[3][3], lap = 0, S[3][3], trace = 0;
  FOR(i) FOR(j) {
    Atu[i][j] = 0;
    FOR(k) FOR(l) Atu[i][j] += s.gtu[i][k] * s.gtu[j][l] * s.At[k][l];
    AA += Atu[i][j] * s.At[i][j];
  }
  FOR(k) div += s.dbeta[k][k];
  FOR(i) FOR(j) {
    DDalpha[i][j] = s.ddalpha[i][j];
    FOR(k) DDalpha[i][j] -= s.Gam[k][i][j] * s.dalpha[k];
    lap += s.gu[i][j] * DDalpha[i][j];
    S[i][j] = -DDalpha[i][j] + a * s.R[i][j];
  }
  FOR(i) FOR(j) trace += s.gu[i][j] * S[i][j];
  memcpy(rhs, ko, TX_VARS * sizeof *rhs);
  const double slicing = p->slicing == TX_SLICING_HARMONIC ? a * a : 2 * a;
  rhs[TX_VAR_ALPHA] += -slicing * s.K + p->advect_lapse * along(s.beta, s.dalpha);
  /* The conformal factor W with gamma_ij = gt_ij / W^2. */
  const double W = pow(s.chi, 0.5);
  rhs[TX_VAR_ALPHA] += p->lapse_pull * (W * W - a * W);
  rhs[TX_VAR_CHI] += along(s.beta, s.dchi) + 2. / 3 * s.chi * (a * s.K - div);
  double R = 0;
  FOR(i) FOR(j) R += s.gu[i][j] * s.R[i][j];
  const double damping = 4 * p->own[TX_OWN_HAMILTONIAN_DAMPING] * p->cfl; /* times the spacing, 1 */
  rhs[TX_VAR_CHI] += damping * s.chi * (R + 2. / 3 * s.K * s.K - AA);
  rhs[TX_VAR_K] += along(s.beta, s.dK) - lap + a * (AA + s.K * s.K / 3);
  FOR(i) for (int j = i; j < 3; j++) {
    rhs[TX_VAR_GT00 + sym[i][j]] += lie(&s, s.gt, s.dgt, i, j) - 2 * a * s.At[i][j];
    double AAij = 0;
    FOR(k) FOR(l) AAij += s.At[i][k] * s.gtu[k][l] * s.At[l][j];
    rhs[TX_VAR_AT00 + sym[i][j]] += lie(&s, s.At, s.dAt, i, j) +
                                    s.chi * (S[i][j] - s.g[i][j] * trace / 3) +
                                    a * (s.K * s.At[i][j] - 2 * AAij);
  }
  FOR(i) {
    double advGamt = 0, advbeta = 0, advB = 0;
    FOR(k) {
      advGamt += s.beta[k] * s.dGamt[k][i];
      advbeta += s.beta[k] * s.dbeta[k][i];
      advB += s.beta[k] * s.dB[k][i];
    }
    const double dot = Gamt_dot(&s, Atu, i) + advGamt, f = p->lambda_f0 + p->lambda_f1 * a;
    rhs[TX_VAR_GAMT0 + i] += dot;
    rhs[TX_VAR_BETA0 + i] += 0.75 * f * s.B[i] + p->advect_shift * advbeta;
    rhs[TX_VAR_B0 + i] += dot - p->advect_Gt * advGamt + p->advect_B * advB - eta * s.B[i];
    if (p->shift == TX_SHIFT_ZERO) rhs[TX_VAR_BETA0 + i] = rhs[TX_VAR_B0 + i] = 0;
  }
}

/* K_ij and D_k K_ij. */
static void extrinsic(const geometry *s, double K[3][3], double DK[3][3][3]) {
  FOR(i) FOR(j) K[i][j] = (s->At[i][j] + s->gt[i][j] * s->K / 3) / s->chi;
  FOR(k) FOR(i) FOR(j) {
    DK[k][i][j] =
        (s->dAt[k][i][j] + s->dgt[k][i][j] * s->K / 3 + s->gt[i][j] * s->dK[k] / 3) / s->chi -
        K[i][j] * s->dchi[k] / s->chi;
    FOR(m) DK[k][i][j] -= s->Gam[m][k][i] * K[m][j] + s->Gam[m][k][j] * K[i][m];
  }
}

void reference_constraints(const double jets[TX_VARS][10], double out[TX_CONSTRAINTS]) {
  geometry s;
  double K[3][3], DK[3][3][3], H = 0;
  prepare(jets, &s);
  extrinsic(&s, K, DK);
  /* H = R + K^2 - K_ij K^ij; M^i = D_j (K^ij - gamma^ij K), here over chi as [BS] 11.48 exp(-6 phi)
   * is */
  H = s.K * s.K;
  FOR(i) FOR(j) {
    H += s.gu[i][j] * s.R[i][j];
    FOR(k) FOR(l) H -= s.gu[i][k] * s.gu[j][l] * K[i][j] * K[k][l];
  }
  out[TX_CONSTRAINT_H] = H;
  FOR(i) {
    double M = 0;
    FOR(j) FOR(k) FOR(l) M += s.gu[i][k] * s.gu[j][l] * DK[j][k][l];
    FOR(j) M -= s.gu[i][j] * s.dK[j];
    out[TX_CONSTRAINT_M0 + i] = M / s.chi;
    out[TX_CONSTRAINT_G0 + i] = s.Gamt[i] - s.Gd[i];
  }
}

static double levi_civita(int i, int j, int k) {
  return 0.5 * (i - j) * (j - k) * (k - i);
}

void reference_weyl(const double jets[TX_VARS][10], double E[3][3], double B[3][3]) {
  geometry s;
  double K[3][3], DK[3][3][3], B_any[3][3];
  prepare(jets, &s);
  extrinsic(&s, K, DK);
  const double volume = sqrt(det3(s.g));
  FOR(i) FOR(j) {
    E[i][j] = s.R[i][j] + s.K * K[i][j];
    FOR(k) FOR(l) E[i][j] -= K[i][k] * s.gu[k][l] * K[l][j];
    B_any[i][j] = 0;
    FOR(m) FOR(k) FOR(l) B_any[i][j] += s.g[i][m] * levi_civita(m, k, l) / volume * DK[k][l][j];
  }
  FOR(i) FOR(j) B[i][j] = 0.5 * (B_any[i][j] + B_any[j][i]);
}

/* Weights from -4 to 4 of first derivatives and of second ones, by order / 2 - 2, and what they are divided by but for h; of
 * the undivided dissipation, by (order + 1) / 2 - 3. */
static const double w1[3][9] = {{0, 0, 1, -8, 0, 8, -1, 0, 0},
                                {0, -1, 9, -45, 0, 45, -9, 1, 0},
                                {3, -32, 168, -672, 0, 672, -168, 32, -3}};
static const double w2[3][9] = {{0, 0, -1, 16, -30, 16, -1, 0, 0},
                                {0, 2, -27, 270, -490, 270, -27, 2, 0},
                                {-9, 128, -1008, 8064, -14350, 8064, -1008, 128, -9}};
static const double over1[3] = {12, 60, 840}, over2[3] = {12, 180, 5040};
static const double wk[2][9] = {{0, 1, -6, 15, -20, 15, -6, 1, 0},
                                {-1, 8, -28, 56, -70, 56, -28, 8, -1}};

static double value(const double *u, int i, int j, int k) {
  return u[TX_PATCH_AT(i, j, k)];
}

void reference_jet(double h, int order, const double *u, int i, int j, int k, double jet[10]) {
  const double *d1 = w1[order / 2 - 2], *d2 = w2[order / 2 - 2];
  const double h1 = over1[order / 2 - 2] * h, h2 = over2[order / 2 - 2] * h * h;
  memset(jet, 0, 10 * sizeof *jet);
  jet[0] = value(u, i, j, k);
  for (int da = -order / 2; da <= order / 2; da++) {
    const double first = d1[da + 4] / h1, second = d2[da + 4] / h2;
    jet[1] += first * value(u, i + da, j, k);
    jet[2] += first * value(u, i, j + da, k);
    jet[3] += first * value(u, i, j, k + da);
    jet[4] += second * value(u, i + da, j, k);
    jet[7] += second * value(u, i, j + da, k);
    jet[9] += second * value(u, i, j, k + da);
    for (int db = -order / 2; db <= order / 2; db++) {
      const double w = first * d1[db + 4] / h1;
      jet[5] += w * value(u, i + da, j + db, k);
      jet[6] += w * value(u, i + da, j, k + db);
      jet[8] += w * value(u, i, j + da, k + db);
    }
  }
}

double reference_upwind(double h, int order, const double beta[3], const double *u, int i, int j,
                        int k) {
  static const double fourth[] = {-3, -10, 18, -6, 1}, sixth[] = {2, -24, -35, 80, -30, 8, -1};
  const double *w = order == 4 ? fourth : sixth, over = order == 4 ? 12 : 60;
  const int behind = order / 2 - 1;
  double sum = 0;
  for (int n = 0; n <= order; n++) {
    const int ahead = n - behind;
    const int x = beta[0] > 0 ? ahead : -ahead, y = beta[1] > 0 ? ahead : -ahead,
              z = beta[2] > 0 ? ahead : -ahead;
    sum += w[n] / (over * h) *
           (fabs(beta[0]) * value(u, i + x, j, k) + fabs(beta[1]) * value(u, i, j + y, k) +
            fabs(beta[2]) * value(u, i, j, k + z));
  }
  return sum;
}

double reference_ko(double h, int order, double sigma, unsigned dims, const double *u, int i, int j,
                    int k) {
  const int half = (order + 1) / 2;
  const double *w = wk[half - 3];
  double sum = 0;
  for (int m = -half; m <= half; m++) {
    if (dims & 1) sum += w[m + 4] * value(u, i + m, j, k);
    if (dims & 2) sum += w[m + 4] * value(u, i, j + m, k);
    if (dims & 4) sum += w[m + 4] * value(u, i, j, k + m);
  }
  return sigma / (pow(2, 2 * half) * h) * sum;
}
