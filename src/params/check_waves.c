/* Demands of the spheres of the section waves. */
#include "params/table.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include "base/text.h"

/* Files and data sets are named by radii with two decimals. */
static tx_status check_radius_names(const tx_reals *radii, int i, const tx_param_source *s) {
  char name[40], other[40], mine[40], others[40];
  snprintf(name, sizeof name, "%.2f", radii->v[i]);
  for (int j = 0; j < i; j++) {
    TX_DEMAND(radii->v[i] != radii->v[j], s, waves_radii, "%g is given twice; remove one",
              radii->v[i]);
    snprintf(other, sizeof other, "%.2f", radii->v[j]);
    tx_real_text(radii->v[j], others, sizeof others);
    tx_real_text(radii->v[i], mine, sizeof mine);
    TX_DEMAND(
        strcmp(name, other) != 0, s, waves_radii,
        "%s and %s would both be r%s in output file names; make them differ by 0.01 M or more",
        others, mine, name);
  }
  return TX_OK;
}

/* Readers take the radius from the name of the file, in which it has four digits. */
static tx_status check_worldtubes(const tx_params *p, const tx_param_source *s) {
  const tx_reals *radii = &p->waves_worldtubes;
  for (int i = 0; i < radii->n; i++) {
    TX_DEMAND(radii->v[i] == round(radii->v[i]), s, waves_worldtubes,
              "%.10g is not a whole number, and SpECTRE reads the radius from the file name, e.g. "
              "CceR0100.h5; give %.0f",
              radii->v[i], fmax(1.0, round(radii->v[i])));
    TX_DEMAND(
        radii->v[i] < p->grid_extent, s, waves_worldtubes,
        "the worldtube of radius %g M leaves the domain; give radii below grid.extent, which is "
        "%g M",
        radii->v[i], p->grid_extent);
    for (int j = 0; j < i; j++)
      TX_DEMAND(radii->v[i] != radii->v[j], s, waves_worldtubes, "%g is given twice; remove one",
                radii->v[i]);
  }
  return TX_OK;
}

tx_status tx_param_check_waves(const tx_params *p, const tx_param_source *s) {
  const tx_reals *radii = &p->waves_radii;
  for (int i = 0; i < radii->n; i++) {
    TX_DEMAND(
        radii->v[i] < p->grid_extent, s, waves_radii,
        "the sphere of radius %g M leaves the domain; give radii below grid.extent, which is %g M",
        radii->v[i], p->grid_extent);
    TX_TRY(check_radius_names(radii, i, s));
  }
  TX_DEMAND(p->waves_degree == 0 || p->waves_degree >= 2 * p->waves_l_max, s, waves_degree,
            "%d cannot separate modes up to waves.l_max %d; give 0 or at least %d", p->waves_degree,
            p->waves_l_max, 2 * p->waves_l_max);
  return check_worldtubes(p, s);
}
