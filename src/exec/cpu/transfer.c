/* Transfer to a new mesh: octants are remapped (copied, prolonged or restricted), then redistributed. */
#include "exec/cpu/cpu.h"

#include <string.h>

#include "base/memory.h"

/* Restriction by injection: the parent of eight children that follow each other, `first` being the first:
 * [n_vars][TX_N3]. */
static void restrict_family(const tx_field *f, tx_lidx first, double *out) {
  for (unsigned c = 0; c < 8; c++) {
    tx_slab s = {.kind = TX_SLAB_INJECT};
    for (int d = 0; d < 3; d++) {
      s.n[d] = TX_N / 2;
      s.step[d] = 2;
    }
    double *corner =
        out + TX_AT((c & 1) * (TX_N / 2), (c >> 1 & 1) * (TX_N / 2), (c >> 2) * (TX_N / 2));
    tx_cpu_slab_copy(&s, NULL, f, first + (tx_lidx)c,
                     (tx_cpu_box){.p = corner, .var = TX_N3, .z = TX_N * TX_N, .y = TX_N});
  }
}

tx_status tx_cpu_remap(tx_exec *x, const tx_field *f, const tx_octant_remap *remap, tx_lidx n,
                       double *out) {
  size_t block = (size_t)f->n_vars * TX_N3;
#pragma omp parallel
  {
    double *patch = tx_cpu_here(x)->patch;
    tx_lidx built = -1; /* octant whose patch is in the buffer: siblings follow each other */
#pragma omp for schedule(static)
    for (tx_lidx i = 0; i < n; i++) {
      double *to = out + (size_t)i * block;
      tx_lidx old = remap[i].old;
      if (remap[i].change == TX_COARSEN_OCTANT) {
        restrict_family(f, old, to);
      } else if (remap[i].change == TX_REFINE_OCTANT) {
        if (built != old) tx_cpu_patch(x, f, old, patch);
        built = old;
        tx_cpu_prolong(((const tx_cpu *)x->state)->lines, remap[i].child, f->n_vars, patch, to);
      } else {
        memcpy(to, tx_cpu_block(f, old), block * sizeof *to);
      }
    }
  }
  return TX_OK;
}

/* Exchange whole octants: messages count them. */
static tx_status exchange_octants(const tx_exec *x, const tx_transfer *t, const double *send_buffer,
                                  MPI_Request *requests, tx_field *out) {
  size_t block = (size_t)out->n_vars * TX_N3;
  MPI_Datatype octant;
  TX_MPI(MPI_Type_contiguous((int)block, MPI_DOUBLE, &octant));
  TX_MPI(MPI_Type_commit(&octant));
  for (int i = 0; i < t->n_recv; i++)
    TX_MPI(MPI_Irecv(out->data + (size_t)t->recv[i].at * block, (int)t->recv[i].n, octant,
                     t->recv[i].rank, TX_TAG_TRANSFER, x->mesh->comm, &requests[i]));
  for (int i = 0; i < t->n_send; i++) {
    int64_t at = t->send[i].at < t->stay_from ? t->send[i].at : t->send[i].at - t->n_stay;
    TX_MPI(MPI_Isend(send_buffer + (size_t)at * block, (int)t->send[i].n, octant, t->send[i].rank,
                     TX_TAG_TRANSFER, x->mesh->comm, &requests[t->n_recv + i]));
  }
  TX_MPI(MPI_Waitall(t->n_recv + t->n_send, requests, MPI_STATUSES_IGNORE));
  TX_MPI(MPI_Type_free(&octant));
  return TX_OK;
}

tx_status tx_cpu_redistribute(tx_exec *x, const tx_transfer *t, const double *send_buffer,
                              tx_field *out) {
  MPI_Request *requests = NULL;
  tx_status status =
      tx_agree(x->mesh->comm, tx_alloc((size_t)(t->n_recv + t->n_send), sizeof *requests,
                                       "redistributed octants", &requests));
  TX_THEN(status, exchange_octants(x, t, send_buffer, requests, out));
  tx_free(requests);
  return status;
}
