/* Transfer of a field to a new mesh: each rank remaps its octants, then they are redistributed. */
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

tx_status tx_transfer_remap(tx_exec *x, const tx_field *f, const tx_transfer *t,
                            double *send_buffer, double *out) {
  size_t block = (size_t)f->n_vars * TX_N3;
  tx_lidx end = t->stay_from + t->n_stay;
  TX_TRY(x->backend->remap(x, f, t->remap, t->stay_from, send_buffer));
  if (out)
    TX_TRY(x->backend->remap(x, f, t->remap + t->stay_from, t->n_stay,
                             out + (size_t)t->stay_to * block));
  return x->backend->remap(x, f, t->remap + end, t->n_remap - end,
                           send_buffer + (size_t)t->stay_from * block);
}

tx_status tx_exec_transfer(tx_exec *x, const tx_field *f, const tx_transfer *t, tx_exec *to,
                           tx_field **out) {
  *out = NULL;
  tx_field *result = NULL;
  double *send_buffer = NULL;
  size_t doubles = (size_t)(t->n_remap - t->n_stay) * (size_t)f->n_vars * TX_N3;
  tx_status status = check(x, f, t, to);
  TX_THEN(status, tx_field_create(to, f->n_vars, f->var, &result));
  if (result) result->system = f->system;
  TX_THEN(status, x->backend->alloc(doubles, "redistributed octants", &send_buffer));
  if (status == TX_OK)
    TX_WORK(REDISTRIBUTION, false, status, tx_transfer_remap(x, f, t, send_buffer, result->data));
  status = tx_agree(x->mesh->comm, status); /* nobody sends to a rank that gave up */
  if (status == TX_OK) {
    TX_WORK(REDISTRIBUTION, false, status, x->backend->redistribute(x, t, send_buffer, result));
    status = tx_agree(x->mesh->comm, status);
  }
  x->backend->free(send_buffer);
  if (status != TX_OK) {
    tx_field_destroy(result);
    result = NULL;
  }
  *out = result;
  return status;
}
