#include "refine/grid_limit.h"

#include <math.h>
#include <stdio.h>
#include <unistd.h>
#include "base/grid.h"
#include "exec/exec.h"

/* Bytes of the state of an octant. */
static double state_bytes(const tx_system *system) {
  return (double)sizeof(double) * system->n_vars * TX_N3;
}

/* Tables of an octant: of the forest and of a mesh, regions and plans of ghosts, and while they are made. */
#define TABLE_BYTES 3000.0

/* The state with the ghosts that it is filled from. */
#define GHOSTED 1.5

#define GB 1e-9

#define REMEDY "lower grid.level_min, grid.level_max, grid.bh_radius or grid.ball_radius"

/* Physical memory of this host over its ranks; where it is not known, no limit. */
static tx_status host_share(MPI_Comm comm, double *bytes) {
  MPI_Comm host;
  int ranks = 1;
  const long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
  TX_MPI(MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host));
  TX_MPI(MPI_Comm_size(host, &ranks));
  TX_MPI(MPI_Comm_free(&host));
  *bytes = pages > 0 && page > 0 ? (double)pages * (double)page / ranks : HUGE_VAL;
  return TX_OK;
}

/* Octants are shared out evenly: the rank with least memory decides. */
static tx_status set(MPI_Comm comm, double octant_bytes, double device_bytes, tx_grid_limit *out) {
  int ranks = 1;
  double bytes = 0.0;
  TX_TRY(host_share(comm, &bytes));
  TX_MPI(MPI_Comm_size(comm, &ranks));
  if (device_bytes > 0.0) bytes = device_bytes;
  TX_MPI(MPI_Allreduce(MPI_IN_PLACE, &bytes, 1, MPI_DOUBLE, MPI_MIN, comm));
  *out = (tx_grid_limit){.octant_bytes = octant_bytes, .bytes = bytes * ranks};
  out->why = device_bytes > 0.0 ? "the GPUs" : "the hosts of its ranks";
  out->most = (tx_gidx)fmin(out->bytes / octant_bytes, 1e18);
  return TX_OK;
}

double tx_step_copies(const tx_params *p) {
  const int levels = p->grid_level_max - p->grid_level_min + 1;
  if (p->evolution_time_steps != TX_STEPS_LEVELS) return TX_STEP_COPIES;
  return TX_LEVELS_COPIES + (double)TX_LEVEL_COPIES / levels;
}

tx_status tx_grid_limit_of_fields(MPI_Comm comm, const tx_system *system, double copies,
                                  tx_grid_limit *out) {
  TX_TRY(set(comm, copies * state_bytes(system), tx_exec_memory(), out));
  out->state_bytes = state_bytes(system);
  return TX_OK;
}

tx_status tx_grid_limit_of_tables(MPI_Comm comm, const tx_system *system, tx_grid_limit *out) {
  return set(comm, TABLE_BYTES + (system ? GHOSTED * state_bytes(system) : 0.0), 0.0, out);
}

tx_status tx_grid_limit_check_levels(const tx_grid_limit *limit, const tx_gidx leaves[TX_LEVELS]) {
  tx_gidx nodes[TX_LEVELS], copies = 0, largest = 0;
  tx_level_nodes_count(leaves, nodes);
  for (int l = 0; l < TX_LEVELS; l++) {
    copies += leaves[l] + nodes[l];
    if (nodes[l] > largest) largest = nodes[l];
  }
  const double bytes = limit->state_bytes * (double)(copies + TX_LEVEL_COPIES * largest);
  TX_REQUIRE(bytes <= limit->bytes, TX_ERR_MEMORY,
             "the levels of the grid take %.3g GB at least for their time steps, and %s have %.3g "
             "GB; use more of them, or %s",
             GB * bytes, limit->why, GB * limit->bytes, REMEDY);
  return TX_OK;
}

tx_status tx_grid_limit_check(const void *limit, tx_gidx octants) {
  const tx_grid_limit *r = limit;
  const double points = (double)octants * TX_N3;
  if (octants <= r->most) return TX_OK;
  TX_REQUIRE(r->octant_bytes > 0.0, TX_ERR_MEMORY,
             "the grid would have %lld octants or more, %.3g points, and %s; %s",
             (long long)octants, points, r->why, REMEDY);
  TX_FAIL(TX_ERR_MEMORY,
          "the grid would have %lld octants or more, %.3g points, which take %.3g GB at least, and "
          "%s have %.3g GB; use more of them, or %s",
          (long long)octants, points, GB * r->octant_bytes * (double)octants, r->why, GB * r->bytes,
          REMEDY);
}
