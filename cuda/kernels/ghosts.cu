/* Copies of boxes of points: into send buffer 1, and into regions that are assembled. */
#include "cuda/kernels/patch.cuh"

/* A block copies a box of up to this many variables. Faces of octants have 3/8 THREADS points at least, so
 * that small boxes keep the threads busy with several variables at once. */
enum { THREADS = 192, VARS = 8 };

/* Return the number of blocks for a list of boxes. */
static unsigned blocks_of(tx_lidx n, int n_vars) {
  return (unsigned)((size_t)n * (size_t)((n_vars + VARS - 1) / VARS));
}

/* Copy boxes of `list` from f.data to `to`, or, with an outbox, to the place of each one's
 * message. */
template <class Values>
static __global__ void __launch_bounds__(THREADS)
    copy_boxes(const tx_cuda_copy *__restrict__ list, const __grid_constant__ Values f, double *to,
               const tx_cuda_outbox *outbox) {
  const int groups = (f.n_vars + VARS - 1) / VARS;
  const tx_cuda_copy &c = list[blockIdx.x / (unsigned)groups];
  const int first = (int)(blockIdx.x % (unsigned)groups) * VARS;
  const int last = first + VARS < f.n_vars ? first + VARS : f.n_vars;
  const int points = c.n[0] * c.n[1] * c.n[2];
  /* Threads side by side take points, then variables. */
  const int at_once = points < THREADS ? THREADS / points : 1;
  const int column = (int)threadIdx.x / points;
  const typename Values::number *from = f.data + f.n_vars * c.from + c.from_offset;
  if (outbox)
    to = outbox[c.message].base + f.n_vars * (c.to + outbox[c.message].shift);
  else
    to += f.n_vars * c.to;
  to += c.to_offset;
  if (column >= at_once) return;
  for (int p = (int)threadIdx.x - column * points; p < points; p += THREADS) {
    const int row = tx_cuda_over(p, c.n[0]), i = p - row * c.n[0];
    const int k = tx_cuda_over(row, c.n[1]), j = row - k * c.n[1];
    const typename Values::number *a = from + k * c.from_z + j * c.from_y + i * c.from_x;
    double *b = to + k * c.to_z + j * c.to_y + i;
#pragma unroll 4
    for (int v = first + column; v < last; v += at_once) {
      const double value = a[v * c.from_var];
      b[v * c.to_var] = __popc(c.mirror & f.odd[v]) & 1 ? -value : value;
    }
  }
}

template <class Values>
static tx_status pack_of(tx_exec *x, const tx_field *f, cudaStream_t stream) {
  const tx_cuda *c = tx_cuda_of(x);
  Values values;
  TX_TRY(tx_cuda_values_of(f, &values));
  const tx_cuda_outputs out = tx_cuda_ghost_outputs(x, 1);
  TX_CUDA_RUN_WORK(tx_cuda_copies((double)c->pack_plan.send1_points * f->n_vars),
                   copy_boxes<Values>, blocks_of(c->n_pack, f->n_vars), THREADS, 0, stream, c->pack,
                   values, out.send, out.outbox);
  return TX_OK;
}

tx_status tx_cuda_pack(tx_exec *x, const tx_field *f, cudaStream_t stream) {
  return f->single ? pack_of<tx_cuda_singles>(x, f, stream) : pack_of<tx_cuda_values>(x, f, stream);
}

template <class Values>
static tx_status assemble_of(tx_exec *x, const tx_field *f, cudaStream_t stream) {
  const tx_cuda *c = tx_cuda_of(x);
  Values values;
  TX_TRY(tx_cuda_values_of(f, &values));
  TX_CUDA_RUN(copy_boxes<Values>, blocks_of(c->n_assembly_local, f->n_vars), THREADS, 0, stream,
              c->assembly_local, values, c->mesh.own, (const tx_cuda_outbox *)NULL);
  return TX_OK;
}

tx_status tx_cuda_assemble_local(tx_exec *x, const tx_field *f, cudaStream_t stream) {
  return f->single ? assemble_of<tx_cuda_singles>(x, f, stream)
                   : assemble_of<tx_cuda_values>(x, f, stream);
}

tx_status tx_cuda_assemble_received(tx_exec *x, const tx_field *f, cudaStream_t stream) {
  const tx_cuda *c = tx_cuda_of(x);
  tx_cuda_values received = {}; /* they have their signs */
  received.data = c->mesh.slots;
  received.n_vars = f->n_vars;
  TX_CUDA_RUN(copy_boxes<tx_cuda_values>, blocks_of(c->n_assembly_received, f->n_vars), THREADS, 0,
              stream, c->assembly_received, received, c->mesh.own, (const tx_cuda_outbox *)NULL);
  return TX_OK;
}
