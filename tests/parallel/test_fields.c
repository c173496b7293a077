/* Fields of any number of variables, each as it is described. */
#include "tests/support/main.h"

#include <string.h>

#include "exec/algebra.h"
#include "tests/support/exec_checks.h"
#include "tests/support/octree_checks.h"

#define OK(call) assert_int_equal(call, TX_OK)

#define REFUSED(call, code, part)                                                                  \
  do {                                                                                             \
    assert_int_equal(call, code);                                                                  \
    if (!strstr(tx_error_text(), part)) fail_msg("%s", tx_error_text());                           \
    tx_error_clear();                                                                              \
  } while (0)

/* Fields of as many variables as there can be, each as described. */
static void fields_as_described(void **unused) {
  (void)unused;
  const tx_domain domain = tx_test_domain(3);
  tx_field_var vars[TX_FIELD_VARS + 1];
  tx_octree *tree = NULL;
  tx_mesh *mesh = NULL;
  tx_exec *x = NULL;
  tx_field *f = NULL;
  OK(tx_test_random_tree(MPI_COMM_WORLD, &domain, 7, 0, 1, 1, &tree, &mesh));
  OK(tx_exec_create(mesh, TX_FIELD_VARS, &x));
  for (int v = 0; v <= TX_FIELD_VARS; v++)
    vars[v] = (tx_field_var){.parity = {1, v % 2 ? -1 : 1, 1}, .positive = v == 31};
  OK(tx_field_create(x, TX_FIELD_VARS, vars, &f));
  OK(tx_exec_fill(x, tx_exec_all(x), 1.0, f));
  OK(tx_exec_check(x, tx_exec_all(x), f, 0.0));
  OK(tx_exec_scale(x, tx_exec_all(x), -1.0, f));
  REFUSED(tx_exec_check(x, tx_exec_all(x), f, 0.0), TX_ERR_NUMERICS, "variable 31 = -1");
  tx_field_destroy(f);
  REFUSED(tx_field_create(x, 33, vars, &f), TX_ERR_USAGE, "up to 32");
  REFUSED(tx_field_create(x, 0, vars, &f), TX_ERR_USAGE, "0 variables");
  vars[2].parity[1] = 0;
  REFUSED(tx_field_create(x, 4, vars, &f), TX_ERR_USAGE, "variable 2 of a field has parity 0");
  assert_null(f);
  tx_exec_destroy(x);
  tx_mesh_destroy(mesh);
  tx_octree_destroy(tree);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(fields_as_described),
};
TEST_MAIN(tests)
