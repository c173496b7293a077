/* What a regrid costs the host, piece by piece: the grid of `tendex bench`, or that of a parameter file, as its
 * punctures orbit; no data move. `exec` has the tables of a GPU. Also what it costs to find that nothing
 * changes.
 * Usage: [mpirun ...] bench_regrid [points | file.yaml [levels | radius of the holes [goes]]] */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/speed.h"
#include "base/base.h"
#include "base/memory.h"
#include "base/timer.h"
#include "evolve/demands.h"
#include "exec/level.h"
#include "machine/compute.h"
#include "physics/bssn.h"

/* Radians between two regrids. */
#define TURN 0.012

typedef enum piece {
  WANTS,
  ADAPT,
  OCTANTS,
  TABLES,
  PLAN,
  NODES,
  GRIDS,
  PLANS,
  DESTROY,
  PIECES
} piece;

/* From the third on: octants, tables and plan of the leaves; nodes, grids and plans of the levels that change. */
static const char *const names[PIECES] = {"flags", "adapt", "octants", "tables", "plan",
                                          "nodes", "grids", "plans",   "destroy"};

/* Seconds of the slowest rank, least and mean of all goes. */
typedef struct timing {
  double least[PIECES], sum[PIECES];
  int goes;
} timing;

static double mark_s;

static void begin(void) {
  MPI_Barrier(MPI_COMM_WORLD);
  mark_s = tx_now_s();
}

static void end(double *out) {
  double s = tx_now_s() - mark_s;
  MPI_Allreduce(&s, out, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  begin();
}

static void turn(tx_policy *policy, double angle) {
  const double c = cos(angle), s = sin(angle);
  for (int a = 0; a < policy->n_punctures; a++) {
    const double *x = policy->puncture[a].x;
    tx_policy_move(policy, a, (const double[]){c * x[0] - s * x[1], s * x[0] + c * x[1], x[2]});
  }
}

/* Grids and plans of the levels. */
typedef struct levels {
  tx_level_grids *grids;
  tx_exec *exec[TX_LEVELS];
} levels;

static void destroy_levels(levels *l, int from) {
  for (int i = TX_LEVELS - 1; i >= from; i--) {
    tx_exec_destroy(l->exec[i]);
    l->exec[i] = NULL;
  }
  tx_level_grids_destroy(l->grids);
  l->grids = NULL;
}

static tx_status make_levels(const tx_mesh *mesh, levels *l, double s[PIECES]) {
  tx_level_grids *grids = NULL;
  TX_TRY(tx_level_grids_begin(mesh, l->grids, &grids));
  end(&s[NODES]);
  destroy_levels(l, grids->kept);
  l->grids = grids;
  end(&s[DESTROY]);
  TX_TRY(tx_level_grids_end(grids, mesh));
  end(&s[GRIDS]);
  TX_TRY(tx_exec_create_levels(grids, grids->kept, TX_VARS, l->exec));
  end(&s[PLANS]);
  return TX_OK;
}

/* One regrid as a run does it. */
static tx_status go(tx_octree *tree, tx_mesh **mesh, const tx_policy *policy, levels *l,
                    tx_gidx changes[2], double s[PIECES]) {
  tx_transfer *transfer = NULL;
  tx_mesh *now = NULL;
  tx_exec *exec = NULL;
  int8_t *flag = NULL;
  memset(s, 0, PIECES * sizeof *s);
  begin();
  TX_TRY(tx_policy_flags(policy, &(tx_grid_data){*mesh, NULL, NULL}, &flag));
  end(&s[WANTS]);
  TX_TRY(tx_octree_adapt(
      tree, *mesh, &(tx_adaptation){flag, policy->level_min, policy->level_max, NULL}, &transfer));
  end(&s[ADAPT]);
  changes[0] += transfer->n_refined;
  changes[1] += transfer->n_coarsened;
  bool changed = transfer->from_revision != transfer->to_revision;
  if (changed) {
    TX_TRY(tx_mesh_begin(tree, &now));
    end(&s[OCTANTS]);
    TX_TRY(make_levels(now, l, s));
    TX_TRY(tx_mesh_end(now));
    end(&s[TABLES]);
    TX_TRY(tx_exec_create(now, TX_VARS, &exec));
    end(&s[PLAN]);
  }
  const double destroyed = s[DESTROY];
  tx_free(flag);
  tx_transfer_destroy(transfer);
  tx_exec_destroy(exec);
  if (changed) tx_mesh_destroy(*mesh);
  if (changed) *mesh = now;
  end(&s[DESTROY]);
  s[DESTROY] += destroyed;
  return TX_OK;
}

static void add(timing *t, const double s[PIECES]) {
  for (int i = 0; i < PIECES; i++) {
    if (t->goes == 0 || s[i] < t->least[i]) t->least[i] = s[i];
    t->sum[i] += s[i];
  }
  t->goes++;
}

static void show(const char *what, const timing *t) {
  double least = 0.0, mean = 0.0;
  printf("%s, ms (least, mean of %d):\n", what, t->goes);
  for (int i = 0; i < PIECES; i++) {
    printf("  %-8s %8.3f %8.3f\n", names[i], 1e3 * t->least[i], 1e3 * t->sum[i] / t->goes);
    least += t->least[i];
    mean += t->sum[i] / t->goes;
  }
  printf("  %-8s %8.3f %8.3f\n", "all", 1e3 * least, 1e3 * mean);
}

static tx_status make_params(int argc, char **argv, tx_params *p) {
  const char *grid = argc > 1 ? argv[1] : "5e6";
  if (!strstr(grid, ".yaml"))
    return tx_speed_params(MPI_COMM_WORLD, argc > 2 ? atoi(argv[2]) : 7, strtod(grid, NULL), p);
  TX_TRY(tx_params_read(MPI_COMM_WORLD, grid, 0, NULL, tx_evolve_demands, p));
  if (argc > 2) p->grid_bh_radius = strtod(argv[2], NULL);
  return TX_OK;
}

static tx_status bench(int argc, char **argv) {
  tx_params p;
  tx_initial_data *id = NULL;
  tx_octree *tree = NULL;
  tx_mesh *mesh = NULL;
  tx_adm_numbers adm;
  tx_policy policy;
  levels l = {NULL, {NULL}};
  timing change = {.goes = 0}, still = {.goes = 0};
  tx_gidx changes[2] = {0, 0}, none[2] = {0, 0};
  int goes = argc > 3 ? atoi(argv[3]) : 20;
  TX_TRY(make_params(argc, argv, &p));
  TX_TRY(tx_compute_start(MPI_COMM_WORLD, &p));
  p.initial_data_type = TX_ID_BRILL_LINDQUIST;
  TX_TRY(tx_initial_data_create(&p, &id));
  tx_initial_data_adm(id, &adm);
  tx_policy_start(&p, &adm, &policy);
  TX_TRY(tx_grid_build(MPI_COMM_WORLD, &p, id, &policy, &tree, &mesh));
  if (mesh->rank == 0)
    printf("%lld octants, levels %d to %d\n", (long long)mesh->n_global, mesh->level_lowest,
           mesh->level_highest);
  for (int i = 0; i < goes; i++) {
    double s[PIECES];
    turn(&policy, TURN);
    TX_TRY(go(tree, &mesh, &policy, &l, changes, s));
    if (i > 0) add(&change, s); /* the first one makes all levels */
    TX_TRY(go(tree, &mesh, &policy, &l, none, s));
    add(&still, s);
  }
  if (mesh->rank == 0) {
    show("regrid", &change);
    show("nothing to change", &still);
    printf("%.1f octants refined, %.1f families coarsened a regrid; %lld octants at the end\n",
           (double)changes[0] / goes, (double)changes[1] / goes, (long long)mesh->n_global);
  }
  destroy_levels(&l, 0);
  tx_mesh_destroy(mesh);
  tx_octree_destroy(tree);
  tx_initial_data_destroy(id);
  return TX_OK;
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  tx_status status = tx_base_init(MPI_COMM_WORLD);
  TX_THEN(status, bench(argc, argv));
  tx_compute_stop();
  tx_error_print(MPI_COMM_WORLD, status);
  tx_status ended = tx_base_finalize(MPI_COMM_WORLD);
  MPI_Finalize();
  return (int)(status == TX_OK ? ended : status);
}
