/* Stages, right-hand sides, analysis quantities and Psi4 of systems of equations, which launch their own
 * kernels. */
#include "cuda/kernels/update.cuh"
#include "base/schemes.h"

/* Tables of the systems of this program. */
#define DECLARE(name, suffix, order, upwinded, half)                                               \
  extern const tx_cuda_system tx_cuda_##name##suffix;
#define DECLARE_ALL(name)                             TX_SCHEMES(DECLARE, name)
#define ADDRESS(name, suffix, order, upwinded, half)  &tx_cuda_##name##suffix,
#define ADDRESS_ALL(name)                             TX_SCHEMES(ADDRESS, name)
#define ONE_MORE(name, suffix, order, upwinded, half) +1
#define COUNT(name)                                   TX_SCHEMES(ONE_MORE, name)
TX_SYSTEMS(DECLARE_ALL)
enum { MOST = TX_SYSTEMS(COUNT) + 4 };
static const tx_cuda_system *known[MOST] = {TX_SYSTEMS(ADDRESS_ALL)};

/* Plan of each system that was asked for; 0: none, else one more than its number. */
static int asked[MOST];

static int number_of(const tx_system *system) {
  for (int n = 0; n < MOST && known[n]; n++)
    if (known[n]->system == system) return n;
  return -1;
}

const char *tx_cuda_plan_name(tx_cuda_plan plan) {
  static const char *const names[TX_CUDA_PLANS] = {"keep", "read"};
  return names[plan];
}

size_t tx_cuda_plan_shared(const tx_system *system, tx_cuda_plan plan) {
  const int n = number_of(system);
  return n < 0 ? 0 : known[n]->stage_shared[plan]();
}

bool tx_cuda_plan_fits(const tx_system *system, tx_cuda_plan plan) {
  const size_t shared = tx_cuda_plan_shared(system, plan);
  tx_cuda_device device;
  tx_cuda_describe(&device);
  return shared > 0 && device.shared >= shared;
}

/* Choose the plan of a system: two blocks on a multiprocessor are better than one whose threads
 * have more registers. A block has 1 KB of its own. */
static tx_cuda_plan chosen_plan(int n) {
  tx_cuda_device device;
  if (asked[n]) return (tx_cuda_plan)(asked[n] - 1);
  tx_cuda_describe(&device);
  const size_t two = 2 * (known[n]->stage_shared[TX_CUDA_PLAN_KEEP]() + 1024);
  return device.shared_sm >= two ? TX_CUDA_PLAN_KEEP : TX_CUDA_PLAN_READ;
}

tx_cuda_plan tx_cuda_plan_of(const tx_system *system) {
  const int n = number_of(system);
  return n < 0 ? TX_CUDA_PLAN_READ : chosen_plan(n);
}

void tx_cuda_plan_use(const tx_system *system, tx_cuda_plan plan) {
  const int n = number_of(system);
  if (n >= 0) asked[n] = plan == TX_CUDA_PLANS ? 0 : (int)plan + 1;
}

tx_status tx_cuda_system_of(const tx_field *state, const tx_cuda_system **out) {
  const int n = number_of(state->system);
  *out = n < 0 ? NULL : known[n];
  TX_REQUIRE(*out, TX_ERR_USAGE, "the system %s has no kernels for GPUs", state->system->name);
  return TX_OK;
}

void tx_cuda_system_add(const tx_cuda_system *system) {
  for (int n = 0; n < MOST; n++) {
    if (known[n] && known[n] != system) continue;
    known[n] = system;
    return;
  }
}

static tx_status stage_work_of(const tx_stage *stage, tx_cuda_stage_work *out) {
  *out = {};
  TX_TRY(tx_cuda_rk_of(stage, &out->rk));
  TX_TRY(tx_cuda_values_of(stage->y, &out->y));
  out->raw = stage->raw && stage->next;
  return TX_OK;
}

tx_status tx_cuda_stage(tx_exec *x, const tx_set *set, const tx_system_params *p,
                        const tx_stage *stage) {
  const tx_cuda_system *system;
  tx_cuda_stage_work work;
  tx_cuda_fork fork;
  if (set->n == 0) return TX_OK;
  TX_TRY(tx_cuda_system_of(stage->y, &system));
  TX_TRY(stage_work_of(stage, &work));
  TX_TRY(tx_cuda_stage_fork(x, set, stage, &fork));
  TX_TRY(system->stage[tx_cuda_plan_of(system->system)](x, set, p, &work, fork.stage));
  TX_TRY(system->boundary(x, set, p, &work, fork.boundary));
  return tx_cuda_stage_join(x, &fork);
}

tx_status tx_cuda_rhs(tx_exec *x, const tx_set *set, const tx_system_params *p, const tx_field *u,
                      tx_field *out) {
  const tx_cuda_system *system;
  tx_cuda_stage_work work = {};
  TX_TRY(tx_cuda_system_of(u, &system));
  TX_TRY(tx_cuda_target(out, &work.rhs));
  TX_TRY(tx_cuda_values_of(u, &work.y));
  TX_TRY(system->stage[tx_cuda_plan_of(system->system)](x, set, p, &work, tx_cuda_stream.compute));
  return system->boundary(x, set, p, &work, tx_cuda_stream.compute);
}

tx_status tx_cuda_boundary_only(tx_exec *x, const tx_system_params *p, const tx_stage *stage) {
  const tx_cuda_system *system;
  tx_cuda_stage_work work;
  TX_TRY(tx_cuda_system_of(stage->y, &system));
  TX_TRY(stage_work_of(stage, &work));
  return system->boundary(x, x->all, p, &work, tx_cuda_stream.compute);
}

tx_status tx_cuda_enforce(tx_exec *x, const tx_set *set, const tx_system_params *p, tx_field *u) {
  const tx_cuda_system *system;
  double *data;
  TX_TRY(tx_cuda_system_of(u, &system));
  TX_TRY(tx_cuda_target(u, &data));
  return system->enforce(x, set, p, data);
}

tx_status tx_cuda_analysis(tx_exec *x, const tx_set *set, const tx_system_params *p,
                           const tx_field *u, tx_field *out) {
  const tx_cuda_system *system;
  tx_cuda_values values;
  double *data;
  TX_TRY(tx_cuda_system_of(u, &system));
  TX_TRY(tx_cuda_target(out, &data));
  TX_TRY(tx_cuda_values_of(u, &values));
  return system->analysis(x, set, p, values, data);
}

tx_status tx_cuda_constraints(tx_exec *x, const tx_set *set, const tx_field *u,
                              const tx_norms_of *of, tx_norm_part *parts) {
  const tx_cuda *c = tx_cuda_of(x);
  const size_t bytes = (size_t)set->n * sizeof *parts;
  tx_cuda_values values;
  tx_cuda_balls list = {};
  const tx_cuda_system *system;
  TX_TRY(tx_cuda_system_of(u, &system));
  TX_REQUIRE(of->n_balls <= TX_CUDA_BALLS, TX_ERR_USAGE,
             "norms on the GPU leave out up to %d balls, not %d; leave fewer out", TX_CUDA_BALLS,
             of->n_balls);
  list.n = of->n_balls;
  for (int a = 0; a < of->n_balls; a++) list.ball[a] = of->balls[a];
  TX_TRY(tx_cuda_scratch(x, bytes));
  TX_TRY(tx_cuda_values_of(u, &values));
  TX_TRY(system->constraints(x, set, of->physics, values, list,
                             static_cast<tx_norm_part *>(c->scratch)));
  TX_CUDA(cudaMemcpyAsync(c->numbers, c->scratch, bytes, cudaMemcpyDeviceToHost,
                          tx_cuda_stream.compute));
  TX_CUDA(cudaStreamSynchronize(tx_cuda_stream.compute));
  memcpy(parts, c->numbers, bytes);
  return TX_OK;
}
