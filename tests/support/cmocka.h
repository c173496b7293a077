/* cmocka with what it wants before it, and what most tests ask of a call. */
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "base/status.h"

/** Fail with the error's text if the call does. */
#define OK(call)                                                                                   \
  do {                                                                                             \
    if ((call) != TX_OK) fail_msg("%s", tx_error_text());                                          \
  } while (0)
