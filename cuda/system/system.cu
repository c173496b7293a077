/* Table of the system's kernels for the rest of the backend. */
#include "cuda/system/system.cuh"

#define NAME TX_OF_SCHEME(TX_PASTE(tx_cuda_, TX_SYSTEM, ))

extern const tx_cuda_system NAME;

const tx_cuda_system NAME = {
    &TX_THIS_SYSTEM,
    {TX_BY_SCHEME(cuda_stage), TX_BY_SCHEME(cuda_stage_small)},
    {TX_BY_SCHEME(cuda_stage_shared), TX_BY_SCHEME(cuda_stage_small_shared)},
    TX_OF(cuda_boundary),
    TX_OF(cuda_enforce),
#ifdef TX_SYSTEM_ANALYSIS
    TX_BY_SCHEME(cuda_analysis),
#else
    NULL,
#endif
#ifdef TX_SYSTEM_CONSTRAINTS
    TX_BY_SCHEME(cuda_constraints),
#else
    NULL,
#endif
#ifdef TX_SYSTEM_WEYL
    TX_OF(cuda_psi4),
#else
    NULL,
#endif
};

/* Add the kernels of a system that is not built in. */
extern "C" void TX_BY_SCHEME(cuda_add)(void);
void TX_BY_SCHEME(cuda_add)(void) {
  tx_cuda_system_add(&NAME);
}
