/* The ringdown of the remnant of initial data, and where the wave zone of their holes begins. */
#pragma once

#include <stdbool.h>
#include "physics/initial_data/initial_data.h"

/** Return M w of the ringdown of mode l = m of a hole of spin a. Local. */
double tx_ringdown_frequency(int l, double a);

/** Return the wavelength, M, of the ringdown of mode l = m after a merger of all holes, with a guess of its spin. Local. */
double tx_ringdown_wavelength(const tx_adm_numbers *adm, int l);

/** Return the radius, M, from which on a sphere sees waves of the holes: beyond a wavelength of the ringdown, beyond the near
 *  zone of the orbit, 1/(2 w), if they `orbit`, and well outside the holes; *what [out]: which of these. 0 without holes. Local. */
double tx_wave_zone(const tx_adm_numbers *adm, bool orbit, const char **what);
