/* Worldtubes of states that are known in closed form, for test_worldtubes.py, which has the same closed forms: polynomials
 * of degree 4, a boosted Kerr hole in Kerr-Schild coordinates, a Teukolsky wave.
 *
 *     worldtube_data polynomials|hole|wave modal|nodal bssn|z4c L_MAX FOLDER TIME... */
#include <complex.h>
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "files/h5.h"
#include "gw_extraction/worldtube.h"
#include "observe/observer.h"
#include "output/output.h"
#include "physics/bssn.h"
#include "physics/initial_data/initial_data.h"
#include "physics/initial_data/initial_data_point.h"

typedef double complex number;

static const double EXTENT = 13.0, RADIUS = 10.0;

/* Octants further from the sphere than this are nobody's stencils, M. */
#define REACH 2.5

/* The hole: mass 1, spin along z in its own frame, velocity. */
static const double SPIN = 0.6, VELOCITY[3] = {0.2, -0.1, 0.15};

static void must(tx_status status) {
  if (status == TX_OK) return;
  fprintf(stderr, "%s\n", tx_error_text());
  exit(1);
}

/* Lapse, shift, metric, extrinsic curvature and B^i at a point, from which all variables follow. */
typedef struct slice {
  double alpha, beta_u[3], B_u[3], gamma_dd[3][3], K_dd[3][3];
} slice;

static void variables_of(const slice *s, double *u) {
  double cof[3][3], det = 0.0, K = 0.0;
  memset(u, 0, TX_VARS * sizeof *u);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
#define G(i, j) s->gamma_dd[(i) % 3][(j) % 3]
      cof[i][j] = G(i + 1, j + 1) * G(i + 2, j + 2) - G(i + 1, j + 2) * G(i + 2, j + 1);
      if (i == 0) det += cof[i][j] * G(i, j);
#undef G
    }
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) K += cof[i][j] / det * s->K_dd[i][j];
  const double chi = pow(det, -1.0 / 3.0);
  u[TX_VAR_ALPHA] = s->alpha;
  u[TX_VAR_CHI] = chi;
  u[TX_VAR_K] = K;
  for (int i = 0, c = 0; i < 3; i++) {
    u[TX_VAR_BETA0 + i] = s->beta_u[i];
    u[TX_VAR_B0 + i] = s->B_u[i];
    for (int j = i; j < 3; j++, c++) {
      u[TX_VAR_GT00 + c] = chi * s->gamma_dd[i][j];
      u[TX_VAR_AT00 + c] = chi * (s->K_dd[i][j] - s->gamma_dd[i][j] * K / 3.0);
    }
  }
}

/* Monomials x^i y^j z^k, i + j + k <= 4, in units of the sphere's radius, and their coefficients in component c. */
enum { MONOMIALS = 35 };

static void monomials_at(const double x[3], double *value) {
  double power[3][5];
  for (int d = 0; d < 3; d++) {
    power[d][0] = 1.0;
    for (int i = 1; i <= 4; i++) power[d][i] = power[d][i - 1] * x[d] / RADIUS;
  }
  for (int i = 0; i <= 4; i++)
    for (int j = 0; i + j <= 4; j++)
      for (int k = 0; i + j + k <= 4; k++) *value++ = power[0][i] * power[1][j] * power[2][k];
}

static double polynomial(int c, const double *monomials) {
  static double factor[20][MONOMIALS];
  double sum = 0.0;
  for (int n = 0; n < MONOMIALS; n++) {
    if (factor[c][n] == 0.0) factor[c][n] = 0.01 * sin(1.0 + 3.7 * c + 2.3 * n);
    sum += factor[c][n] * monomials[n];
  }
  return sum;
}

/* With chi = 1 whatever det(gt) is: values and rates are polynomials then. */
static void polynomials_at(double t, const double x[3], double *u) {
  double of[MONOMIALS];
  monomials_at(x, of);
  memset(u, 0, TX_VARS * sizeof *u);
  u[TX_VAR_CHI] = 1.0;
  u[TX_VAR_ALPHA] = 1.0 + polynomial(0, of);
  u[TX_VAR_K] = polynomial(1, of);
  for (int i = 0; i < 3; i++) {
    u[TX_VAR_BETA0 + i] = polynomial(2 + i, of);
    u[TX_VAR_B0 + i] = polynomial(5 + i, of);
  }
  for (int c = 0; c < 6; c++) {
    u[TX_VAR_GT00 + c] = (c == 0 || c == 3 || c == 5) + polynomial(8 + c, of);
    u[TX_VAR_AT00 + c] = polynomial(14 + c, of);
  }
}

/* Kerr-Schild, g = eta + 2 H l l, seen from where the hole moves: [out] 2 H and l_mu at the event X = (t, x, y, z). */
static void kerr_schild(const number X[4], number *twoH, number l[4]) {
  double v2 = 0.0;
  number y[4], along = 0.0;
  for (int i = 0; i < 3; i++) v2 += VELOCITY[i] * VELOCITY[i];
  const double lorentz = 1.0 / sqrt(1.0 - v2);
  for (int i = 0; i < 3; i++) along += VELOCITY[i] * X[1 + i];
  y[0] = lorentz * (X[0] - along);
  for (int i = 0; i < 3; i++)
    y[1 + i] = X[1 + i] + ((lorentz - 1.0) / v2 * along - lorentz * X[0]) * VELOCITY[i];
  const number R2 = y[1] * y[1] + y[2] * y[2] + y[3] * y[3], a = SPIN, half = 0.5 * (R2 - a * a);
  const number r2 = half + csqrt(half * half + a * a * y[3] * y[3]), r = csqrt(r2);
  const number own[4] = {1.0, (r * y[1] + a * y[2]) / (r2 + a * a),
                         (r * y[2] - a * y[1]) / (r2 + a * a), y[3] / r};
  *twoH = 2.0 * r2 * r / (r2 * r2 + a * a * y[3] * y[3]);
  along = 0.0;
  for (int i = 0; i < 3; i++) along += VELOCITY[i] * own[1 + i];
  l[0] = lorentz * (own[0] - along);
  for (int i = 0; i < 3; i++)
    l[1 + i] = own[1 + i] + ((lorentz - 1.0) / v2 * along - lorentz * own[0]) * VELOCITY[i];
}

/* gamma_ij and beta^i; the lapse comes back. */
static number slice_at(const number X[4], number gamma_dd[3][3], number beta_u[3]) {
  number H, l[4];
  kerr_schild(X, &H, l);
  const number factor = 1.0 + H * l[0] * l[0];
  for (int i = 0; i < 3; i++) {
    beta_u[i] = H * l[0] * l[1 + i] / factor;
    for (int j = 0; j < 3; j++) gamma_dd[i][j] = (i == j) + H * l[1 + i] * l[1 + j];
  }
  return 1.0 / csqrt(factor);
}

/* Derivatives by steps along the imaginary axis, which lose no digits. B^i is such that the driver's equation gives d_t beta^i. */
static void hole_at(double t, const double x[3], double *u) {
  const double step = 1e-40;
  number X[4] = {t, x[0], x[1], x[2]}, g[3][3], b[3];
  double dg[4][3][3], db[4][3];
  slice s;
  s.alpha = creal(slice_at(X, g, b));
  for (int i = 0; i < 3; i++) s.beta_u[i] = creal(b[i]);
  for (int i = 0; i < 9; i++) s.gamma_dd[i / 3][i % 3] = creal(g[i / 3][i % 3]);
  for (int m = 0; m < 4; m++) {
    X[m] += step * I;
    slice_at(X, g, b);
    X[m] = creal(X[m]);
    for (int i = 0; i < 9; i++) dg[m][i / 3][i % 3] = cimag(g[i / 3][i % 3]) / step;
    for (int i = 0; i < 3; i++) db[m][i] = cimag(b[i]) / step;
  }
  for (int i = 0; i < 3; i++) {
    s.B_u[i] = db[0][i];
    for (int k = 0; k < 3; k++) s.B_u[i] -= s.beta_u[k] * db[1 + k][i];
    s.B_u[i] *= 4.0 / 3.0;
    for (int j = 0; j < 3; j++) {
      double rate = -dg[0][i][j];
      for (int k = 0; k < 3; k++)
        rate += s.beta_u[k] * dg[1 + k][i][j] + s.gamma_dd[i][k] * db[1 + j][k] +
                s.gamma_dd[j][k] * db[1 + i][k];
      s.K_dd[i][j] = rate / (2.0 * s.alpha);
    }
  }
  variables_of(&s, u);
}

static tx_initial_data *wave;

static void wave_at(double t, const double x[3], double *u) {
  tx_initial_data_at(wave, t, x, u);
}

typedef void state_at(double t, const double x[3], double *u);

static bool is_near_sphere(const double x0[3], double size) {
  double near2 = 0.0, far2 = 0.0;
  for (int d = 0; d < 3; d++) {
    const double near = fmax(0.0, fmax(x0[d], -x0[d] - size));
    const double far = fmax(fabs(x0[d]), fabs(x0[d] + size));
    near2 += near * near;
    far2 += far * far;
  }
  return sqrt(near2) < RADIUS + REACH && sqrt(far2) > RADIUS - REACH;
}

/* In the order of BSSN; in Z4c, which has one variable more, with Theta = 0. */
static void fill(tx_exec *x, tx_field *u, state_at *at, double t) {
  const tx_mesh *mesh = tx_exec_mesh(x);
  for (tx_lidx b = 0; b < mesh->n_local; b++) {
    const double h = tx_mesh_spacing(mesh, mesh->octant[b].level);
    double x0[3], *to, here[TX_VARS];
    tx_mesh_origin(mesh, b, x0);
    if (!is_near_sphere(x0, h * TX_N)) continue;
    must(tx_field_octant(u, b, &to));
    for (int n = 0; n < TX_N3; n++) {
      const double p[3] = {x0[0] + h * (n % TX_N), x0[1] + h * (n / TX_N % TX_N),
                           x0[2] + h * (n / (TX_N * TX_N))};
      at(t, p, here);
      for (int v = 0; v < TX_VARS; v++) to[v * TX_N3 + n] = here[v];
    }
  }
  must(tx_ghosts_fill(x, u));
}

static void write(const tx_params *p, state_at *at, int n_times, char **times) {
  tx_domain domain = {.extent = EXTENT};
  tx_octree *tree;
  tx_mesh *mesh;
  tx_exec *x;
  tx_field *u;
  tx_worldtubes *w;
  tx_output *out;
  tx_system_params physics = {
      .lambda_f0 = 1.0, .advect_lapse = 1.0, .advect_shift = 1.0, .advect_B = 1.0};
  for (int d = 0; d < 3; d++) domain.low[d] = TX_FACE_OUTER;
  must(tx_octree_create(MPI_COMM_WORLD, &domain, TX_N == 8 ? 2 : 1, &tree));
  must(tx_mesh_create(tree, &mesh));
  must(tx_exec_create(mesh, TX_FIELD_VARS, &x));
  must(tx_field_create_state(x, tx_system_of(p), &u));
  must(tx_worldtubes_create(&domain, p, &w));
  must(tx_output_create(MPI_COMM_WORLD, p, "worldtube_data", tx_observers_files(), &out));
  for (int i = 0; i < n_times; i++) {
    const double t = atof(times[i]), *rows;
    fill(x, u, at, t);
    must(tx_worldtubes_sample(w, x, u, &physics, &rows));
    must(tx_output_worldtubes(out, i, t, tx_worldtubes_describe(w), rows));
  }
  must(tx_output_destroy(out));
  tx_worldtubes_destroy(w);
  tx_field_destroy(u);
  tx_exec_destroy(x);
  tx_mesh_destroy(mesh);
  tx_octree_destroy(tree);
}

int main(int argc, char **argv) {
  tx_params p;
  if (argc < 7) return 2;
  MPI_Init(&argc, &argv);
  must(tx_h5_start());
  tx_params_default(&p);
  p.grid_extent = EXTENT;
  p.waves_worldtubes = (tx_reals){.n = 1, .v = {RADIUS}};
  p.waves_worldtube_form = strcmp(argv[2], "modal") == 0 ? TX_WORLDTUBE_MODAL : TX_WORLDTUBE_NODAL;
  p.evolution_system = strcmp(argv[3], "bssn") == 0 ? TX_EVOLVED_BSSN : TX_EVOLVED_Z4C;
  p.waves_worldtube_l_max = atoi(argv[4]);
  snprintf(p.run_folder, sizeof p.run_folder, "%s", argv[5]);
  p.initial_data_type = TX_ID_TEUKOLSKY;
  p.initial_data_amplitude = 1e-6;
  p.initial_data_wavelength = 6.0;
  must(tx_initial_data_create(&p, &wave));
  state_at *at = strcmp(argv[1], "polynomials") == 0 ? polynomials_at
                 : strcmp(argv[1], "hole") == 0      ? hole_at
                                                     : wave_at;
  write(&p, at, argc - 6, argv + 6);
  tx_initial_data_destroy(wave);
  MPI_Finalize();
  return 0;
}
