/* Inside of the GPU backend: a plan's data on the device, and the operations by file. */
#pragma once

#include "cuda/device.cuh"

/** Blocks of so many threads that together have a thread for each point of an octant. */
#define TX_CUDA_PARTS(threads) ((TX_N3 + (threads)-1) / (threads))

/** Return whether an octant has a point n, for the threads of such blocks. */
static __device__ __forceinline__ bool tx_cuda_in_octant(int threads, int n) {
  return TX_N3 % threads == 0 || n < TX_N3;
}

/** Address of the values of one region (TX_REGION) of a patch, by the patch's own points: with p = the
 *  patch point (i, j, k), i = -TX_K .. TX_N + TX_K - 1, and n_vars of the field,
 *      value = sign * base[n_vars * origin + v * var + k * z + j * y + i * x + offset]
 *  where base is the field's data (FIELD; origin = octant * TX_N3), the slots (SLOT) or the rank's own points (OWN; origin =
 *  first point of the slab there). x is 1, or -1 where mirrored in x; sign: the parities of the mirrored dimensions (`mirror`;
 *  received slabs have their sign already). OUTER: beyond an outer face, to be extrapolated. */
typedef enum tx_cuda_source {
  TX_CUDA_FIELD,
  TX_CUDA_SLOT,
  TX_CUDA_OWN,
  TX_CUDA_OUTER
} tx_cuda_source;
typedef struct tx_cuda_region {
  int64_t origin;
  int32_t offset;
  int16_t var, z, y;
  int8_t x;
  uint8_t source, mirror;
  uint8_t late; /**< SLOT, OWN: filled by interpolation */
  uint8_t pad[2];
} tx_cuda_region;

/** Position, spacing and boundaries of an octant, for kernels. */
typedef struct tx_cuda_place {
  double x0[3], h;
  uint32_t outer;   /**< TX_FACE_BIT */
  uint32_t mirrors; /**< dimensions in which a region of its patch is mirrored when it is read */
  uint32_t coarser_below; /**< tx_mesh_coarser_below */
  uint32_t planes;        /**< tx_level_plan.planes; 0 on other meshes */
  int32_t level;
  int64_t index; /**< as in tx_octant */
} tx_cuda_place;

/** Tables and ghosts of a plan for kernels; device memory. Passed by value. */
typedef struct tx_cuda_mesh {
  const tx_cuda_region *region; /**< [n_local][27] */
  const tx_cuda_place *place;   /**< [n_local] */
  double *slots;                /**< received from other ranks: the set in use */
  double *own; /**< made by this rank: refinement boundaries, interpolated, assembled values */
  tx_lidx n_local;
} tx_cuda_mesh;

/** Return the memory in which the values of a region lie, not one of OUTER; `data`: the field's. */
static __device__ __forceinline__ const double *tx_cuda_base(const tx_cuda_mesh &m,
                                                             const double *data, uint8_t source) {
  return source == TX_CUDA_FIELD ? data : source == TX_CUDA_SLOT ? m.slots : m.own;
}

/** A field for kernels: data and, for each variable, bit d of odd[v]: odd under reflection in
 *  dimension d. Slots and own points are in double precision also for a field in single
 *  precision. */
template <class T> struct tx_cuda_numbers {
  typedef T number;
  const T *data;
  int n_vars;
  uint8_t odd[32];
};
typedef tx_cuda_numbers<double> tx_cuda_values;
typedef tx_cuda_numbers<float> tx_cuda_singles;

/** Return whether a region of a field in single precision lies in the field itself. If not, its
 *  values lie from tx_cuda_base on. */
template <class T>
static __device__ __forceinline__ bool tx_cuda_is_single(const tx_cuda_region &r) {
  return sizeof(T) < sizeof(double) && r.source == TX_CUDA_FIELD;
}
static __device__ __forceinline__ const double *tx_cuda_base(const tx_cuda_mesh &m, const float *,
                                                             uint8_t source) {
  return source == TX_CUDA_SLOT ? m.slots : m.own;
}

/** A box of points to be copied. Point (i, j, k) of variable v, 0 <= i < n[0] ..., goes from
 *      from_base[n_vars * from + from_offset + v * from_var + k * from_z + j * from_y + i * from_x]
 *  to  to_base[n_vars * to + to_offset + v * to_var + k * to_z + j * to_y + i],
 *  times the variable's parity in every mirrored dimension. The bases are a kernel's matter. */
typedef struct tx_cuda_copy {
  int64_t from, to;
  int32_t from_offset, to_offset;
  int16_t from_var, from_z, from_y, to_var, to_z, to_y;
  int16_t message; /**< number of the message in which it is, 0 if in none */
  int8_t from_x;
  uint8_t mirror;
  uint8_t n[3];
  uint8_t own; /**< the source is in the rank's own points */
  uint8_t pad[4];
} tx_cuda_copy;

/** Packing of phase 1: slabs that are part of another one are not sent, but unpacked from that
 *  one, and the others follow each other. Sender and receiver derive the same, each from its
 *  ghost plan. Host. */
typedef struct tx_cuda_packed_slab {
  int64_t at; /**< its place, in the send buffer or the slots, if it is packed */
  tx_lidx in; /**< number of the slab that holds it, its own if it is packed */
} tx_cuda_packed_slab;
typedef struct tx_cuda_pack_plan {
  tx_message *send1_to, *recv1_from; /**< as in the ghost plan, shortened, without gaps */
  tx_message *recv2_from;            /**< behind them; NULL for a level's grid: levels.cu */
  int64_t send1_points;              /**< of send buffer 1 */
  int64_t received_points;           /**< of the slots, in both phases */
  int64_t ahead; /**< so much smaller are places of phase 2 than in the ghost plan */
  tx_cuda_packed_slab *sent, *received; /**< by number in send1, in slot (phase 1) */
  tx_lidx n_sent;
} tx_cuda_pack_plan;

/** Place to which the points of a message are written: point `at` of the plan's send buffer
 *  (tx_slab) of n variables goes to base[n * (at + shift)]. A kernel may write straight into the
 *  slots of another GPU this way. */
typedef struct tx_cuda_outbox {
  double *base;
  int64_t shift;
} tx_cuda_outbox;

/** Places to which kernels write what is sent: message i to outbox[i], or, where that is NULL,
 *  into the send buffer. Device. */
typedef struct tx_cuda_outputs {
  double *send;
  const tx_cuda_outbox *outbox;
} tx_cuda_outputs;

typedef struct tx_cuda_interpolation tx_cuda_interpolation; /* tables of kernels/interpolate.cu */
typedef struct tx_cuda_level tx_cuda_level; /* stored stages, children: exchange/levels.cu */
typedef struct tx_cuda_halo tx_cuda_halo;   /* events of exchange/exchange.cu */

/** Events `ready` of a plan. GHOSTS: all ghosts of the field of the last exchange are filled;
 *  recorded before any stage that reads them, so that others may read them meanwhile. SAMPLED:
 *  the field has been sampled at the points asked for (side). */
enum { TX_CUDA_GHOSTS_READY, TX_CUDA_SAMPLED, TX_CUDA_READY };

/** State of a plan. */
typedef struct tx_cuda {
  tx_cuda_mesh mesh;
  bool outer;           /**< an octant here has outer faces */
  int64_t own_points;   /**< of mesh.own: a level's refinement boundary, or interpolated here */
  int64_t extra_points; /**< behind them: regions assembled here */
  void *tables;         /**< device memory of all tables of tables.cu, one block */
  /** Slabs into send buffer 1. */
  const tx_cuda_copy *pack;
  tx_lidx n_pack;
  /** Regions assembled in the slots: from fields, before anything is interpolated; from received slabs. */
  const tx_cuda_copy *assembly_local, *assembly_received;
  tx_lidx n_assembly_local, n_assembly_received;
  tx_cuda_pack_plan pack_plan;
  tx_cuda_interpolation *interpolation;
  /** Source of the INTERP slabs of `slot`: this plan or the coarser one. */
  struct {
    const tx_cuda_interpolation *from; /**< borrowed */
    tx_lidx n_local;                   /**< octants of this rank there: sources below are here */
    int64_t boxes;                     /**< first point of its boxes in the own points here */
    int64_t
        ahead; /**< so much smaller are places of what other ranks interpolate than in the ghost plan */
    int64_t ghost_points; /**< points of the first boxes, which ghosts are read from */
  } interpolated_by;
  tx_cuda_level *level; /**< NULL without a coarser plan: exchange/levels.cu */
  /** Device, leaf[n_stored] of the level's plan for revision stored_of of the leaves; NULL: not yet. */
  tx_lidx *stored;
  uint64_t stored_of;
  tx_cuda_halo *halo;
  unsigned long long
      *algebraic; /**< device, [2]: bits of the largest magnitudes since the last question */
  void *scratch;  /**< device, grown as needed: numbers for the host */
  size_t scratch_bytes;
  void *numbers; /**< page-locked host memory of the same size */
  cudaEvent_t ready[TX_CUDA_READY];
} tx_cuda;

static inline tx_cuda *tx_cuda_of(const tx_exec *x) {
  return static_cast<tx_cuda *>(x->state);
}

/** Return the values of a field for a kernel, after uploading what the host wrote through a
 *  view. The second one takes a field in single precision. */
tx_status tx_cuda_values_of(const tx_field *f, tx_cuda_values *out);
tx_status tx_cuda_values_of(const tx_field *f, tx_cuda_singles *out);
/** Return a field's data to write to; the host's copy is stale from now on. */
tx_status tx_cuda_target(tx_field *f, double **out);
tx_status tx_cuda_target(tx_field *f, float **out);

/** A set's copy on the device: all its octants [n], and those with an outer face, in the same order. */
typedef struct tx_cuda_set {
  tx_lidx *octant, *boundary; /**< one block of memory */
  tx_lidx n_outer;
} tx_cuda_set;
static inline const tx_cuda_set *tx_cuda_set_of(const tx_set *set) {
  return static_cast<const tx_cuda_set *>(set->there);
}

/* set.cu */
tx_status tx_cuda_set_create(tx_set *set);
void tx_cuda_set_destroy(tx_set *set);

/** Provide at least `bytes` of scratch and numbers. */
tx_status tx_cuda_scratch(tx_exec *x, size_t bytes);

/** Fill device memory with NaN, in the order of the compute stream; NULL is fine. */
tx_status tx_cuda_fill_nan(double *p, size_t doubles);

/* tables.cu: regions, places, copies that assemble regions. */
tx_status tx_cuda_tables_create(tx_exec *x);
void tx_cuda_tables_destroy(tx_exec *x);

/* pack_plan.cu: before the tables. */
tx_status tx_cuda_pack_plan_create(tx_exec *x);
void tx_cuda_pack_plan_destroy(tx_exec *x);
/** Return the source half of a copy of a dense box at s->at. Host. */
tx_cuda_copy tx_cuda_copy_from_box(const tx_slab *s);
/** Return the source half of a copy of slab number i of `slot`, wherever it lies. Host. */
tx_cuda_copy tx_cuda_copy_from_slot(const tx_cuda *plan, const tx_ghost_plan *g, tx_lidx i);
/** Return the source half of a copy of an INTERP slab, also of a plane. Host. */
tx_cuda_copy tx_cuda_copy_from_stages(const tx_cuda *plan, const tx_slab *s);

/* kernels/fine_boxes.cu: before the tables of tables.cu; sets own_points. */
tx_status tx_cuda_interpolation_create(tx_exec *x);
void tx_cuda_interpolation_destroy(tx_exec *x);
/** Return the source half of a copy of a slab that is interpolated here for an octant of this
 *  rank. Host. */
tx_cuda_copy tx_cuda_copy_interpolated(const tx_cuda_interpolation *t, const tx_slab *s);

/* kernels/ghosts.cu, interpolate.cu: all asynchronous, on a stream. */
/** Copy slabs of local octants into send buffer 1, or wherever the halo wants them. */
tx_status tx_cuda_pack(tx_exec *x, const tx_field *f, cudaStream_t stream);
/** Assemble regions from several slabs: of local octants (early), received (late). */
tx_status tx_cuda_assemble_local(tx_exec *x, const tx_field *f, cudaStream_t stream);
tx_status tx_cuda_assemble_received(tx_exec *x, const tx_field *f, cudaStream_t stream);
/** Interpolate from sources [first, last) of the ghost plan into own points and send buffer 2. */
tx_status tx_cuda_interpolate(tx_exec *x, const tx_field *f, tx_lidx first, tx_lidx last,
                              cudaStream_t stream);
/** Interpolate from all sources of a level's plan for the next finer one: boxes from `boxes` on,
 *  device, and what is sent. */
tx_status tx_cuda_interpolate_stage(tx_exec *x, const tx_field *f, double *boxes,
                                    tx_cuda_outputs sent, cudaStream_t stream);

/* exchange/transport.cu */
/** Choose the transport: try out the one asked for (tx_transport_word), or with TX_TRANSPORT_AUTO all, fastest
 *  first. Several ranks end up with the host's memory only with a warning. Collective. Errors: TX_ERR_LIBRARY
 *  with the reason if the one asked for does not work. */
tx_status tx_cuda_transport_start(MPI_Comm comm, int asked);
/** Stop the transport, after all plans have been destroyed. Local. */
void tx_cuda_transport_stop(void);

/** Tell the watch (exchange/watch.cu) that this rank failed where others wait for it, if it did;
 *  the recorded error says how. Returns the status. Local. */
tx_status tx_cuda_watch_failed(tx_status status);

/** Return the error of a transport that came to light after the call that caused it, e.g. ghosts
 *  that never arrived. Local; costs nothing. */
tx_status tx_cuda_transport_check(void);

/* exchange/exchange.cu: the flow between ranks. */
tx_status tx_cuda_halo_create(tx_exec *x); /* owns slots and buffers */
void tx_cuda_halo_destroy(tx_exec *x);
/** Exchange the addresses that halos and levels of n plans, all on one communicator, need of
 *  other ranks. Collective. */
tx_status tx_cuda_connect(int n, tx_exec *const x[]);
/** Return the places to which kernels write the messages of phase 1 or 2 of the exchange under
 *  way. */
tx_cuda_outputs tx_cuda_ghost_outputs(const tx_exec *x, int phase);
/** Fill slots and send buffers with NaN. Collective: other ranks may store there. */
tx_status tx_cuda_halo_poison(tx_exec *x);
tx_status tx_cuda_ghosts_begin(tx_exec *x, const tx_field *f);
tx_status tx_cuda_ghosts_end(tx_exec *x, const tx_field *f);
tx_status tx_cuda_redistribute(tx_exec *x, const tx_transfer *t, const double *send_buffer,
                               tx_field *out);

/** Streams of a stage over a set on several ranks: of its kernel, and of the kernel for points
 *  of outer faces. Both are in order with the compute stream once they are joined, but run
 *  beside each other. The stage of x->boundary runs beside the last blocks of that of
 *  x->interior, if only ghosts come between the two. */
typedef struct tx_cuda_fork {
  cudaStream_t stage, boundary;
} tx_cuda_fork;
tx_status tx_cuda_stage_fork(tx_exec *x, const tx_set *set, const tx_stage *stage,
                             tx_cuda_fork *out);
tx_status tx_cuda_stage_join(tx_exec *x, const tx_cuda_fork *fork);

/* exchange/levels.cu: what goes from level to level. */
tx_status tx_cuda_level_create(tx_exec *x);
void tx_cuda_level_destroy(tx_exec *x);
tx_status tx_cuda_level_poison(tx_exec *x);
size_t tx_cuda_stored_stages_doubles(const tx_exec *fine);
void tx_cuda_stored_stages_lend(tx_exec *fine, double *block);
tx_status tx_cuda_stage_store(tx_exec *fine, int k, const tx_field *f, bool aside);
tx_status tx_cuda_stage_stored(tx_exec *fine);
tx_status tx_cuda_level_boundary_make(tx_exec *fine, const double c[TX_STORED_STAGES], tx_field *f);
tx_status tx_cuda_inject(tx_exec *fine, const tx_field *f, tx_field *coarse);
tx_status tx_cuda_restrict_level(tx_exec *fine, const tx_set *sent, const tx_field *r,
                                 tx_field *scratch, tx_field *coarse);
tx_status tx_cuda_prolong(tx_exec *fine, const tx_field *v, tx_field *u);

/* kernels/level.cu */
/** A stored stage: its first points, which other ranks sent, and those that were interpolated
 *  here. Device. */
typedef struct tx_cuda_stored_stage {
  double *received, *here;
} tx_cuda_stored_stage;
/** Targets of a combination of stored stages: points [0, points) go to `ghosts`, boxes to own
 *  points of `data`. Device. */
typedef struct tx_cuda_level_boundary_parts {
  int n_vars;
  int64_t points, received; /**< the first `received` ones came from other ranks */
  double *ghosts;
  const tx_cuda_copy *planes;
  tx_lidx n_planes;
  double *data;  /**< NULL: `single` */
  float *single; /**< of one variable */
} tx_cuda_level_boundary_parts;
/** Compute the sum of c[k] state[k]. States with c[k] = 0 are not read. */
tx_status tx_cuda_combine_states(const double c[TX_STORED_STAGES],
                                 const tx_cuda_stored_stage state[TX_STORED_STAGES],
                                 const tx_cuda_level_boundary_parts *e, cudaStream_t stream);
/** A child and where its points go, TX_CUDA_CHILD a variable. */
enum { TX_CUDA_CHILD = TX_N3 / 8 };
typedef struct tx_cuda_child {
  tx_lidx child, parent; /**< local octants; -1: of other ranks */
  int32_t at;            /**< number in the buffer that is sent or received */
  int16_t message, number;
} tx_cuda_child;
/** Restrict, prolong or copy the points of children, listed on the device: between children and
 *  parents of this rank; from children to send buffers; from received points to parents. */
tx_status tx_cuda_children_inject(const tx_cuda_child *list, tx_lidx n, const tx_field *f,
                                  tx_field *coarse, cudaStream_t stream);
tx_status tx_cuda_children_weight(const tx_cuda_child *list, tx_lidx n, const tx_field *r,
                                  tx_field *coarse);
tx_status tx_cuda_children_prolong(const tx_cuda_child *list, tx_lidx n, const tx_field *v,
                                   tx_field *u);
tx_status tx_cuda_children_pack(const tx_cuda_child *list, tx_lidx n, const tx_field *f,
                                tx_cuda_outputs sent, cudaStream_t stream);
tx_status tx_cuda_children_unpack(const tx_cuda_child *list, tx_lidx n, const double *received,
                                  tx_field *coarse, cudaStream_t stream);
tx_status tx_cuda_prepare_store(tx_exec *level);
tx_status tx_cuda_scatter(tx_exec *level, const double *blocks, tx_lidx first, tx_lidx n,
                          tx_field *f);

/* kernels/fetch.cu: patches for the host. */
tx_status tx_cuda_fetch(tx_exec *x, const tx_set *set, const tx_field *f, uint32_t mask,
                        double *patches);

/* kernels/stage.cu, update.cu, outer_planes.cu */
tx_status tx_cuda_stage(tx_exec *x, const tx_set *set, const tx_system_params *p,
                        const tx_stage *stage);
tx_status tx_cuda_rhs(tx_exec *x, const tx_set *set, const tx_system_params *p, const tx_field *u,
                      tx_field *out);
tx_status tx_cuda_update(tx_exec *x, const tx_set *set, const tx_field *k, const tx_stage *stage);
tx_status tx_cuda_outer_planes(tx_exec *x, const tx_set *set, tx_field *f);
tx_status tx_cuda_enforce(tx_exec *x, const tx_set *set, const tx_system_params *p, tx_field *u);
tx_status tx_cuda_algebraic(tx_exec *x, double out[2]);
tx_status tx_cuda_analysis(tx_exec *x, const tx_set *set, const tx_system_params *p,
                           const tx_field *u, tx_field *out);
tx_status tx_cuda_constraints(tx_exec *x, const tx_set *set, const tx_field *u,
                              const tx_norms_of *of, tx_norm_part *parts);

/* kernels/algebra.cu */
tx_status tx_cuda_fill(tx_exec *x, const tx_set *set, double value, tx_field *out);
tx_status tx_cuda_combine(tx_exec *x, const tx_set *set, const tx_combination *c, tx_field *out);
tx_status tx_cuda_pointwise(tx_exec *x, const tx_set *set, const tx_pointwise_call *call,
                            tx_field *out);
tx_status tx_cuda_dot(tx_exec *x, const tx_set *set, const tx_field *f, const tx_field *g,
                      double *parts);
tx_status tx_cuda_norms(tx_exec *x, const tx_set *set, const tx_field *f, tx_field_part *parts);

tx_status tx_cuda_squares(int n, tx_field *const f[], tx_squares out[]);

tx_status tx_cuda_narrow(tx_exec *x, const tx_set *set, double a, const tx_field *f, tx_field *out);
tx_status tx_cuda_widen(tx_exec *x, const tx_set *set, double a, const tx_field *f, tx_field *out);

/* kernels/multigrid.cu */
tx_status tx_cuda_residual(tx_exec *x, const tx_set *set, const tx_helmholtz *equation,
                           const tx_field *u, const tx_field *covered, tx_field *r);
tx_status tx_cuda_relax(tx_exec *x, const tx_set *set, const tx_helmholtz *equation,
                        const tx_relaxation *step);
tx_status tx_cuda_dissipate(tx_exec *x, const tx_set *set, double sigma, const tx_field *u,
                            tx_field *out);
tx_status tx_cuda_full_weight(tx_exec *x, const tx_set *set, const tx_field *r, tx_field *out);
tx_status tx_cuda_add_octants(tx_exec *x, const tx_set *set, const double *octants, tx_field *f);

/* kernels/reduce.cu, sample.cu, transfer.cu, initial_data.cu */
tx_status tx_cuda_check(tx_exec *x, const tx_set *set, const tx_field *u, tx_lidx *octant, int *var,
                        int *point);
tx_status tx_cuda_wavelet(tx_exec *x, const tx_set *set, const tx_field *u, uint32_t mask,
                          double *error);
tx_status tx_cuda_hash(tx_exec *x, const tx_set *set, const tx_field *f, uint64_t *out);
tx_status tx_cuda_sample(tx_exec *x, const tx_field *f, const tx_sample *s);
tx_status tx_cuda_sampled(tx_exec *x, const tx_sample *s);
tx_status tx_cuda_psi4(tx_exec *x, const tx_field *u, const tx_sample *s);
tx_status tx_cuda_remap(tx_exec *x, const tx_field *f, const tx_octant_remap *remap, tx_lidx n,
                        double *out);
tx_status tx_cuda_initial_data(tx_exec *x, const tx_set *set, const tx_initial_data *id,
                               const tx_initial_map *map, const tx_given_fields *given,
                               tx_field *u);
