/* Fields from functions, and oracles for patches. */
#pragma once

#include "exec/exec.h"

/** The call fails with this code, and its text has `part` in it. Needs cmocka.h and string.h. */
#define TX_TEST_REFUSED(call, code, part)                                                          \
  do {                                                                                             \
    assert_int_equal(call, code);                                                                  \
    if (!strstr(tx_error_text(), part)) fail_msg("%s", tx_error_text());                           \
    tx_error_clear();                                                                              \
  } while (0)

/** Value of variable v at a place. */
typedef double (*tx_test_function)(const void *data, int v, const double x[3]);

/** f(v, x) at the points of octant b, values [TX_N3]; that of polynomials and noise (below) from what their coordinates
 *  give, which is faster. */
void tx_test_octant(const tx_mesh *mesh, tx_lidx b, int v, tx_test_function f, const void *data,
                    double values[TX_N3]);

/** Write f(v, x) to every point of every variable. Local. */
tx_status tx_test_fill(tx_field *field, tx_test_function f, const void *data);

/** Fetch the patch of local octant b, [n_vars][TX_P3]. Needs ghosts. Local. */
tx_status tx_test_patch(tx_exec *x, const tx_field *f, tx_lidx b, double *patch);

/** NaN into slots, send buffers and patch buffers: what is not filled anew will show. Local. */
tx_status tx_test_poison(tx_exec *x);

/** Variables of the fields below and their parities. */
enum { TX_TEST_VARS = 4 };
extern const int8_t tx_test_parity[TX_TEST_VARS][3];
/** A field of them. Local. */
tx_status tx_test_field(tx_exec *x, tx_field **out);

/** Product of three polynomials of `degree`: even or odd ones in reflected dimensions, according to
 *  tx_test_parity; constant in periodic ones. */
typedef struct tx_test_polynomial {
  double extent;
  int degree;
  double coefficient[TX_TEST_VARS][3][8];
} tx_test_polynomial;
tx_test_polynomial tx_test_polynomial_make(const tx_domain *domain, int degree);
double tx_test_polynomial_value(const void *polynomial, int v, const double x[3]);
/** One derivative of the same, `order` times in each dimension. */
double tx_test_polynomial_derivative(const tx_test_polynomial *p, int v, const double x[3],
                                     const int order[3]);
/** What dimension d, at coordinate x, gives to that product. */
double tx_test_polynomial_factor(const tx_test_polynomial *p, int v, int d, double x, int order);

/** Noise, a hash of the place on a lattice of extent / 2^20, with the parities and periods of the
 *  domain. */
double tx_test_noise_value(const void *domain, int v, const double x[3]);
/** The same in two steps, for many places with coordinates in common: what coordinate x in dimension d adds, its place
 *  on the lattice and the factor of variables that are odd there; and the value at three of them. */
typedef struct tx_test_coordinate {
  uint64_t place;
  double odd;
} tx_test_coordinate;
tx_test_coordinate tx_test_noise_coordinate(const tx_domain *domain, int d, double x);
double tx_test_noise_at(int v, const tx_test_coordinate x[3]);
