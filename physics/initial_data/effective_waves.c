#include "physics/initial_data/effective_waves.h"

#include <math.h>

#define PI2   (M_PI * M_PI)
#define MODES 14

/* A multipole: its flux in units of that of (2,2), both of a light body at leading order; and the amplitude
 *
 *   rho = 1 + x P1(nu)/d + x^2 P2(nu)/d^2 + x^3 (P3(nu) + e0 E) + x^4 (p0 + e1 E) + x^5 (p1 + e2 E),
 *
 * with E = TX_EULER + ln(2 m sqrt(x)) and d = X1^(k-1) +- X2^(k-1) over X1 - X2 where that is a factor, k = l + (l + m) mod 2.
 * Where P2 is known of a light body alone it is that. */
typedef struct multipole {
  int l, m;
  double flux, p1[4], p2[5], p3[4], p[2], e[3];
} multipole;

/* arXiv:0811.2069; the terms of a light body at x^4 and x^5 arXiv:1005.2266; x^3 of (3,1) and (3,3)
 * arXiv:1409.3546. */
static const multipole multipoles[MODES] = {
    {2,
     2,
     1.0,
     {-43.0 / 42.0, 55.0 / 84.0},
     {-20555.0 / 10584.0, -33025.0 / 21168.0, 19583.0 / 42336.0},
     {1556919113.0 / 122245200.0, 41.0 / 192.0 * PI2 - 48993925.0 / 9779616.0,
      -6292061.0 / 3259872.0, 10620745.0 / 39118464.0},
     {-387216563023.0 / 160190110080.0, -16094530514677.0 / 533967033600.0},
     {-428.0 / 105.0, 9202.0 / 2205.0, 439877.0 / 55566.0}},
    {2,
     1,
     1.0 / 36.0,
     {-59.0 / 56.0, 23.0 / 84.0},
     {-47009.0 / 56448.0, -10993.0 / 14112.0, 617.0 / 4704.0},
     {2.9192806270460925},
     {-1.28235780892213, -3.8466571723355227},
     {-107.0 / 105.0, 6313.0 / 5880.0, 0.8486467106683944}},
    {3,
     3,
     1215.0 / 896.0,
     {-7.0 / 6.0, 2.0 / 3.0},
     {-6719.0 / 3960.0, -1861.0 / 990.0, 149.0 / 330.0},
     {14.10891386831863, 41.0 / 192.0 * PI2 - 5.031429681429682, -1.7781727531727531,
      0.25923767590434255},
     {-6.723375314944128, -29.568699895427518},
     {-26.0 / 7.0, 13.0 / 3.0, 6.302092352092352}},
    {3,
     2,
     5.0 / 63.0,
     {-164.0 / 135.0, 223.0 / 54.0, -32.0 / 27.0},
     {-1444528.0 / 1603800.0, 8050045.0 / 1603800.0, -4725605.0 / 1603800.0,
      -20338960.0 / 1603800.0, 3085640.0 / 1603800.0},
     {6.220997955214429},
     {-3.4527288879001268},
     {-1.6507936507936507, 2.005408583186361}},
    {3,
     1,
     1.0 / 8064.0,
     {-13.0 / 18.0, -2.0 / 9.0},
     {101.0 / 7128.0, -1685.0 / 1782.0, -829.0 / 1782.0},
     {1.9098284139598072, 41.0 / 192.0 * PI2 - 4.646868015386534, 2.3020866307903347,
      -0.5813492634480288},
     {0.5368150316615179, 1.4497991763035063},
     {-26.0 / 63.0, 0.2980599647266314, -0.0058477188106817735}},
    {4,
     4,
     1280.0 / 567.0,
     {-269.0 / 220.0, 587.0 / 132.0, -175.0 / 88.0},
     {-511573572.0 / 317116800.0, 2338945704.0 / 317116800.0, -313857376.0 / 317116800.0,
      -6733146000.0 / 317116800.0, 1252563795.0 / 317116800.0},
     {15.108111214795123},
     {-8.857121657199649},
     {-3.627128427128427, 4.434988849534304}},
    {4,
     3,
     729.0 / 4480.0,
     {-111.0 / 88.0, 547.0 / 176.0, -10.0 / 11.0},
     {-6894273.0 / 7047040.0},
     {8.519456157072423},
     {-5.353216984886716},
     {-2.0402597402597404, 2.5735094451003544}},
    {4,
     2,
     5.0 / 3969.0,
     {-191.0 / 220.0, 353.0 / 132.0, -19.0 / 88.0},
     {-114859044.0 / 317116800.0, 295834536.0 / 317116800.0, 1204388696.0 / 317116800.0,
      -3047981160.0 / 317116800.0, -379526805.0 / 317116800.0},
     {848238724511.0 / 219761942400.0},
     {-0.6621921297263365},
     {-0.9067821067821067, 0.787251738160829}},
    {4,
     1,
     1.0 / 282240.0,
     {-301.0 / 264.0, 1385.0 / 528.0, -6.0 / 11.0},
     {-7775491.0 / 21141120.0},
     {0.6981550175535535},
     {-0.7931524512893319},
     {-0.2266955266955267, 0.2584672482399755}},
    {5,
     5,
     9765625.0 / 2433024.0,
     {-487.0 / 390.0, 649.0 / 195.0, -256.0 / 195.0},
     {-3353747.0 / 2129400.0},
     {15.939827047208668},
     {-10.272578060123237},
     {-3.6037296037296036, 4.500041838503377}},
    {5,
     4,
     4096.0 / 13365.0,
     {-2908.0 / 2275.0, 96019.0 / 13650.0, -127610.0 / 13650.0, 33320.0 / 13650.0},
     {-1.0442142414362194},
     {10.252052781721588},
     {0.0},
     {-2.3063869463869464}},
    {5,
     3,
     2187.0 / 450560.0,
     {-25.0 / 26.0, 85.0 / 39.0, -88.0 / 195.0},
     {-410833.0 / 709800.0},
     {5.733973288504755},
     {-1.9573287625526001},
     {-1.2973426573426574, 1.2474448628294783}},
    {5,
     2,
     4.0 / 40095.0,
     {-15828.0 / 13650.0, 84679.0 / 13650.0, -104930.0 / 13650.0, 21980.0 / 13650.0},
     {-0.4629337197600934},
     {2.354458371550237},
     {0.0},
     {-0.5765967365967366}},
    {5,
     1,
     1.0 / 127733760.0,
     {-319.0 / 390.0, 313.0 / 195.0, -4.0 / 195.0},
     {-31877.0 / 304200.0},
     {0.642701885362399},
     {-0.07651588046467575},
     {-0.14414918414918415, 0.11790664036817883}},
};

static double poly(const double *c, int n, double nu) {
  double sum = 0.0;
  while (n > 0) sum = sum * nu + c[--n];
  return sum;
}

static double amplitude(const multipole *w, double nu, double d, double x) {
  const double E = TX_EULER + log(2.0 * w->m * sqrt(x));
  const double second = w->p2[1] == 0.0 ? w->p2[0] : poly(w->p2, 5, nu) / (d * d);
  const double c[5] = {poly(w->p1, 4, nu) / d, second, poly(w->p3, 4, nu) + w->e[0] * E,
                       w->p[0] + w->e[1] * E, w->p[1] + w->e[2] * E};
  return 1.0 + x * poly(c, 5, x);
}

/* Return the terms of the spins, a = X1 chi1, b = X2 chi2, body 1 the heavier one: to the amplitude, where m is even; to its power l times
 * X1 - X2, where m is odd. arXiv:1406.6913, with the squares that arXiv:1806.01772 adds. */
static double of_spins(const multipole *w, double nu, const tx_eob *e, double x) {
  const double X12 = e->unequal, s = e->sum, d = e->difference, v = sqrt(x), v3 = v * x;
  const double squares = s * d, all = s * s; /* a^2 - b^2, (a + b)^2 */
  switch (10 * w->l + w->m) {
  case 22:
    return v3 *
           (-0.5 * s - d * X12 / 6.0 + 0.5 * all * v -
            ((52.0 / 63.0 + 19.0 / 504.0 * nu) * s + (50.0 / 63.0 + 209.0 / 504.0 * nu) * d * X12) *
                x +
            ((38.0 - 140.0 * nu) * d * d + (243.0 * nu - 302.0) * all + 442.0 * X12 * s * d) /
                504.0 * v3);
  case 21:
    return -1.5 * d * v + ((110.0 / 21.0 + 79.0 / 84.0 * nu) * d - 13.0 / 84.0 * s * X12) * v3 +
           (-27.0 * squares + X12 * (4.0 * all - d * d)) / 8.0 * x * x;
  case 33:
    return ((2.5 * nu - 0.25) * d - 1.75 * s * X12) * v3 + 1.5 * all * X12 * x * x;
  case 32:
    return (s - d * X12) / (3.0 - 9.0 * nu) * v;
  case 31:
    return ((6.5 * nu - 2.25) * d + 0.25 * s * X12) * v3 +
           (1.5 * all * X12 - 4.0 * squares) * x * x;
  case 44:
    return -(19.0 * s + (1.0 - 21.0 * nu) / (1.0 - 3.0 * nu) * d * X12) / 30.0 * v3;
  case 42:
    return -(s + (19.0 - 39.0 * nu) / (1.0 - 3.0 * nu) * d * X12) / 30.0 * v3;
  case 43:
  case 41:
    return 1.25 * (s * X12 / (1.0 - 2.0 * nu) - d) * v;
  default:
    return 0.0;
  }
}

/* |T|^2 = |Gamma(l + 1 - 2 i k)|^2 exp(2 pi k) / l!^2: arXiv:0811.2069. */
static double tail(int l, double k) {
  const double y = 4.0 * M_PI * k;
  double product = y / (1.0 - exp(-y));
  for (int s = 1; s <= l; s++) product *= 1.0 + 4.0 * k * k / (s * s);
  return product;
}

/* Return the flux of one multipole over that of (2,2) of a light body at leading order. */
static double share(const multipole *w, const tx_eob *e, double x, double energy, double source) {
  const double nu = e->nu, k = w->l + (w->l + w->m) % 2;
  const double d = k < 4   ? 1.0
                   : k < 5 ? 1.0 - 3.0 * nu
                   : k < 6 ? 1.0 - 2.0 * nu
                           : 1.0 - 5.0 * nu + 5.0 * nu * nu;
  const double rho = amplitude(w, nu, d, x), spins = of_spins(w, nu, e, x);
  const double f = w->m % 2 ? e->unequal * pow(rho, w->l) + spins : pow(rho + spins, w->l);
  const double h = d * source * f;
  return w->flux * pow(x, k - 2.0) * tail(w->l, w->m * energy) * h * h;
}

/* Alvi 2001, gr-qc/0107080, as arXiv:1406.6913 has it: over the flux of (2,2) at leading order. */
static double absorbed(const tx_pair *b, double x) {
  const double m[2] = {b->m1, b->m2}, chi[2] = {b->chi1, b->chi2};
  double sum = 0.0;
  for (int a = 0; a < 2; a++) {
    const double c = m[a] * m[a] * m[a] * (1.0 + 3.0 * chi[a] * chi[a]);
    const double rest = sqrt(fmax(1.0 - chi[a] * chi[a], 0.0));
    sum += c * (0.5 * m[a] * (1.0 + rest) * x * x * x * x - 0.25 * chi[a] * x * x * sqrt(x));
  }
  return sum;
}

/* Return the factor of the amplitude of (2,2) for orbits that are no circles: arXiv:1703.06814, fits to evolutions without spins. */
static double noncircular(const tx_eob *e, const tx_eob_orbit *o, double w) {
  const double X = pow(1.0 - 4.0 * e->nu, 2), a = tx_eob_tortoise(e, o->r);
  const double a1 = -0.0805236959 * (1.0 - 2.00332326 * X) / (1.0 + 3.08595088 * X);
  const double a2 = 1.5299534255 * (1.0 + 1.16438929 * X) / (1.0 + 1.92033923 * X);
  /* d^2r/dt^2 without losses and without terms of p_r^2; steps are long enough that rounding does not show. */
  const double dr = 1e-3, dp = 1e-2;
  const double by_r = (tx_eob_energy(e, o->r + dr, o->p_r, o->p_phi) -
                       tx_eob_energy(e, o->r - dr, o->p_r, o->p_phi)) /
                      (2.0 * dr);
  const double by_pp =
      (tx_eob_energy(e, o->r, dp, o->p_phi) - tx_eob_energy(e, o->r, 0.0, o->p_phi)) /
      (0.5 * dp * dp);
  const double pull = -a * a * by_r * by_pp;
  return 1.0 + a1 * pow(o->p_r / (o->r * w), 2) + a2 * pull / (o->r * w * w);
}

double tx_eob_torque(const tx_eob *e, const tx_eob_orbit *o, double w) {
  const double energy = 1.0 + e->nu * tx_eob_energy(e, o->r, o->p_r, o->p_phi);
  const double effective = 1.0 + (energy * energy - 1.0) / (2.0 * e->nu);
  const double r = tx_eob_kepler(e, o->r, o->p_phi), v = r * w, x = v * v;
  double sum = absorbed(&e->pair, x);
  for (int n = 0; n < MODES; n++) {
    const multipole *mode = &multipoles[n];
    const double source = (mode->l + mode->m) % 2 ? o->p_phi / (r * v) : effective;
    const double flux = share(mode, e, x, energy * w, source);
    sum += n == 0 ? flux * pow(noncircular(e, o, w), 2) : flux;
  }
  return -32.0 / 5.0 * e->nu * pow(r, 4) * pow(w, 5) * sum;
}
