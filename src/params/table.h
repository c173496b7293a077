/* The table of parameters, made from params.def, for the files of src/params and for tests. */
#pragma once

#include "params/demand.h"

/* Type of a parameter. */
typedef enum param_kind {
  PARAM_BOOL,
  PARAM_INT,
  PARAM_REAL,
  PARAM_WORD,
  PARAM_STRING,
  PARAM_VEC3,
  PARAM_REALS,
} param_kind;

/* Rule of a restart for a value: it must be unchanged, may change, or is ignored. */
typedef enum param_restart { PARAM_FIXED, PARAM_MAY_CHANGE, PARAM_IGNORED } param_restart;

/* TX_IF_name: index of a condition of conditions.def. */
enum {
  TX_IF_ALWAYS,
#define CONDITION(name, decides, text, when) TX_IF_##name,
#include "params/conditions.def"
  TX_CONDITIONS
};

/* A condition under which parameters have an effect. */
typedef struct param_condition {
  bool (*holds)(const tx_params *p);
  const char *text;
  int decides; /* the parameter that decides; -1: several do */
} param_condition;

/* A row of the table. */
typedef struct param_info {
  const char *section, *name, *key; /* key: "section.name" */
  param_kind kind;
  size_t offset, bytes;    /* of the member in tx_params */
  double min, max;         /* allowed values, both included */
  const char *unit, *text; /* unit: "" for none */
  const char *const *words;
  const char *row; /* the key, with N for the number of the puncture */
  int hole, holes; /* number of the puncture, and the largest one; 0: no parameter of a puncture */
  int only[3];     /* TX_IF_...: when it has an effect; of puncture 1, of puncture 2, of others */
  unsigned needs;  /* TX_HAS_...: what the system of equations must have for it */
  param_restart restart;
  const char *unnamed; /* the value in runs whose checkpoints do not name it; NULL: not known */
  bool cadence;        /* an interval in steps */
  bool unscaled;       /* the default does not scale with the mass, whatever its unit */
} param_info;

/* A section of parameter files. */
typedef struct section_info {
  const char *name, *text;
} section_info;

extern const param_info tx_param_table[TX_PARAMS];
extern const param_condition tx_param_conditions[TX_CONDITIONS];
extern const tx_params tx_param_defaults;

/* Return the next parameter in the order of files and messages, which begins with parameter 0; TX_PARAMS: none. */
int tx_param_next(int index);

extern const section_info tx_param_sections[];
extern const int tx_param_section_count;

/* A value as written: one text, or the texts of a list, a YAML list (`items`) or split out of one text. */
typedef struct param_value {
  int n;
  bool list, items;
  bool quoted; /* any of the texts */
  char text[TX_LIST_MAX + 1][TX_STRING_MAX];
} param_value;

/* Return the index of the parameter called section.name, or -1. */
int tx_param_find(const char *section, const char *name);

/* Write "did you mean ...?" or where to look, for an unknown key. */
void tx_param_suggest(const char *section, const char *name, char *text, size_t size);

/* Store a value; return NULL, or what is wrong and what is allowed (in `problem`). */
const char *tx_param_assign(tx_params *p, int index, const param_value *value, char *problem,
                            size_t size);

/* Reset to the default. */
void tx_param_reset(tx_params *p, int index);

/* Write the value as in YAML; write the allowed values. */
void tx_param_format(const tx_params *p, int index, char *text, size_t size);
void tx_param_allowed(int index, char *text, size_t size);

/* Split "a, b" or "[a, b]" of a list, or take the text of another parameter as it is. Return false if it is too long. */
bool tx_param_split(int index, const char *text, param_value *value);

/* Override the value of p with "section.name=value", and note it. */
tx_status tx_param_override(const char *given, tx_params *p, tx_param_source *source);

/* Set the defaults that depend on evolution.system, of gauge.lambda_f0 and output.variables, if they are not given. */
void tx_param_choose_defaults(tx_params *p, const tx_param_source *source);

/* Tell whether the default scales with the total mass: it is a length or a time, or the inverse of one. */
bool tx_param_scales(int index);

/* Scale these defaults to the mass of tx_params_unit, where the parameters have an effect and are not given. */
void tx_param_scale_defaults(tx_params *p, const tx_param_source *source);

/* Read the YAML file into p and note the lines. */
tx_status tx_param_read_yaml(const char *path, tx_params *p, tx_param_source *source);

/* Return NULL if the parameter has an effect, else the text of the condition under which it has one. */
const char *tx_param_unused(const tx_params *p, int index);

/* Tell whether the system of equations lacks what the parameter needs. */
bool tx_param_lacks(const tx_params *p, int index);

/* Return the name of a system of equations; of what a system has, one of TX_HAS_..., with its article. */
const char *tx_param_system_name(const tx_params *p);
const char *tx_param_trait_name(unsigned trait);

/* Tell whether the initial data are the profile of that name; whether the system of equations has profiles, and write a list. */
bool tx_param_profile_is(const tx_params *p, const char *name);
bool tx_param_profiles(const tx_params *p, char *text, size_t size);

/* Return the condition under which a parameter has an effect; its text is NULL for always. */
const param_condition *tx_param_condition(int index);

/* Tell whether a restart may change the value. */
bool tx_param_may_change(int index);

/* Reset the parameters that had an effect in the file (`file`: as read, without overrides) and lost it
 * by an override to their defaults, with one warning; `source` forgets them. */
void tx_param_drop_overridden(tx_params *p, const tx_params *file, tx_param_source *source);

/* Check as tx_params_check does, with lines in messages; `source` says what was set. */
tx_status tx_param_check_all(const tx_params *p, const tx_param_source *source,
                             tx_params_demands *more);

/* Tell whether the initial data take the spectral solver: momenta, spins or two-puncture data. */
bool tx_param_solved(const tx_params *p);

/* Check the demands of the initial data's parameters on each other. */
tx_status tx_param_check_data(const tx_params *p, const tx_param_source *source);

/* Check the demands of the section waves. */
tx_status tx_param_check_waves(const tx_params *p, const tx_param_source *source);
