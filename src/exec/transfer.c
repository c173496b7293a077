/* Moving a field to a new mesh. */
#include "exec/common.h"

static tx_status check(const tx_exec *x, const tx_field *f, const tx_transfer *t,
                       const tx_exec *to) {
  TX_TRY(tx_field_check_ghosts(x, f, "transfer"));
  TX_REQUIRE(t->from_revision == x->mesh->revision && t->to_revision == to->mesh->revision,
             TX_ERR_MESH,
             "a transfer from revision %llu to %llu of the mesh cannot go from %llu to %llu",
             (unsigned long long)t->from_revision, (unsigned long long)t->to_revision,
             (unsigned long long)x->mesh->revision, (unsigned long long)to->mesh->revision);
  return TX_OK;
}

/* Make what leaves this rank into `leaving`, what stays where it belongs. */
static tx_status make(tx_exec *x, const tx_field *f, const tx_transfer *t, double *leaving,
                      tx_field *out) {
  size_t block = (size_t)f->n_vars * TX_N3;
  tx_lidx end = t->keep_made + t->n_keep;
  TX_TRY(x->backend->make(x, f, t->made, t->keep_made, leaving));
  TX_TRY(x->backend->make(x, f, t->made + t->keep_made, t->n_keep,
                          out->data + (size_t)t->keep_new * block));
  return x->backend->make(x, f, t->made + end, t->n_made - end,
                          leaving + (size_t)t->keep_made * block);
}

tx_status tx_exec_transfer(tx_exec *x, const tx_field *f, const tx_transfer *t, tx_exec *to,
                           tx_field **out) {
  *out = NULL;
  tx_field *made = NULL;
  double *leaving = NULL;
  size_t doubles = (size_t)(t->n_made - t->n_keep) * (size_t)f->n_vars * TX_N3;
  tx_status status = check(x, f, t, to);
  TX_THEN(status, tx_field_create(to, f->n_vars, f->var, &made));
  TX_THEN(status, x->backend->alloc(doubles, "octants on the move", &leaving));
  if (status == TX_OK) TX_WORK(false, status, make(x, f, t, leaving, made));
  status = tx_agree(x->mesh->comm, status); /* nobody sends to a rank that gave up */
  if (status == TX_OK) {
    TX_WORK(false, status, x->backend->move(x, t, leaving, made));
    status = tx_agree(x->mesh->comm, status);
  }
  x->backend->free(leaving);
  if (status != TX_OK) {
    tx_field_destroy(made);
    made = NULL;
  }
  *out = made;
  return status;
}
