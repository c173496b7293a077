/* Texts of the command line's help, in the form that argp takes: before and, behind a \v, after the options. Literals. */
#pragma once

/** Of the program as a whole, and of its commands. */
extern const char tx_help_top[];
extern const char tx_help_run[];
extern const char tx_help_check[];
extern const char tx_help_id[];
extern const char tx_help_bench[];
extern const char tx_help_tune[];
extern const char tx_help_new[];
