/* Algebra of fields, octant by octant. */
#include <math.h>
#include <string.h>

#include "exec/cpu/cpu.h"
#include "exec/norm_point.h"
#include "physics/pointwise_point.h"

tx_status tx_cpu_fill(tx_exec *x, const tx_set *set, double value, tx_field *out) {
  (void)x;
  const size_t n = (size_t)out->n_vars * TX_N3;
#pragma omp parallel for schedule(static)
  for (tx_lidx o = 0; o < set->n; o++) {
    double room[TX_N3], *to = tx_cpu_open_new(out, set->octant[o], room);
    for (size_t i = 0; i < n; i++) to[i] = value;
    tx_cpu_close(out, set->octant[o], to);
  }
  return TX_OK;
}

/* Octant b, with the number of fields known to the compiler. */
static inline __attribute__((always_inline)) void combine_n(int n, const tx_combination *c,
                                                            tx_lidx b, tx_field *out) {
  const size_t points = (size_t)out->n_vars * TX_N3;
  const double *f[TX_COMBINATION_FIELDS];
  double *to = tx_cpu_block(out, b);
  for (int m = 0; m < n; m++) f[m] = tx_cpu_block(c->f[m], b);
#pragma omp simd
  for (size_t i = 0; i < points; i++) {
    double sum = c->a[0] * f[0][i];
    for (int m = 1; m < n; m++) sum += c->a[m] * f[m][i];
    to[i] = sum;
  }
}

/* Combine fields in single precision. */
static void combine_single(const tx_combination *c, tx_lidx b, tx_field *out) {
  const float *f[TX_COMBINATION_FIELDS];
  float *to = tx_cpu_singles(out, b);
  for (int m = 0; m < c->n; m++) f[m] = tx_cpu_singles(c->f[m], b);
  for (int i = 0; i < TX_N3; i++) {
    double sum = c->a[0] * f[0][i];
    for (int m = 1; m < c->n; m++) sum += c->a[m] * f[m][i];
    to[i] = (float)sum;
  }
}

static void combine(const tx_combination *c, tx_lidx b, tx_field *out) {
  if (out->single) {
    combine_single(c, b, out);
    return;
  }
  switch (c->n) {
#define N(n)                                                                                       \
  case n:                                                                                          \
    combine_n(n, c, b, out);                                                                       \
    break;
    N(1)
    N(2)
    N(3)
    N(4)
    N(5)
    N(6)
    N(7)
    N(8)
#undef N
  }
}
_Static_assert(TX_COMBINATION_FIELDS == 8, "a case for each number of fields");

tx_status tx_cpu_combine(tx_exec *x, const tx_set *set, const tx_combination *c, tx_field *out) {
  (void)x;
#pragma omp parallel for schedule(static)
  for (tx_lidx o = 0; o < set->n; o++) combine(c, set->octant[o], out);
  return TX_OK;
}

tx_status tx_cpu_narrow(tx_exec *x, const tx_set *set, double a, const tx_field *f, tx_field *out) {
  (void)x;
#pragma omp parallel for schedule(static)
  for (tx_lidx o = 0; o < set->n; o++) {
    const double *from = tx_cpu_block(f, set->octant[o]);
    float *to = tx_cpu_singles(out, set->octant[o]);
    for (int i = 0; i < TX_N3; i++) to[i] = (float)(a * from[i]);
  }
  return TX_OK;
}

tx_status tx_cpu_widen(tx_exec *x, const tx_set *set, double a, const tx_field *f, tx_field *out) {
  (void)x;
#pragma omp parallel for schedule(static)
  for (tx_lidx o = 0; o < set->n; o++) {
    const float *from = tx_cpu_singles(f, set->octant[o]);
    double *to = tx_cpu_block(out, set->octant[o]);
    for (int i = 0; i < TX_N3; i++) to[i] += a * from[i];
  }
  return TX_OK;
}

/* Most variables that a function takes in all, and gives. */
#define MOST TX_FIELD_VARS

/* The values of one octant that a function takes and gives in one application: a variable each. */
typedef struct operands {
  const double *in[MOST];
  double *out[MOST];
  const double *p;
} operands;

/* One application of each function to all points of an octant. */
#define P(enumerator, name, a, b, c, d, gives, parameters, text)                                   \
  static void name##_octant(const operands *o) {                                                   \
    enum { N_IN = (a) + (b) + (c) + (d), N_OUT = (gives) };                                        \
    _Static_assert(N_IN <= MOST && N_OUT <= MOST, "more variables than fields have");              \
    for (int row = 0; row < TX_N * TX_N; row++) {                                                  \
      _Pragma("omp simd") for (int i = 0; i < TX_N; i++) {                                         \
        const int n = row * TX_N + i;                                                              \
        double u[N_IN], v[N_OUT];                                                                  \
        for (int m = 0; m < N_IN; m++) u[m] = o->in[m][n];                                         \
        tx_pointwise_##name(u, o->p, v);                                                           \
        for (int m = 0; m < N_OUT; m++) o->out[m][n] = v[m];                                       \
      }                                                                                            \
    }                                                                                              \
  }
#include "physics/pointwise.def"
#undef P

static void (*const OCTANT[TX_POINTWISES])(const operands *o) = {
#define P(enumerator, name, ...) name##_octant,
#include "physics/pointwise.def"
#undef P
};

/* Apply the function to octant b, variable by variable. */
static void pointwise(const tx_pointwise_call *call, tx_lidx b, tx_field *out) {
  const tx_pointwise_info *info = &tx_pointwises[call->function];
  operands o = {.p = call->p};
  double room[TX_POINTWISE_FIELDS + 1][TX_N3]; /* of single fields */
  for (int time = 0; time < out->n_vars / info->gives; time++) {
    int n = 0;
    for (int i = 0; i < TX_POINTWISE_FIELDS; i++)
      for (int v = 0; v < info->takes[i]; v++)
        o.in[n++] =
            tx_cpu_open(call->in[i], b, room[i]) + (size_t)(time * info->takes[i] + v) * TX_N3;
    for (int v = 0; v < info->gives; v++)
      o.out[v] = tx_cpu_open_new(out, b, room[TX_POINTWISE_FIELDS]) +
                 (size_t)(time * info->gives + v) * TX_N3;
    OCTANT[call->function](&o);
    tx_cpu_close(out, b, o.out[0]);
  }
}

tx_status tx_cpu_pointwise(tx_exec *x, const tx_set *set, const tx_pointwise_call *call,
                           tx_field *out) {
  (void)x;
#pragma omp parallel for schedule(static)
  for (tx_lidx o = 0; o < set->n; o++) pointwise(call, set->octant[o], out);
  return TX_OK;
}

/* Numbers of an octant's points. */
typedef struct points {
  double at[TX_N3];
} points;

/* Mirror images of each point of octant b, itself counted. */
static void images_make(const tx_mesh *mesh, tx_lidx b, points *images) {
  double row[3][TX_N];
  for (int d = 0; d < 3; d++)
    for (int i = 0; i < TX_N; i++)
      row[d][i] = tx_norm_images(mesh->domain.low[d] == TX_FACE_REFLECT, mesh->octant[b].x[d] == 0,
                                 0, d, i);
  for (int n = 0; n < TX_N3; n++)
    images->at[n] = row[0][n % TX_N] * row[1][n / TX_N % TX_N] * row[2][n / (TX_N * TX_N)];
}

/* Sum of all points, halving after halving: exact to few units of the last place. Overwrites t. */
static double halve_sum(points *t) {
  for (int n = TX_N3, rest; n > 1; n = rest) {
    rest = (n + 1) / 2;
    for (int i = 0; i < n / 2; i++) t->at[i] += t->at[rest + i];
  }
  return t->at[0];
}

static double halve_larger(points *t) {
  for (int n = TX_N3, rest; n > 1; n = rest) {
    rest = (n + 1) / 2;
    for (int i = 0; i < n / 2; i++) t->at[i] = tx_larger(t->at[i], t->at[rest + i]);
  }
  return t->at[0];
}

tx_status tx_cpu_dot(tx_exec *x, const tx_set *set, const tx_field *f, const tx_field *g,
                     double *parts) {
#pragma omp parallel for schedule(static)
  for (tx_lidx o = 0; o < set->n; o++) {
    const tx_lidx b = set->octant[o];
    points images, terms;
    images_make(x->mesh, b, &images);
    for (int v = 0; v < f->n_vars; v++) {
      const double *a = tx_cpu_block(f, b) + v * TX_N3, *c = tx_cpu_block(g, b) + v * TX_N3;
      for (int i = 0; i < TX_N3; i++) terms.at[i] = images.at[i] * (a[i] * c[i]);
      parts[(size_t)o * (size_t)f->n_vars + (size_t)v] = halve_sum(&terms);
    }
  }
  return TX_OK;
}

static tx_field_part part_of(const points *images, const double *f) {
  tx_field_part part;
  points terms;
  for (int i = 0; i < TX_N3; i++) terms.at[i] = images->at[i] * (f[i] * f[i]);
  part.squares = halve_sum(&terms);
  for (int i = 0; i < TX_N3; i++) terms.at[i] = images->at[i] * f[i];
  part.integral = halve_sum(&terms);
  memcpy(terms.at, f, sizeof terms.at);
  part.sum = halve_sum(&terms);
  for (int i = 0; i < TX_N3; i++) terms.at[i] = fabs(f[i]);
  part.max = halve_larger(&terms);
  return part;
}

tx_status tx_cpu_norms(tx_exec *x, const tx_set *set, const tx_field *f, tx_field_part *parts) {
#pragma omp parallel for schedule(static)
  for (tx_lidx o = 0; o < set->n; o++) {
    points images;
    images_make(x->mesh, set->octant[o], &images);
    for (int v = 0; v < f->n_vars; v++)
      parts[(size_t)o * (size_t)f->n_vars + (size_t)v] =
          part_of(&images, tx_cpu_block(f, set->octant[o]) + v * TX_N3);
  }
  return TX_OK;
}
