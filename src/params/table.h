/* The table of parameters, made from params.def: what params*.c share; tests may look in. */
#pragma once

#include "params/demand.h"

typedef enum param_kind {
  PARAM_BOOL,
  PARAM_INT,
  PARAM_REAL,
  PARAM_WORD,
  PARAM_STRING,
  PARAM_VEC3,
  PARAM_REALS,
} param_kind;

/* Rules of a restart for a value: it must be as it was, may be another, or is not looked at. */
typedef enum param_restart { PARAM_FIXED, PARAM_MAY_CHANGE, PARAM_IGNORED } param_restart;

/* TX_IF_name: index of a condition of conditions.def. */
enum {
  TX_IF_ALWAYS,
#define CONDITION(name, decides, text, when) TX_IF_##name,
#include "params/conditions.def"
  TX_CONDITIONS
};

typedef struct param_condition {
  bool (*holds)(const tx_params *p);
  const char *text;
  int decides; /* the parameter that does; -1: several do */
} param_condition;

typedef struct param_info {
  const char *section, *name, *key; /* key: "section.name" */
  param_kind kind;
  size_t offset, bytes;    /* of the member in tx_params */
  double min, max;         /* allowed values, both included */
  const char *unit, *text; /* unit: "" for none */
  const char *const *words;
  const char *row; /* the key, with N for the number of the puncture */
  int hole, holes; /* that number, and the largest; 0: of no puncture */
  int only[3];     /* TX_IF_...: when it has an effect; of puncture 1, of puncture 2, of others */
  param_restart restart;
  const char *unnamed; /* the value in runs whose checkpoints do not name it; NULL: not known */
  bool cadence;        /* steps between what is done every so many */
  bool unscaled;       /* the default does not scale with the mass, whatever its unit */
} param_info;

typedef struct section_info {
  const char *name, *text;
} section_info;

extern const param_info tx_param_table[TX_PARAMS];
extern const param_condition tx_param_conditions[TX_CONDITIONS];
extern const tx_params tx_param_defaults;

/* The parameter after one in files and messages, which begin with parameter 0; TX_PARAMS: none. */
int tx_param_next(int index);

extern const section_info tx_param_sections[];
extern const int tx_param_section_count;

/* A value as written: one text, or the texts of a list, as such in YAML (`items`) or split out of one. */
typedef struct param_value {
  int n;
  bool list, items;
  bool quoted; /* any of the texts */
  char text[TX_LIST_MAX + 1][TX_STRING_MAX];
} param_value;

/* Index of the parameter called section.name, or -1. */
int tx_param_find(const char *section, const char *name);

/* "did you mean ...?" or where to look, for an unknown key. */
void tx_param_suggest(const char *section, const char *name, char *text, size_t size);

/* Store a value; returns NULL, or what is wrong and what is allowed (in `problem`). */
const char *tx_param_assign(tx_params *p, int index, const param_value *value, char *problem,
                            size_t size);

/* Back to the default. */
void tx_param_reset(tx_params *p, int index);

/* Text of the value held, as written to YAML; text of what is allowed. */
void tx_param_format(const tx_params *p, int index, char *text, size_t size);
void tx_param_allowed(int index, char *text, size_t size);

/* Split "a, b" or "[a, b]" (lists) or take the text as it is (all else). False: too long. */
bool tx_param_split(int index, const char *text, param_value *value);

/* Take "section.name=value" over the value of p, and note it. */
tx_status tx_param_override(const char *given, tx_params *p, tx_param_source *source);

/* Set the default of gauge.lambda_f0, which depends on evolution.system, if it is not given. */
void tx_param_choose_driver(tx_params *p, const tx_param_source *source);

/* Is the default a length or a time, or the inverse of one, and so one for a total mass of 1? */
bool tx_param_scales(int index);

/* Set these, if they have an effect and are not given, for the masses that are: tx_params_unit. */
void tx_param_scale_defaults(tx_params *p, const tx_param_source *source);

/* Read the YAML file into p and note the lines. */
tx_status tx_param_read_yaml(const char *path, tx_params *p, tx_param_source *source);

/* NULL if the parameter has an effect, else the condition under which it has one. */
const char *tx_param_unused(const tx_params *p, int index);

/* The condition under which a parameter has an effect; its text is NULL for always. */
const param_condition *tx_param_condition(int index);

/* May a restart give another value? */
bool tx_param_may_change(int index);

/* Parameters of the file that had an effect in it (`file`: as read, without overrides) and lost it
 * by an override go back to their defaults, with one warning; `source` forgets them. */
void tx_param_drop_overridden(tx_params *p, const tx_params *file, tx_param_source *source);

/* What tx_params_check does, with the lines; `source` says what was set. */
tx_status tx_param_check_all(const tx_params *p, const tx_param_source *source,
                             tx_params_demands *more);

/* Do the initial data take the spectral solver: are there momenta, spins or two-puncture data? */
bool tx_param_solved(const tx_params *p);

/* What the initial data's parameters demand of each other. */
tx_status tx_param_check_data(const tx_params *p, const tx_param_source *source);

/* What the section waves demands. */
tx_status tx_param_check_waves(const tx_params *p, const tx_param_source *source);
