/* Time of an exchange of ghosts and of a regrid between GPUs, for every transport that works.
 *
 * usage: mpirun -n RANKS bench_exchange.gpu [LEVEL [REPEATS]]
 * The domain has octants of LEVEL everywhere and two levels more about its middle. */
#include <stdio.h>
#include <stdlib.h>
#include "base/base.h"
#include "base/log.h"
#include "cuda/cuda.h"
#include "octree/octree.h"
#include "params/words.h"
#include "physics/bssn.h"

/* Ways to send: a transport, and below how many bytes kernels store straight into another GPU's memory. */
static const struct {
  int transport;
  int64_t direct;
  const char *name;
} ways[] = {{TX_TRANSPORT_PEER, -1, "peer"},
            {TX_TRANSPORT_PEER, 0, "peer, copied"},
            {TX_TRANSPORT_PEER, INT64_C(1) << 40, "peer, stored straight"},
            {TX_TRANSPORT_NCCL, -1, "nccl"},
            {TX_TRANSPORT_MPI, -1, "mpi"},
            {TX_TRANSPORT_STAGED, -1, "staged"}};

static double most(double value) {
  double all = 0.0;
  MPI_Allreduce(&value, &all, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return all;
}

/* One level more within a cube of half the size of the one before. */
static tx_status refine(tx_octree *tree, tx_mesh **mesh, double half, int level_max,
                        tx_transfer **transfer) {
  int8_t *flag = calloc((size_t)(*mesh)->n_local + 1, 1);
  tx_mesh *now = NULL;
  for (tx_lidx b = 0; b < (*mesh)->n_local; b++) {
    const double size = tx_mesh_size(*mesh, (*mesh)->octant[b].level);
    double x[3];
    bool inside = true;
    tx_mesh_origin(*mesh, b, x);
    for (int d = 0; d < 3; d++) inside = inside && x[d] >= -half && x[d] + size <= half;
    flag[b] = inside;
  }
  tx_status status =
      tx_octree_adapt(tree, *mesh, &(tx_adaptation){flag, 0, level_max, NULL}, transfer);
  free(flag);
  TX_TRY(status);
  TX_TRY(tx_mesh_create(tree, &now));
  if (*transfer && (*transfer)->n_refined == 0) printf("# nothing was refined\n");
  *mesh = now;
  return TX_OK;
}

/* Seconds of one of `repeats` exchanges, the slowest rank's. */
static tx_status time_exchange(tx_exec *x, const tx_field *f, int repeats, double *seconds) {
  for (int i = 0; i < 3; i++) TX_TRY(tx_ghosts_fill(x, f));
  TX_TRY(tx_cuda_wait());
  MPI_Barrier(MPI_COMM_WORLD);
  const double begin = MPI_Wtime();
  for (int i = 0; i < repeats; i++) TX_TRY(tx_ghosts_fill(x, f));
  TX_TRY(tx_cuda_wait());
  *seconds = most((MPI_Wtime() - begin) / repeats);
  return TX_OK;
}

/* MB that this rank sends in an exchange of the evolved variables. */
static double megabytes(const tx_mesh *mesh) {
  const tx_ghost_plan *g = &mesh->ghosts;
  return (double)(g->send1_points + g->send2_points) * TX_VARS * 8e-6;
}

typedef struct result {
  double plan_s, fill_s, replan_s, transfer_s, fill_more_s, sent[2], moved, points[2];
} result;

static double points_of(const tx_mesh *mesh) {
  return (double)mesh->n_global * TX_N3;
}

static tx_status measure(int level, int repeats, result *r) {
  const tx_domain domain = {.extent = 1.0};
  tx_octree *tree = NULL;
  tx_mesh *first = NULL, *mesh = NULL, *now = NULL;
  tx_transfer *unused = NULL, *transfer = NULL;
  tx_exec *x = NULL, *to = NULL;
  tx_field *f = NULL, *out = NULL;
  TX_TRY(tx_octree_create(MPI_COMM_WORLD, &domain, level, &tree));
  TX_TRY(tx_mesh_create(tree, &first));
  mesh = first;
  TX_TRY(refine(tree, &mesh, 0.5, level + 2, &unused));
  double t = MPI_Wtime();
  TX_TRY(tx_exec_create(mesh, TX_VARS, &x));
  TX_TRY(tx_cuda_wait());
  r->plan_s = most(MPI_Wtime() - t);
  TX_TRY(tx_field_create_state(x, &tx_bssn, &f));
  TX_TRY(time_exchange(x, f, repeats, &r->fill_s));
  now = mesh;
  TX_TRY(refine(tree, &now, 0.25, level + 2, &transfer));
  t = MPI_Wtime();
  TX_TRY(tx_exec_create(now, TX_VARS, &to));
  TX_TRY(tx_cuda_wait());
  r->replan_s = most(MPI_Wtime() - t);
  t = MPI_Wtime();
  TX_TRY(tx_exec_transfer(x, f, transfer, to, &out));
  TX_TRY(tx_cuda_wait());
  r->transfer_s = most(MPI_Wtime() - t);
  TX_TRY(time_exchange(to, out, repeats, &r->fill_more_s));
  r->sent[0] = most(megabytes(mesh));
  r->sent[1] = most(megabytes(now));
  r->moved = most((double)(transfer->n_remap - transfer->n_stay) * TX_VARS * TX_N3 * 8e-6);
  r->points[0] = points_of(mesh);
  r->points[1] = points_of(now);
  tx_field_destroy(f);
  tx_field_destroy(out);
  tx_exec_destroy(x);
  tx_exec_destroy(to);
  tx_transfer_destroy(unused);
  tx_transfer_destroy(transfer);
  tx_mesh_destroy(now);
  tx_mesh_destroy(mesh);
  tx_mesh_destroy(first);
  tx_octree_destroy(tree);
  return TX_OK;
}

static tx_status run(int transport, const char *name, int level, int repeats) {
  const tx_cuda_config config = {.transport = transport};
  result r;
  TX_TRY(tx_cuda_start(MPI_COMM_WORLD, &config));
  tx_exec_use(&tx_backend_cuda);
  TX_TRY(measure(level, repeats, &r));
  tx_log("%-22s %9.3g %9.1f %9.1f %9.1f | %9.3g %9.1f %9.1f %9.1f %9.1f %9.1f", name, r.points[0],
         r.sent[0], 1e3 * r.plan_s, 1e6 * r.fill_s, r.points[1], r.sent[1], 1e3 * r.replan_s,
         r.moved, 1e3 * r.transfer_s, 1e6 * r.fill_more_s);
  tx_exec_use(&tx_backend_cpu);
  tx_cuda_stop();
  return TX_OK;
}

int main(int argc, char **argv) {
  int provided;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  if (tx_base_init(MPI_COMM_WORLD) != TX_OK) MPI_Abort(MPI_COMM_WORLD, 1);
  const int level = argc > 1 ? atoi(argv[1]) : 4, repeats = argc > 2 ? atoi(argv[2]) : 50;
  tx_log("%-22s %9s %9s %9s %9s | %9s %9s %9s %9s %9s %9s", "transport", "points", "MB sent",
         "plan ms", "fill us", "points", "MB sent", "plan ms", "MB moved", "move ms", "fill us");
  for (size_t w = 0; w < sizeof ways / sizeof *ways; w++) {
    tx_cuda_transport_limits(600.0, 0, ways[w].direct);
    if (run(ways[w].transport, ways[w].name, level, repeats) != TX_OK)
      tx_log("%-22s %s", ways[w].name, tx_error_text());
    tx_error_clear();
  }
  const tx_status left = tx_base_finalize(MPI_COMM_WORLD);
  MPI_Finalize();
  return left;
}
