#include "plan/templates.h"

#include <stdio.h>
#include <string.h>
#include "base/log.h"

/* Parameter files of par/, which the build makes arrays of. */
extern const unsigned char tx_template_bbh_qc0[], tx_template_head_on[];
extern const size_t tx_template_bbh_qc0_size, tx_template_head_on_size;

static const tx_template templates[] = {
    {.name = "merger",
     .purpose = "half an orbit and a merger: seconds on a GPU, 7 minutes on two cores",
     .file = tx_template_bbh_qc0,
     .n = &tx_template_bbh_qc0_size},
    {.name = "head-on",
     .purpose = "head-on collision: a minute on two cores",
     .file = tx_template_head_on,
     .n = &tx_template_head_on_size},
    {.name = "kick",
     .purpose = "equal masses, opposite spins: the remnant recoils at hundreds of km/s",
     .wish = {.q = 1.0, .chi = {{0.0, 0.0, 0.6}, {0.0, 0.0, -0.6}}, .orbits = 3.0}},
    {.name = "precession",
     .purpose = "a spin in the orbital plane, which precesses",
     .wish = {.q = 2.0, .chi = {{0.6, 0.0, 0.2}, {0.0, 0.0, 0.0}}, .orbits = 4.0}},
    {.name = "series",
     .purpose = "equal masses, no spins, three resolutions for convergence: three files",
     .wish = {.q = 1.0, .orbits = 4.0},
     .series = true},
};
#define TEMPLATES (sizeof templates / sizeof templates[0])

const tx_template *tx_template_find(const char *name) {
  for (size_t i = 0; i < TEMPLATES; i++)
    if (strcmp(templates[i].name, name) == 0) return &templates[i];
  return NULL;
}

void tx_template_names(char *text, size_t size) {
  size_t used = 0;
  for (size_t i = 0; i < TEMPLATES && used < size; i++)
    used += (size_t)snprintf(text + used, size - used, "%s%s", i ? ", " : "", templates[i].name);
}

void tx_template_list(void) {
  for (size_t i = 0; i < TEMPLATES; i++)
    tx_log("  %-12s %s", templates[i].name, templates[i].purpose);
}
