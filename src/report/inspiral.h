/* Holes as they were before they merged with others: from the rows of horizons.asc, so that a restart
 * changes nothing. */
#pragma once

#include <stdint.h>
#include "base/status.h"

/** A number that changes little in a while: median, half the distance between the quartiles, and the slope of a straight
 *  line, 1/M, 0 of a single row. */
typedef struct tx_typical {
  double median, spread, slope;
} tx_typical;

/** A hole before the first horizon about it and others: its rows without the first tenth of their time, when junk radiation
 *  passes it, and, where there is such a horizon, without the last tenth, when tides change what is measured. */
typedef struct tx_inspiral {
  int64_t
      rows; /**< searches that found it in this time, at least one; 0: none, and the rest but `lost` is 0 */
  double from, to; /**< times of the first and the last of them, M */
  double
      lost; /**< time of the first search in vain since it was seen last, M; NaN: there is none */
  tx_typical mass, mass_irreducible, chi, spin[3];
  double
      fall; /**< largest fall of the irreducible mass from one time to a later one, M: no horizon can shrink */
} tx_inspiral;

/** Local. Holes 1 to n of the horizons.asc at `path`; a file that is not there has no rows. merger[n]: when a horizon about
 *  each and others was first seen, M; negative: never. Errors: TX_ERR_MEMORY. */
tx_status tx_inspiral_read(const char *path, int n, const double *merger, tx_inspiral *out);
