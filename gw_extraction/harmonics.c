#include "gw_extraction/harmonics.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"

enum { L_HIGHEST = 200 };

/* With k = -s, x = cos(theta) and D^l = sqrt((2 l + 1)/(4 pi)) d^l_{mk}, for l >= lowest
 *   D^{l+1} = (a x - b) D^l - c D^{l-1},
 * from Varshalovich, Moskalev, Khersonskii, Quantum Theory of Angular Momentum (1988), 4.8 eq. 12.
 */
typedef struct step {
  double a, b, c;
} step;

struct tx_harmonics {
  int s, l_max;
  double *seed; /* [2 l_max + 1] factor of d at the lowest l, by m + l_max */
  step *step;   /* [2 l_max + 1][l_max + 1] to l + 1 from l */
};

int tx_harmonics_lowest(const tx_harmonics *h, int m) {
  return abs(m) > abs(h->s) ? abs(m) : abs(h->s);
}

/* C(n, k) in extended precision. */
static long double binomial(int n, int k) {
  long double c = 1.0L;
  for (int i = 1; i <= (k < n - k ? k : n - k); i++)
    c = c * (long double)(n + 1 - i) / (long double)i;
  return c;
}

/* At the lowest l one term of the Goldberg sum is left,
 *   d^l_{mk} = sign sqrt(C(2 l, |m - k|)) cos^{|m + k|}(theta/2) sin^{|m - k|}(theta/2),
 * with sign = (-1)^{m-k} if m > k, else 1. */
static double seed_of(int m, int k, int l) {
  double norm =
      (double)sqrtl((long double)(2 * l + 1) / (4.0L * acosl(-1.0L)) * binomial(2 * l, abs(m - k)));
  int odd = (k & 1) ^ (m > k && ((m - k) & 1)); /* (-1)^s too */
  return odd ? -norm : norm;
}

static step step_of(int m, int k, int l) {
  long double up =
      (long double)((l + 1) * (l + 1) - m * m) * (long double)((l + 1) * (l + 1) - k * k);
  long double down = (long double)(l * l - m * m) * (long double)(l * l - k * k);
  long double per = sqrtl((long double)(2 * l + 1) * (long double)(2 * l + 3) / up);
  step st = {.a = (double)(per * (long double)(l + 1))};
  if (l == 0) return st;
  st.b = (double)(per * (long double)(m * k) / (long double)l);
  st.c = (double)(sqrtl((long double)(2 * l + 3) / (long double)(2 * l - 1) * down / up) *
                  (long double)(l + 1) / (long double)l);
  return st;
}

tx_status tx_harmonics_create(int s, int l_max, tx_harmonics **out) {
  *out = NULL;
  TX_REQUIRE(abs(s) <= l_max && l_max <= L_HIGHEST, TX_ERR_PARAM,
             "harmonics of spin weight %d up to l = %d: l must be from |s| to %d", s, l_max,
             L_HIGHEST);
  tx_harmonics *h;
  TX_TRY(tx_alloc(1, sizeof *h, "harmonics", &h));
  h->s = s;
  h->l_max = l_max;
  size_t n_m = (size_t)(2 * l_max + 1), n_l = (size_t)(l_max + 1);
  tx_status status = tx_alloc(n_m, sizeof *h->seed, "harmonics", &h->seed);
  TX_KEEP(status, tx_alloc(n_m * n_l, sizeof *h->step, "harmonics", &h->step));
  if (status != TX_OK) {
    tx_harmonics_destroy(h);
    return status;
  }
  for (int m = -l_max; m <= l_max; m++) {
    int lowest = tx_harmonics_lowest(h, m);
    h->seed[m + l_max] = seed_of(m, -s, lowest);
    step *st = h->step + (size_t)(m + l_max) * n_l;
    for (int l = lowest; l < l_max; l++) st[l] = step_of(m, -s, l);
  }
  *out = h;
  return TX_OK;
}

void tx_harmonics_destroy(tx_harmonics *h) {
  if (!h) return;
  tx_free(h->seed);
  tx_free(h->step);
  tx_free(h);
}

static double power(double x, int n) {
  double y = 1.0;
  for (; n > 0; n >>= 1, x *= x)
    if (n & 1) y *= x;
  return y;
}

void tx_harmonics_theta(const tx_harmonics *h, int m, double z, double rho, double *y) {
  /* cos and sin of theta/2, each to full relative precision, and equal on the equator. */
  double big = sqrt(0.5 * (1.0 + fabs(z))), small = z == 0.0 ? big : 0.5 * rho / big;
  double c = z >= 0.0 ? big : small, s = z >= 0.0 ? small : big;
  int k = -h->s, lowest = tx_harmonics_lowest(h, m);
  const step *st = h->step + (size_t)(m + h->l_max) * (size_t)(h->l_max + 1);
  double now = h->seed[m + h->l_max] * (power(c, abs(m + k)) * power(s, abs(m - k))), before = 0.0;
  for (int l = lowest; l < h->l_max; l++) {
    y[l - lowest] = now;
    double next = (st[l].a * z - st[l].b) * now - st[l].c * before;
    before = now;
    now = next;
  }
  y[h->l_max - lowest] = now;
}
