/* The system as the rest of the program knows it. */
#include "params/demand.h"
#include "physics/octant/octant.h"

#ifdef TX_FIRST_SCHEME
const tx_variable_info TX_OF(variables)[TX_VARS] = {
#define V(enumerator, name, px, py, pz, infinity, falloff, speed, positive, watched, initial,      \
          text)                                                                                    \
  {#name, {px, py, pz}, infinity, falloff, speed, positive, watched, #initial, text},
#include TX_SYSTEM_VARIABLES
#undef V
};
#ifdef TX_SYSTEM_ANALYSIS
const tx_analysis_info TX_OF(quantities)[TX_ANALYSES] = {
#define A(enumerator, name, px, py, pz, text, unit) {#name, {px, py, pz}, text, unit},
#include TX_SYSTEM_QUANTITIES
#undef A
};
#endif
#endif

#ifdef TX_SYSTEM_ANALYSIS
_Static_assert(TX_ANALYSES <= TX_SYSTEM_VARS, "a system has too many analysis quantities");
#endif
#ifdef TX_SYSTEM_CONSTRAINTS
_Static_assert((int)TX_ANALYSIS_H == TX_CONSTRAINT_H && (int)TX_ANALYSIS_G2 == TX_CONSTRAINT_G2,
               "constraints are the first analysis quantities and numbered alike in all systems");
#endif

_Static_assert(TX_VARS <= TX_SYSTEM_VARS, "a system has too many variables");
_Static_assert(TX_OWN <= TX_SYSTEM_OWN, "a system has too many parameters");

static void parameters(const tx_params *p, double own[TX_SYSTEM_OWN]) {
  (void)p, (void)own; /* not every system has some */
#define P(number, member) own[number] = p->member;
  TX_SYSTEM_PARAMETERS(P)
#undef P
}

/* Counted in tx_block_derive0, 1 and 2, ghost rows shared out over the points. */
#define D1_FLOPS (1.5 * TX_FD_ORDER - 2.0)
#define KO_FLOPS (3.0 * TX_KO)
#define D2_FLOPS ((double)TX_FD_ORDER)
#define UPWIND   (TX_UPWINDED * (3.0 * TX_K * 3 + 8))
#define DY_ROWS  ((double)TX_P / TX_N)
#define DZ_ROWS  ((double)(TX_P + 2 * TX_K) / TX_N)
#define LOAD_FLOPS(order)                                                                          \
  ((order) == 2 ? D1_FLOPS * (4 + DY_ROWS + DZ_ROWS) + 3 * (KO_FLOPS + D2_FLOPS) + 21 + UPWIND     \
                : 3 * (D1_FLOPS + KO_FLOPS) + 12 + 3 * (order) + UPWIND)

/* Operations without dissipation and advection. */
#define PLAIN1_FLOPS (3 * D1_FLOPS + 3)
#define PLAIN2_FLOPS (D1_FLOPS * (4 + DY_ROWS + DZ_ROWS) + 3 * D2_FLOPS + 12)

static size_t scratch_bytes(void) {
  const size_t rhs = TX_BY_SCHEME(rhs_scratch)(), analysis = TX_BY_SCHEME(analysis_scratch)();
  return rhs > analysis ? rhs : analysis;
}

/* Numbers in the table of all; the last is no parameter's. */
static const int own[] = {
#define P(number, member) [number] = TX_PARAM_##member,
    TX_SYSTEM_PARAMETERS(P)
#undef P
        [TX_OWN] = -1};

#define TEXT_(name) #name
#define TEXT(name)  TEXT_(name)

const tx_system TX_THIS_SYSTEM = {
    .name = TEXT(TX_SYSTEM),
    .digest = TX_SYSTEM_DIGEST,
    .order = TX_FD_ORDER,
    .upwinded = TX_UPWINDED,
    .dissipation_order = 2 * TX_KO - 1,
    .n_vars = TX_VARS,
    .variable = TX_OF(variables),
    .parameters = parameters,
    .own = own,
#ifdef TX_SYSTEM_STABILITY
    .modes = TX_OF(modes),
#endif
    .shift_apart = TX_SYSTEM_SHIFT_APART,
    .scratch_bytes = scratch_bytes,
    .rhs_flops = TX_RHS_OPERATIONS + TX_RHS_LOADS_0 * LOAD_FLOPS(0) +
                 TX_RHS_LOADS_1 * LOAD_FLOPS(1) + TX_RHS_LOADS_2 * LOAD_FLOPS(2),
    .rhs_bytes = 2.0 * TX_VARS * sizeof(double),
    .mixed = TX_RHS_MIXED,
    .rhs_begin = TX_BY_SCHEME(rhs_begin),
    .rhs_take = TX_BY_SCHEME(rhs_take),
    .rhs_end = TX_BY_SCHEME(rhs_end),
    .enforce = TX_OF(enforce),
    .floors = TX_OF(floors),
#ifdef TX_SYSTEM_INITIAL
    .initial_at = TX_OF(initial_at),
#endif
#ifdef TX_SYSTEM_SHIFT
    .shift = {TX_SYSTEM_SHIFT, 3},
#endif
#ifdef TX_SYSTEM_LAPSE
    .lapse = TX_SYSTEM_LAPSE,
#else
    .lapse = -1,
#endif
#ifdef TX_SYSTEM_METRIC
    .factor = TX_SYSTEM_FACTOR,
    .metric = TX_SYSTEM_METRIC,
    .adm = {TX_ADM_FIRST, TX_ADM_VARS},
    .adm_at = TX_OF(adm_at),
    .metric_at = TX_OF(metric_at),
#else
    .factor = -1,
    .metric = -1,
#endif
#ifdef TX_SYSTEM_ANALYSIS
    .n_analyses = TX_ANALYSES,
    .quantity = TX_OF(quantities),
    .analysis = TX_BY_SCHEME(analysis),
    .analysis_flops = TX_ANALYSIS_OPERATIONS + TX_ANALYSIS_LOADS_1 * PLAIN1_FLOPS +
                      TX_ANALYSIS_LOADS_2 * PLAIN2_FLOPS,
#endif
#ifdef TX_SYSTEM_CONSTRAINTS
    .constraints = TX_BY_SCHEME(analysis),
#endif
#ifdef TX_SYSTEM_WEYL
    .sphere = {TX_SPHERE_FIRST, TX_VARS - TX_SPHERE_FIRST},
    .psi4_at = TX_OF(psi4_at),
    .expansion_at = TX_OF(expansion_at),
#endif
};
