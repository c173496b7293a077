#include "base/version.h"

#include "base/grid.h"
#include "version_data.h" /* made at each build by version.cmake: TX_VERSION, TX_BUILD */

#define TEXT_(x) #x
#define TEXT(x)  TEXT_(x)

const char *tx_version(void) {
  return TX_VERSION;
}

const char *tx_build(void) {
  return TX_BUILD ", octants of " TEXT(TX_N) "^3 points";
}
