/* Notes that parts of `tendex check' give. */
#include <stdarg.h>
#include <stdio.h>
#include "advice/check.h"
#include "base/log.h"
#include "physics/initial_data/wave_zone.h"

void tx_check_note(tx_check *c, const char *format, ...) {
  char text[1024];
  va_list values;
  va_start(values, format);
  vsnprintf(text, sizeof text, format, values);
  va_end(values);
  tx_log("note: %s", text);
  if (c->said) tx_text_add(c->said, "%s\n", text);
  c->notes++;
}

void tx_check_note_near_zone(tx_check *c, const char *list, double r, double better) {
  const char *what;
  char give[32] = "a larger radius";
  const double far = tx_wave_zone(&c->adm, c->orbits, &what);
  if (better > 0.0) snprintf(give, sizeof give, "r = %g M", better);
  if (r < far)
    tx_check_note(c, "r = %g M of %s is too close, below %.3g M, %s: give %s", r, list, far, what,
                  give);
}
