/* A parameter file in the making: settings with a comment each, below those that the user has given. */
#pragma once

#include "base/text.h"
#include "params/params.h"

typedef struct tx_settings tx_settings;

/** All parameters at their defaults, but those that are given as "section.name=value" (views that must last). *out is owned
 *  by the caller. Local. Errors: TX_ERR_PARAM as of --set, TX_ERR_MEMORY. */
tx_status tx_settings_create(int n_set, const char *const *set, tx_settings **out);
void tx_settings_destroy(tx_settings *s);

/** The values as they are now: a view. Local. */
const tx_params *tx_settings_params(const tx_settings *s);

/** Is this parameter one of those given? Local. */
bool tx_settings_given(const tx_settings *s, const char *key);

/** Set a parameter, unless it is given; the comment (printf format) stands behind it in the file. A second call replaces the
 *  first. A key or a value that is not allowed is remembered, and tx_settings_check fails. Local. */
void tx_settings_put(tx_settings *s, const char *key, const char *value, const char *comment, ...)
    __attribute__((format(printf, 4, 5)));
void tx_settings_put_int(tx_settings *s, const char *key, int value, const char *comment, ...)
    __attribute__((format(printf, 4, 5)));
void tx_settings_put_real(tx_settings *s, const char *key, double value, const char *comment, ...)
    __attribute__((format(printf, 4, 5)));

/** Drop those put that have no effect beside the others, and check all as tx_params_read does, `more` included; messages name `path`. Local.
 *  Errors: TX_ERR_PARAM. */
tx_status tx_settings_check(tx_settings *s, const char *path, tx_params_demands *more);

/** The file's text, less its head: what was put or given, section by section. Local; errors in out->status. */
void tx_settings_text(const tx_settings *s, tx_text *out);
