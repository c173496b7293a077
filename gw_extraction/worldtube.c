#include "gw_extraction/worldtube.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "gw_extraction/harmonics.h"
#include "physics/gauss_legendre.h"

enum {
  MARGIN = 4,                   /* modal: the points are those of l_max and so many more */
  SUMS = TX_WORLDTUBE_SETS + 1, /* of a point, over ranks: the last is how many of them own it */
};

struct tx_worldtubes {
  tx_worldtube_info info;
  const tx_system *system;
  double *radii;
  double *z, *weight;  /* [n_theta] cos(theta); weight of a point of the row, over solid angle */
  double (*phase)[2];  /* [n_phi] cos and sin of phi */
  double *Y;           /* [n_theta][pairs] Y_lm(theta, 0), m = 0 .. l_max, l = m .. l_max */
  double (*at)[3];     /* [n_radii][n_used] coordinates, M */
  bool *mine;          /* [n_radii][n_used] */
  double *jets;        /* [n_radii][n_used][n_vars][4] */
  double (*sum)[SUMS]; /* [n_radii][n_used] */
  double *value;       /* [n_theta][n_phi] of one data set */
  double *rows;        /* see tx_worldtubes_sample */
};

static const char *const PARTS[TX_METRIC_PARTS] = {"gxx", "gxy",    "gxz",    "gyy",    "gyz",
                                                   "gzz", "Shiftx", "Shifty", "Shiftz", "Lapse"};
static const char *const KINDS[] = {"", "Dr", "Dt"};

/* Under reflection of z. */
static const double PARITY[TX_METRIC_PARTS] = {1, 1, -1, 1, -1, 1, 1, 1, -1, 1};

void tx_worldtube_set_name(int set, char name[TX_WORLDTUBE_NAME]) {
  snprintf(name, TX_WORLDTUBE_NAME, "%s%s", KINDS[set / TX_METRIC_PARTS],
           PARTS[set % TX_METRIC_PARTS]);
}

/* The mode of a pair of columns: l ascending, m descending. */
static void mode_of(int pair, int *l, int *m) {
  *l = 0;
  while ((*l + 1) * (*l + 1) <= pair) ++*l;
  *m = *l - (pair - *l * *l);
}

void tx_worldtube_column_name(const tx_worldtube_info *info, int set, int column,
                              char name[TX_WORLDTUBE_NAME]) {
  char of[TX_WORLDTUBE_NAME];
  int l, m;
  tx_worldtube_set_name(set, of);
  mode_of(column / 2, &l, &m);
  if (info->form == TX_WORLDTUBE_MODAL)
    snprintf(name, TX_WORLDTUBE_NAME, "%.16s_%s(%d,%d)", of, column % 2 ? "Im" : "Re", l, m);
  else
    snprintf(name, TX_WORLDTUBE_NAME, "%.16s_Theta_%d_Phi_%d", of, column / info->n_phi,
             column % info->n_phi);
}

const tx_worldtube_info *tx_worldtubes_describe(const tx_worldtubes *w) {
  return &w->info;
}

/* Find the unit vector to a point, its number being row n_phi + column. */
static void point_of(const tx_worldtubes *w, int point, double n[3]) {
  const int row = point / w->info.n_phi, column = point % w->info.n_phi;
  const double rho = sqrt((1.0 - w->z[row]) * (1.0 + w->z[row]));
  n[0] = rho * w->phase[column][0];
  n[1] = rho * w->phase[column][1];
  n[2] = w->z[row];
}

/* Numbers of a row of Y. */
static size_t pairs(int l_max) {
  return (size_t)(l_max + 1) * (size_t)(l_max + 2) / 2;
}

/* Describe a sphere in `domain`: its rows from the north pole on, without those that are mirror images of others. */
static tx_worldtube_info info_of(const tx_domain *domain, const tx_params *p) {
  const bool modal = p->waves_worldtube_form == TX_WORLDTUBE_MODAL;
  const int l_max = p->waves_worldtube_l_max, l_points = modal ? l_max + MARGIN : l_max;
  tx_worldtube_info info = {
      .n_radii = p->waves_worldtubes.n,
      .form = p->waves_worldtube_form,
      .l_max = l_max,
      .n_theta = l_points + 1,
      .n_phi = 2 * l_points + 1,
  };
  const int rows = domain->low[2] == TX_FACE_REFLECT ? (info.n_theta + 1) / 2 : info.n_theta;
  info.n_used = rows * info.n_phi;
  info.n_columns = modal ? 2 * (l_max + 1) * (l_max + 1) : info.n_theta * info.n_phi;
  return info;
}

static tx_status allocate(tx_worldtubes *w) {
  static const char what[] = "worldtubes";
  const tx_worldtube_info *i = &w->info;
  const size_t rows = (size_t)i->n_theta, columns = (size_t)i->n_phi, radii = (size_t)i->n_radii;
  const size_t n = radii * (size_t)i->n_used;
  tx_status status = tx_alloc(radii, sizeof *w->radii, what, &w->radii);
  TX_KEEP(status, tx_alloc(rows, sizeof *w->z, what, &w->z));
  TX_KEEP(status, tx_alloc(rows, sizeof *w->weight, what, &w->weight));
  TX_KEEP(status, tx_alloc(columns, sizeof *w->phase, what, &w->phase));
  TX_KEEP(status, tx_alloc(rows * pairs(i->l_max), sizeof *w->Y, what, &w->Y));
  TX_KEEP(status, tx_alloc(n, sizeof *w->at, what, &w->at));
  TX_KEEP(status, tx_alloc(n, sizeof *w->mine, what, &w->mine));
  TX_KEEP(status, tx_alloc(n * (size_t)w->system->n_vars * 4, sizeof *w->jets, what, &w->jets));
  TX_KEEP(status, tx_alloc(n, sizeof *w->sum, what, &w->sum));
  TX_KEEP(status, tx_alloc(rows * columns, sizeof *w->value, what, &w->value));
  TX_KEEP(status, tx_alloc(radii * TX_WORLDTUBE_SETS * (size_t)i->n_columns, sizeof *w->rows, what,
                           &w->rows));
  return status;
}

static tx_status set_harmonics(tx_worldtubes *w) {
  const int l_max = w->info.l_max;
  tx_harmonics *harmonics;
  TX_TRY(tx_harmonics_create(0, l_max, &harmonics));
  for (int row = 0; row < w->info.n_theta; row++) {
    const double z = w->z[row];
    double *Y = w->Y + (size_t)row * pairs(l_max);
    for (int m = 0; m <= l_max; Y += l_max + 1 - m, m++)
      tx_harmonics_theta(harmonics, m, z, sqrt((1.0 - z) * (1.0 + z)), Y);
  }
  tx_harmonics_destroy(harmonics);
  return TX_OK;
}

static void place_points(tx_worldtubes *w, const tx_params *p) {
  const tx_worldtube_info *i = &w->info;
  tx_gauss_legendre(i->n_theta, w->z, w->weight);
  for (int row = 0; row < i->n_theta; row++) w->weight[row] *= 2.0 * M_PI / i->n_phi;
  for (int column = 0; column < i->n_phi; column++) {
    w->phase[column][0] = cos(2.0 * M_PI * column / i->n_phi);
    w->phase[column][1] = sin(2.0 * M_PI * column / i->n_phi);
  }
  for (int r = 0; r < i->n_radii; r++) {
    w->radii[r] = p->waves_worldtubes.v[r];
    for (int point = 0; point < i->n_used; point++) {
      double *at = w->at[r * i->n_used + point];
      point_of(w, point, at);
      for (int d = 0; d < 3; d++) at[d] *= w->radii[r];
    }
  }
}

tx_status tx_worldtubes_create(const tx_domain *domain, const tx_params *p, tx_worldtubes **out) {
  tx_worldtubes *w;
  *out = NULL;
  TX_TRY(tx_alloc(1, sizeof *w, "worldtubes", &w));
  w->info = info_of(domain, p);
  w->system = tx_system_of(p);
  tx_status status = TX_OK;
  if (!w->system->metric_at)
    status = tx_error_record(TX_ERR_USAGE, __FILE__, __LINE__, "the system %s has no metric",
                             w->system->name);
  TX_THEN(status, allocate(w));
  if (status == TX_OK) place_points(w, p);
  TX_THEN(status, set_harmonics(w));
  if (status != TX_OK) {
    tx_worldtubes_destroy(w);
    return status;
  }
  w->info.radii = w->radii;
  *out = w;
  return TX_OK;
}

void tx_worldtubes_destroy(tx_worldtubes *w) {
  if (!w) return;
  tx_free(w->radii);
  tx_free(w->z);
  tx_free(w->weight);
  tx_free(w->phase);
  tx_free(w->Y);
  tx_free(w->at);
  tx_free(w->mine);
  tx_free(w->jets);
  tx_free(w->sum);
  tx_free(w->value);
  tx_free(w->rows);
  tx_free(w);
}

/* Metric, shift, lapse and their derivatives at the points of this rank; zeros at others. There is no -0, so that ranks may
 * be added up. */
static void evaluate(tx_worldtubes *w, const tx_system_params *physics) {
  const int n = w->info.n_radii * w->info.n_used;
  const size_t jet = (size_t)w->system->n_vars * 4;
  memset(w->sum, 0, (size_t)n * sizeof *w->sum);
#pragma omp parallel for schedule(static)
  for (int i = 0; i < n; i++) {
    if (!w->mine[i]) continue;
    const double r = w->radii[i / w->info.n_used];
    const double along[3] = {w->at[i][0] / r, w->at[i][1] / r, w->at[i][2] / r};
    tx_metric_jet found;
    w->system->metric_at(physics, w->at[i], (const double(*)[4])(w->jets + (size_t)i * jet), along,
                         &found);
    double *sum = w->sum[i];
    for (int c = 0; c < TX_METRIC_PARTS; c++) {
      sum[c] = found.value[c] + 0.0;
      sum[TX_METRIC_PARTS + c] = found.dn[c] + 0.0;
      sum[2 * TX_METRIC_PARTS + c] = found.dt[c] + 0.0;
    }
    sum[TX_WORLDTUBE_SETS] = 1.0;
  }
}

/* Integrals of f e^{-i m phi} over the points of one row of theta. */
static void ring_modes(const tx_worldtubes *w, const double *values, int m, double out[2]) {
  const int n_phi = w->info.n_phi;
  out[0] = out[1] = 0.0;
  for (int column = 0; column < n_phi; column++) {
    const double *phase = w->phase[m * column % n_phi];
    out[0] += values[column] * phase[0];
    out[1] -= values[column] * phase[1];
  }
}

static void add_to_modes(const tx_worldtubes *w, const double *values, double *columns) {
  const int l_max = w->info.l_max;
  memset(columns, 0, (size_t)w->info.n_columns * sizeof *columns);
  for (int row = 0; row < w->info.n_theta; row++) {
    const double *Y = w->Y + (size_t)row * pairs(l_max);
    for (int m = 0; m <= l_max; Y += l_max + 1 - m, m++) {
      double ring[2];
      ring_modes(w, values + (size_t)row * (size_t)w->info.n_phi, m, ring);
      for (int l = m; l <= l_max; l++) {
        double *mode = columns + 2 * (l * l + l - m);
        for (int part = 0; part < 2; part++) mode[part] += w->weight[row] * Y[l - m] * ring[part];
      }
    }
  }
}

/* Turn the values of a function at the points of a sphere, phi varying fastest, into columns of a row [n_columns]: nodal, the
 * values as they are; modal, real and imaginary part of the integrals of f conj(Y_lm), l ascending from 0, m from +l down to
 * -l. */
static void columns_of(const tx_worldtubes *w, const double *values, double *columns) {
  if (w->info.form == TX_WORLDTUBE_NODAL) {
    memcpy(columns, values, (size_t)w->info.n_columns * sizeof *columns);
    return;
  }
  add_to_modes(w, values, columns);
  for (int l = 1; l <= w->info.l_max; l++) /* of real functions: (-1)^m times the conjugate */
    for (int m = 1; m <= l; m++) {
      const double *mode = columns + 2 * (l * l + l - m), sign = m % 2 ? -1.0 : 1.0;
      double *other = columns + 2 * (l * l + l + m);
      other[0] = sign * mode[0];
      other[1] = -sign * mode[1];
    }
}

/* One data set of a sphere at all its points, from those that were sampled. */
static void unfold(tx_worldtubes *w, int radius, int set) {
  const int n_phi = w->info.n_phi, n_theta = w->info.n_theta, used = w->info.n_used;
  for (int row = 0; row < n_theta; row++) {
    const bool image = row * n_phi >= used;
    const int from = image ? n_theta - 1 - row : row;
    const double sign = image ? PARITY[set % TX_METRIC_PARTS] : 1.0;
    for (int column = 0; column < n_phi; column++)
      w->value[row * n_phi + column] = sign * w->sum[radius * used + from * n_phi + column][set];
  }
}

tx_status tx_worldtubes_sample(tx_worldtubes *w, tx_exec *x, const tx_field *u,
                               const tx_system_params *physics, const double **rows) {
  const tx_worldtube_info *info = &w->info;
  const size_t n = (size_t)info->n_radii * (size_t)info->n_used;
  const tx_probe probe = {
      .n = n, .points = (const double(*)[3])w->at, .n_derivs = 4, .jets = w->jets, .mine = w->mine};
  TX_TRY(tx_exec_sample(x, u, &probe));
  evaluate(w, physics);
  TX_MPI(MPI_Allreduce(MPI_IN_PLACE, w->sum, (int)(n * SUMS), MPI_DOUBLE, MPI_SUM,
                       tx_exec_mesh(x)->comm));
  for (size_t i = 0; i < n; i++)
    TX_REQUIRE(w->sum[i][TX_WORLDTUBE_SETS] == 1.0, TX_ERR_MESH,
               "point (%g, %g, %g) of a worldtube was sampled by %g ranks", w->at[i][0],
               w->at[i][1], w->at[i][2], w->sum[i][TX_WORLDTUBE_SETS]);
  for (int r = 0; r < info->n_radii; r++)
    for (int set = 0; set < TX_WORLDTUBE_SETS; set++) {
      unfold(w, r, set);
      columns_of(w, w->value,
                 w->rows + (size_t)(r * TX_WORLDTUBE_SETS + set) * (size_t)info->n_columns);
    }
  *rows = w->rows;
  return TX_OK;
}
