/* Define the functions of a generated file whose tx_real is a tx_vec, with simd_functions.h;
 * undefine.h ends them. TX_UNIFORM subtracts 0, as -0 + 0 is +0. */

#define TX_UNIFORM(e)            ((e) - (tx_vec){0.0})
#define TX_SQRT(e)               tx_vec_sqrt(e)
#define TX_EXP(e)                tx_vec_exp(e)
#define TX_LOG(e)                tx_vec_log(e)
#define TX_SIN(e)                tx_vec_sin(e)
#define TX_COS(e)                tx_vec_cos(e)
#define TX_TAN(e)                tx_vec_tan(e)
#define TX_TANH(e)               tx_vec_tanh(e)
#define TX_POW(e, power)         tx_vec_pow(e, power)
#define TX_ABS(e)                tx_vec_abs(e)
#define TX_MIN(a, b)             tx_vec_min(a, b)
#define TX_MAX(a, b)             tx_vec_max(a, b)
#define TX_WHERE(holds, yes, no) tx_vec_where(holds, yes, no)
