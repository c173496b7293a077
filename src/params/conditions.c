/* When parameters have an effect: the conditions of conditions.def. */
#include "params/table.h"

#define TX_PARAM_SEVERAL (-1)
#define TYPE(name)       (p->initial_data_type == TX_ID_##name)

static bool always(const tx_params *p) {
  (void)p;
  return true;
}

#define CONDITION(name, decides, text, when)                                                       \
  static bool name(const tx_params *p) {                                                           \
    return when;                                                                                   \
  }
#include "params/conditions.def"

const param_condition tx_param_conditions[TX_CONDITIONS] = {
    [TX_IF_ALWAYS] = {always, NULL, TX_PARAM_SEVERAL},
#define CONDITION(name, decides, text, when) [TX_IF_##name] = {name, text, TX_PARAM_##decides},
#include "params/conditions.def"
};

const param_condition *tx_param_condition(int index) {
  const param_info *info = &tx_param_table[index];
  const int of_holes = (int)(sizeof info->only / sizeof info->only[0]);
  const int a = info->hole == 0 ? 0 : info->hole - 1;
  return &tx_param_conditions[info->only[a < of_holes ? a : of_holes - 1]];
}

const char *tx_param_unused(const tx_params *p, int index) {
  const param_condition *c = tx_param_condition(index);
  if (tx_param_lacks(p, index)) return "the system of equations is another one";
  return c->holds(p) ? NULL : c->text;
}

bool tx_param_lacks(const tx_params *p, int index) {
  return !tx_params_has(p, tx_param_table[index].needs);
}
