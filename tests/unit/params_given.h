/* Parameters given as overrides, and what refusals say: for the tests of parameters. */
#pragma once

#include <stdio.h>
#include <string.h>
#include "params/params.h"
#include "support/cmocka.h"

/* Demands beside those of parameters on each other. */
#ifndef DEMANDS
#define DEMANDS NULL
#endif

/* Overrides that ask for these data. */
#define ONE      "initial_data.type=single_puncture; grid.level_max=4; initial_data.bh1_mass=1"
#define TWO      "initial_data.type=brill_lindquist; grid.level_max=4; initial_data.bh1_mass=1; "
#define MASS2    "initial_data.bh2_mass=1; "
#define MIRRORED "initial_data.bh1_position=0,0,1; initial_data.bh2_position=0,0,-1; "
#define WAVE     "initial_data.type=linear_wave; initial_data.wavelength=16; "

/* Overrides are separated by "; ". */
static inline tx_status read_set(const char *sets, tx_params *p) {
  static char copy[1024];
  const char *set[24];
  int n = 0;
  snprintf(copy, sizeof copy, "%s", sets);
  for (char *at = copy; at; n++) {
    set[n] = at;
    at = strstr(at, "; ");
    if (at) *at = 0, at += 2;
    if (at && !*at) at = NULL;
  }
  return tx_params_read(MPI_COMM_WORLD, NULL, n, set, DEMANDS, p);
}

static inline void assert_says(const char *what, tx_status status, const char *fragment) {
  if (status == TX_ERR_PARAM && strstr(tx_error_text(), fragment)) return;
  print_error("%s\n  gives: %d %s\n  instead of: %s\n", what, status, tx_error_text(), fragment);
  fail();
}
