/* Bare masses that give punctures their ADM masses M_a = m_a (1 + u_a + \sum_{b != a} m_b/(2 d_ab)).
 *
 * Broyden's method for M^2 as a function of m^2, both in units of the squares that are wanted. Near the largest spin m is small and
 * u_a large, and M hardly changes with m; but the slope of M^2, of one puncture with S = 0.9 M^2, stays between 0.6 and 0.8 all the
 * way down. Local. */
#pragma once

#include <stdbool.h>
#include "physics/initial_data/two_punctures_point.h"

/** The iteration so far; begins as {0}. */
typedef struct tx_bare_masses {
  bool begun;
  double bare2[TX_PUNCTURES_MAX], adm2[TX_PUNCTURES_MAX]; /**< of the call before */
  double slope[TX_PUNCTURES_MAX][TX_PUNCTURES_MAX];       /**< d adm2[a] / d bare2[b] */
} tx_bare_masses;

/** Find the next bare masses b->mass [in|out], where those given make the ADM masses `adm`; none falls below 0.3 of what it
 *  was. learns: ADM masses differ from those of the call before by bare masses alone, u being solved for anew on the same
 *  grid. */
void tx_bare_masses_next(tx_bare_masses *s, const double *wanted, const double *adm, bool learns,
                         tx_bowen_york *b);
