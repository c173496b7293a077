/* Integer types that say their scope, and the tag of functions that both gcc and nvcc compile. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/** Counts and indices on one rank. Products of counts are taken in size_t. */
typedef int32_t tx_lidx;

/** Counts and indices over all ranks. */
typedef int64_t tx_gidx;

/** Marks a `static inline` function of the common subset of C11 and CUDA C++. */
#ifdef __CUDACC__
#define TX_HD __host__ __device__
#else
#define TX_HD
#endif

/** Lets C++ evaluate such a function while it compiles. */
#ifdef __cplusplus
#define TX_CONSTEXPR constexpr
#else
#define TX_CONSTEXPR
#endif
