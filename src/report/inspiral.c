#include "report/inspiral.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/grid.h"
#include "base/memory.h"

/* Shares of the time that are left out: at its beginning, and before a merger. */
#define SETTLES 0.1
#define TIDES   0.1

/* What is taken of a row. */
enum { TIME, MASS, CHI, SPIN, IRREDUCIBLE = SPIN + 3, COLUMNS };

typedef struct hole {
  int64_t n, room;
  double (*row)[COLUMNS];
  double lost;
} hole;

static tx_status add(hole *h, const double row[COLUMNS]) {
  if (h->n == h->room) {
    const int64_t room = 2 * h->room + 256;
    TX_TRY(tx_realloc((size_t)room, sizeof *h->row, "rows of horizons", &h->row));
    h->room = room;
  }
  memcpy(h->row[h->n++], row, sizeof *h->row);
  return TX_OK;
}

/* Rows of before each merger, and whether the hole is there still. */
static tx_status read_rows(FILE *f, int n_holes, const double *merger, hole *holes) {
  char line[1024];
  while (fgets(line, sizeof line, f)) {
    double row[COLUMNS] = {0.0};
    int k = 0, found = 0;
    int n =
        sscanf(line, "%*d %lf %d %d %lf %lf %lf %lf %lf %lf", &row[TIME], &k, &found, &row[MASS],
               &row[CHI], &row[SPIN], &row[SPIN + 1], &row[SPIN + 2], &row[IRREDUCIBLE]);
    if (n < 3 || k < 1 || k > n_holes || (found && n != 9)) continue;
    hole *h = &holes[k - 1];
    if (found)
      h->lost = NAN;
    else if (isnan(h->lost))
      h->lost = row[TIME];
    if (found && (merger[k - 1] < 0.0 || row[TIME] < merger[k - 1])) TX_TRY(add(h, row));
  }
  return TX_OK;
}

static int ascending(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return x < y ? -1 : x > y;
}

/* The value below which the share q of the sorted values lies, linear between two of them. */
static double quantile(int64_t n, const double *sorted, double q) {
  const double at = q * (double)(n - 1);
  const int64_t i = (int64_t)at < n - 1 ? (int64_t)at : n - 1, next = i + 1 < n ? i + 1 : i;
  return sorted[i] + (at - (double)i) * (sorted[next] - sorted[i]);
}

/* Of the straight line of least squares over the rows from the first on. */
static double slope(const hole *h, int64_t first, int column) {
  double t = 0.0, x = 0.0, tt = 0.0, tx = 0.0;
  const double n = (double)(h->n - first);
  for (int64_t i = first; i < h->n; i++) {
    t += h->row[i][TIME] / n;
    x += h->row[i][column] / n;
  }
  for (int64_t i = first; i < h->n; i++) {
    const double since = h->row[i][TIME] - t;
    tt += since * since;
    tx += since * (h->row[i][column] - x);
  }
  return tt > 0.0 ? tx / tt : 0.0;
}

static double largest_fall(const hole *h, int64_t first) {
  double top = 0.0, fall = 0.0;
  for (int64_t i = first; i < h->n; i++) {
    top = fmax(top, h->row[i][IRREDUCIBLE]);
    fall = fmax(fall, top - h->row[i][IRREDUCIBLE]);
  }
  return fall;
}

static tx_typical typical(const hole *h, int64_t first, int column, double *sorted) {
  const int64_t n = h->n - first;
  for (int64_t i = 0; i < n; i++) sorted[i] = h->row[first + i][column];
  qsort(sorted, (size_t)n, sizeof *sorted, ascending);
  return (tx_typical){
      .median = quantile(n, sorted, 0.5),
      .spread = 0.5 * (quantile(n, sorted, 0.75) - quantile(n, sorted, 0.25)),
      .slope = slope(h, first, column),
  };
}

static tx_status summarize(hole *h, bool merged, tx_inspiral *out) {
  double *sorted = NULL;
  int64_t first = 0;
  *out = (tx_inspiral){.lost = h->n > 0 ? h->lost : NAN};
  if (h->n == 0) return TX_OK;
  const double start = h->row[0][TIME], end = h->row[h->n - 1][TIME];
  while (h->row[first][TIME] < start + SETTLES * (end - start)) first++;
  if (merged)
    while (h->n > first + 1 && h->row[h->n - 1][TIME] > end - TIDES * (end - start)) h->n--;
  TX_TRY(tx_alloc((size_t)(h->n - first), sizeof *sorted, "rows of horizons", &sorted));
  out->rows = h->n - first;
  out->from = h->row[first][TIME];
  out->to = h->row[h->n - 1][TIME];
  out->mass = typical(h, first, MASS, sorted);
  out->mass_irreducible = typical(h, first, IRREDUCIBLE, sorted);
  out->chi = typical(h, first, CHI, sorted);
  for (int d = 0; d < 3; d++) out->spin[d] = typical(h, first, SPIN + d, sorted);
  out->fall = largest_fall(h, first);
  tx_free(sorted);
  return TX_OK;
}

tx_status tx_inspiral_read(const char *path, int n, const double *merger, tx_inspiral *out) {
  hole holes[TX_PUNCTURES_MAX] = {{.n = 0}};
  for (int k = 0; k < n; k++) holes[k].lost = NAN;
  tx_status status = TX_OK;
  FILE *f = fopen(path, "r");
  if (f) status = read_rows(f, n, merger, holes);
  if (f) fclose(f);
  for (int k = 0; k < n; k++) {
    TX_THEN(status, summarize(&holes[k], merger[k] >= 0.0, &out[k]));
    tx_free(holes[k].row);
  }
  return status;
}
