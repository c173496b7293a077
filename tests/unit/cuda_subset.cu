/* Compiled, not run: the arithmetic of a point stays in the common subset of C11 and CUDA C++. The
 * headers physics/..._point.h are included by cuda_subset.sh; here are the generated files, on
 * values and derivatives jet[variable][10] = u, d_x u, d_y u, d_z u, d_xx .. d_zz. */
#include "base/types.h"
#include "physics/variables.h"

__global__ void initial_data(const tx_initial_data *id, double t, const double *x, double *u,
                             double *psi4) {
  tx_initial_data_at(id, t, x, u);
  tx_teukolsky_psi4_radial(&id->teukolsky, t, x[0], psi4);
}

#define TX_VALUE(v)    jet[TX_VAR_##v][0]
#define TX_D(v, i)     jet[TX_VAR_##v][1 + (i)]
#define TX_DD(v, i, j) jet[TX_VAR_##v][4 + (i) * (5 - (i)) / 2 + (j)]
#define TX_LOAD0(v)
#define TX_LOAD1(v)
#define TX_LOAD2(v)
#define TX_SQRT(e) sqrt(e)
typedef double tx_real;

#define TX_STORE(v, e) out[TX_VAR_##v] = (e)
#define TX_ADV(v)      adv[TX_VAR_##v]
__global__ void rhs(const double (*jet)[10], const double *adv, const double *scalars,
                    double *out) {
  const double lapse_c0 = scalars[0], lapse_c1 = scalars[1], lambda_f0 = scalars[2];
  const double lambda_f1 = scalars[3], eta = scalars[4], advect_Gt = scalars[5];
  const double shift_on = scalars[6];
#include "physics/generated/bssn_rhs.inc"
}
#undef TX_STORE
#define TX_STORE(v, e) out[OUT_##v] = (e)

enum { OUT_H, OUT_M0, OUT_M1, OUT_M2, OUT_G0, OUT_G1, OUT_G2 };
__global__ void constraints(const double (*jet)[10], double *out) {
#include "physics/generated/bssn_constraints.inc"
}

enum { OUT_E00, OUT_E01, OUT_E02, OUT_E11, OUT_E12, OUT_E22 };
enum { OUT_B00 = 6, OUT_B01, OUT_B02, OUT_B11, OUT_B12, OUT_B22 };
__global__ void weyl(const double (*jet)[10], double *out) {
#include "physics/generated/bssn_weyl.inc"
}
