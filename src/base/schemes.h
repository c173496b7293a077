/* Schemes: finite differences that right-hand sides and constraints are taken with. What depends on them is compiled once for
 * each scheme that the build names (TENDEX_SCHEMES); that of order 2 TX_K, centred, is always there, and has no suffix. */
#pragma once

#include "base/grid.h"

/* S(a, suffix, order, upwinded, half width of the dissipation) of the others, nothing of those that are not compiled. */
#ifdef TX_WITH_SCHEME_4
#define TX_SCHEME_4_(S, a) S(a, _4, 4, false, 3)
#else
#define TX_SCHEME_4_(S, a)
#endif
#ifdef TX_WITH_SCHEME_4u
#define TX_SCHEME_4U_(S, a) S(a, _4u, 4, true, 3)
#else
#define TX_SCHEME_4U_(S, a)
#endif
#ifdef TX_WITH_SCHEME_6
#define TX_SCHEME_6_(S, a) S(a, _6, 6, false, 4)
#else
#define TX_SCHEME_6_(S, a)
#endif
#ifdef TX_WITH_SCHEME_6d5
#define TX_SCHEME_6D5_(S, a) S(a, _6d5, 6, false, 3)
#else
#define TX_SCHEME_6D5_(S, a)
#endif
#ifdef TX_WITH_SCHEME_6u
#define TX_SCHEME_6U_(S, a) S(a, _6u, 6, true, 4)
#else
#define TX_SCHEME_6U_(S, a)
#endif

/** S(a, suffix, order, upwinded, half width of the dissipation) of every scheme of this program. */
#define TX_SCHEMES(S, a)                                                                           \
  S(a, , 2 * TX_K, false, TX_K)                                                                    \
  TX_SCHEME_4_(S, a) TX_SCHEME_4U_(S, a) TX_SCHEME_6_(S, a) TX_SCHEME_6D5_(S, a) TX_SCHEME_6U_(S, a)

/* The one that a file is compiled for: its suffix, and whether advection is upwinded. */
#ifndef TX_SCHEME
#define TX_SCHEME
#define TX_FIRST_SCHEME
#endif
#ifndef TX_UPWINDED
#define TX_UPWINDED 0
#endif
#define TX_SCHEME_NAME_(name, suffix) name##suffix
#define TX_SCHEME_NAME(name, suffix)  TX_SCHEME_NAME_(name, suffix)
/** name, with the suffix of the scheme. */
#define TX_OF_SCHEME(name) TX_SCHEME_NAME(name, TX_SCHEME)
