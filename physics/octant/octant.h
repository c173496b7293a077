/* Functions of this folder for one system, which the build names: TX_SYSTEM_NAMES is the path of its header of
 * names, as a string. They are compiled once for each system; what they share carries its name. */
#pragma once

#include TX_SYSTEM_NAMES
#include "base/schemes.h"
#include "physics/system.h"

#define TX_PASTE_(a, b, c) a##b##c
#define TX_PASTE(a, b, c)  TX_PASTE_(a, b, c)
/** Number of a variable, by its enumerator without the beginning. */
#define TX_NUMBER(variable) TX_VAR_##variable
/** tx_NAME_name. */
#define TX_OF(name) TX_PASTE(tx_, TX_SYSTEM, _##name)
/** tx_NAME with the suffix of the scheme, and tx_NAME_name with it: what is compiled once for each. */
#define TX_THIS_SYSTEM     TX_OF_SCHEME(TX_PASTE(tx_, TX_SYSTEM, ))
#define TX_BY_SCHEME(name) TX_OF_SCHEME(TX_OF(name))

/* See tx_system. */
extern const tx_variable_info TX_OF(variables)[TX_VARS];
#ifdef TX_SYSTEM_ANALYSIS
extern const tx_analysis_info TX_OF(quantities)[TX_ANALYSES];
#endif
void TX_BY_SCHEME(rhs_begin)(const tx_system_params *p, const tx_octant_place *place, int first,
                             tx_octant_shift shift, void *scratch);
void TX_BY_SCHEME(rhs_take)(int v, const double *patch_v, void *scratch);
void TX_BY_SCHEME(rhs_end)(double *__restrict rhs, void *scratch);
void TX_BY_SCHEME(analysis)(const tx_system_params *p, const tx_octant_place *place,
                            const double *__restrict patch, double *__restrict out, void *scratch);
void TX_OF(enforce)(const tx_system_params *p, size_t n, size_t stride, double *u, double diag[2]);
void TX_OF(floors)(const tx_system_params *p, size_t n, size_t stride, double *u);
void TX_OF(initial_at)(const tx_system_params *p, int number, const double point[3], double *out);
void TX_OF(adm_at)(const double (*u)[10], const double n[3], tx_adm_jet *out);
void TX_OF(metric_at)(const tx_system_params *p, const double x[3], const double (*u)[4],
                      const double n[3], tx_metric_jet *out);
void TX_OF(psi4_at)(const double (*jets)[10], const double x[3], double psi4[2]);
void TX_OF(expansion_at)(const double (*jets)[10], const double x[3], double expansion[2]);
void TX_OF(modes)(const tx_system_params *p, double spacing, double k1, double k2, tx_modes *out);
size_t TX_BY_SCHEME(rhs_scratch)(void);
size_t TX_BY_SCHEME(analysis_scratch)(void);
