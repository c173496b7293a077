/* Complex numbers of C11. */
#pragma once

#include <complex.h>

/* The C library has CMPLX for gcc alone; clang has what it takes. */
#ifndef CMPLX
#define CMPLX(re, im) __builtin_complex((double)(re), (double)(im))
#endif
