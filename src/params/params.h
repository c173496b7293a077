/* Parameters of a run, from params.def: `section.name` in YAML is `section_name` in the struct. */
#pragma once

#include <stdbool.h>
#include <stdio.h>
#include "base/grid.h"
#include "base/status.h"
#include "params/words.h"

#define TX_LIST_MAX   32
#define TX_STRING_MAX 256

/** A list of numbers. */
typedef struct tx_reals {
  int n;
  double v[TX_LIST_MAX];
} tx_reals;

/** One member a row of params.def, in its order: grid_extent, or grid_bhN_level[a] of puncture a from 0 on. Words are held as
 *  int. */
typedef struct tx_params {
#define MEMBER_BOOL(member)   bool member;
#define MEMBER_INT(member)    int member;
#define MEMBER_REAL(member)   double member;
#define MEMBER_WORD(member)   int member;
#define MEMBER_STRING(member) char member[TX_STRING_MAX];
#define MEMBER_VEC3(member)   double member[3];
#define MEMBER_REALS(member)  tx_reals member;
#define SECTION(name, text)
#define PARAM(kind, section, name, ...)       MEMBER_##kind(section##_##name)
#define PER_HOLE(n, kind, section, name, ...) MEMBER_##kind(section##_bhN_##name[n])
#include "params/params.def"
#undef MEMBER_BOOL
#undef MEMBER_INT
#undef MEMBER_REAL
#undef MEMBER_WORD
#undef MEMBER_STRING
#undef MEMBER_VEC3
#undef MEMBER_REALS
} tx_params;

/** A puncture as the parameters bhN_... describe it. */
typedef struct tx_params_hole {
  double mass;                              /**< M; 0: no puncture */
  const double *position, *momentum, *spin; /**< M, M, M^2; views of the parameters */
  int level;                                /**< grid.bhN_level */
  double
      radius; /**< radius of its finest level, M: grid.bhN_radius, or grid.bh_radius where that is 0 */
} tx_params_hole;

/** Return the parameters of puncture a, 0 to TX_PUNCTURES_MAX - 1. Local. */
tx_params_hole tx_params_hole_of(const tx_params *p, int a);

/** Tell whether the system of equations has what the bits TX_HAS_... say. Local. */
bool tx_params_has(const tx_params *p, unsigned trait);

/** Return the number of the profile that initial_data.profile names; -1: the system has none of that name. Local. */
int tx_params_profile(const tx_params *p);

/** Return the name of a profile of the system by its number, NULL beyond the last. Local. */
const char *tx_params_profile_name(const tx_params *p, int number);

/** Count the punctures of the initial data; tell whether any of them has momentum or spin. Local. */
int tx_params_punctures(const tx_params *p);

/** Count the places about which horizons are searched for: punctures, or the origin if there are none and
 *  horizons.radius is above 0. Local. */
int tx_params_horizons(const tx_params *p);
bool tx_params_moves(const tx_params *p);

/** Tell whether the conformal factor of the initial data is solved for on the grid of the run; whether the lapse is. Local. */
bool tx_params_on_grid(const tx_params *p);
bool tx_params_lapse_on_grid(const tx_params *p);

/** Fill with the defaults for a total mass of 1. Local. */
void tx_params_default(tx_params *p);

/** Return the total mass of the punctures, rounded to a power of two, so that scaling by it is exact: 1
 *  where masses add up to 0.71 to 1.41, with quasi_circular data, and without punctures. Chosen lengths and times, and
 *  defaults, scale with it. Local. */
double tx_params_unit(const tx_params *p);

/** List the parameters whose default is scaled to a mass other than 1, with their values: "gauge.eta 0.5 1/M, ...", or "". Local. */
void tx_params_scaled(const tx_params *p, char *text, size_t size);

/** Demands of a room above on parameters (demand.h). Local. Errors: TX_ERR_PARAM. */
struct tx_param_source;
typedef struct tx_param_source tx_param_source;
typedef tx_status tx_params_demands(const tx_params *p, const tx_param_source *source);

/** Collective. Rank 0 reads `path` (NULL: defaults only), applies `n_set` overrides "section.name=value", checks
 *  types, ranges and what parameters demand of each other, and then makes the demands of `more` (NULL: none); all
 *  ranks get the same struct. A parameter that loses its effect through an override is reset to its default, with a
 *  warning in the log. Errors: TX_ERR_PARAM "file:line: key: ..." with value, allowed range or words and the
 *  nearest key; TX_ERR_IO if the file cannot be read. */
tx_status tx_params_read(MPI_Comm comm, const char *path, int n_set, const char *const *set,
                         tx_params_demands *more, tx_params *p);

/** Check what parameters demand of each other and what `more` demands (also done by tx_params_read), and that none
 *  differs from its default that has no effect. Local. `path` is used in messages, may be NULL. Errors:
 *  TX_ERR_PARAM. */
tx_status tx_params_check(const tx_params *p, const char *path, tx_params_demands *more);

/** Tell whether a run may have this name, a folder in out/. Local. */
bool tx_params_is_name(const char *name);

/** Write as YAML that tx_params_read takes back bit for bit; parameters that have no effect are
 * written as comments. Local. Errors: TX_ERR_IO. */
tx_status tx_params_write(const tx_params *p, FILE *out);

/** Write all values, a line "section.name: value" each, for a checkpoint. Local. Errors: TX_ERR_IO. */
tx_status tx_params_values(const tx_params *p, FILE *out);

/** Fail if a run may not restart with `p`, `values` being the text of tx_params_values in its checkpoint. `changes` lists the
 *  differences, "" if there are none. Local. Errors: TX_ERR_PARAM with key, both values and what may change. */
tx_status tx_params_check_change(const char *values, const tx_params *p, char *changes,
                                 size_t size);

/** Describe all parameters, or those whose key contains `pattern` (NULL: all). Local. */
void tx_params_help(const char *pattern, FILE *out);

/** Describe them as a JSON list of objects, for programs: key, type, default, unit, min and max or words, text,
 *  section_text, default_is_for ("" where it does not scale), used_only_if ("" for always), restart_may_change, and n_max where
 *  the key has bhN: N is 1 to n_max. Local. */
void tx_params_help_json(const char *pattern, FILE *out);
