#include "base/params_table.h"

tx_status tx_param_check_all(const tx_params *p, const param_source *source) {
  (void)p, (void)source;
  return TX_OK;
}

tx_status tx_params_check(const tx_params *p, const char *path) {
  param_source source = {.path = path};
  return tx_param_check_all(p, &source);
}
const char *tx_param_condition(int index) {
  (void)index;
  return NULL;
}
const char *tx_param_unused(const tx_params *p, int index) {
  (void)p;
  (void)index;
  return NULL;
}
