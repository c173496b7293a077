#include "advice/memory.h"

#include <math.h>
#include "advice/work.h"
#include "output/output.h"

/* Copies of the state that a step needs. A regrid holds ghosts and tables twice, with the state before
 * and after it and, at worst, send buffers with all octants. */
#define COPIES        TX_STEP_COPIES
#define COPIES_REGRID 2
#define COPIES_MOVING 1

/* Scratch copies of the state of the largest level. */
#define SCRATCH 3

/* Points that a level exchanges on several ranks, over its share of those of the leaves: every level is cut by itself. */
#define CUTS(ranks) fmin(1.5, 1.0 + 0.2 * ((ranks)-1))

/* Scratch copies and stored stages are made larger when the grid changes, so that levels may grow. */
#define ROOM_TO_GROW (17.0 / 16.0)

/* On a GPU: tables of an octant, about; buffers of numbers for the host. */
#define TABLE_BYTES   2500.0
#define SCRATCH_BYTES 4e6
/* Share of the points that ranks ask others for and that are sent: slabs that are part of others are not. */
#define PACKED 0.42
/* Memory of ghosts that other GPUs see is kept and used again, and so taken larger; there are two sets of it. */
#define SHARED_ROOM 1.25
#define SHARED_SETS 2
/* Such memory comes in whole pages: for the ghosts, the stored stages and the restriction of each level. Half of the last page is
 * empty. */
#define SHARED_PAGE       2097152.0
#define SHARED_OF_A_LEVEL 3
/* Part of all octants that a regrid makes or removes in one place, at most. */
#define CHANGING 0.1
/* Slabs that are interpolated on the rank itself overlap: their common points are stored once, on a GPU, and at refinement
 * boundaries of levels on a CPU. */
#define SLABS_OVERLAP        2.6
#define BOUNDARY_OVERLAP     2.1
#define BOUNDARY_OVERLAP_GPU 2.26

double tx_check_state_bytes(const tx_check *c) {
  return (double)sizeof(double) * tx_system_of(c->p)->n_vars;
}

/* Return the bytes of a point that the plan of the leaves has room for: of the state, or of all analysis quantities. */
static double plan_bytes(const tx_check *c) {
  return (double)sizeof(double) * tx_system_fields(tx_system_of(c->p));
}

/* Return the bytes of the field of analysis quantities, which is there while output takes them. */
static double quantities_bytes(const tx_check *c, const tx_rank_load *load) {
  if (!tx_output_takes_quantities(c->p)) return 0.0;
  return (double)sizeof(double) * tx_system_of(c->p)->n_analyses * load->n_local * TX_N3;
}

/* Return the bytes of the host that slices and whole fields take on the largest grid. */
static double output_bytes(const tx_check *c, const tx_rank_load *load) {
  double planes = 0.0, low[3];
  for (tx_gidx b = load->first; b < load->first + load->n_local; b++) {
    tx_mesh_origin(c->mesh, (tx_lidx)b, low);
    for (int d = 0; d < 3; d++) planes += low[d] == 0.0;
  }
  return tx_output_bytes(c->p, c->larger * planes, c->larger * load->n_local);
}

/* Return the bytes of a thread's buffers for fields of so many bytes a point. */
static double buffers_bytes(const tx_check *c, double point) {
  return point * (TX_P3 + TX_N3) + (double)tx_system_of(c->p)->scratch_bytes();
}

/* Return the octants of all grids of levels on the rank that has most of each. */
static double levels_octants(const tx_check *c) {
  double all = 0.0;
  for (int l = 0; l < TX_LEVELS; l++) all += tx_check_level_most(c, l);
  return all;
}

/* Return the bytes of the states of levels. */
static double levels_fields(const tx_check *c) {
  return tx_check_state_bytes(c) * TX_N3 * levels_octants(c);
}

/* Return the bytes that are there only while levels step, as src/evolve/levels.c lays them out: stored stages one behind the other,
 * the scratch copies of a level behind those that it makes. Leaves from other ranks arrive there too, on their way to the mesh of
 * leaves. Of points that are interpolated one in `overlap` is stored. */
static double levels_stepping(const tx_check *c, double overlap) {
  double stored = 0.0, most = 0.0;
  for (int l = 0; l < TX_LEVELS; l++) {
    if (l + 1 < TX_LEVELS)
      stored += TX_STORED_STAGES * c->level_boundary[l + 1] / (overlap * c->ranks);
    if (tx_check_level_most(c, l) > 0.0)
      most = fmax(most, stored + SCRATCH * TX_N3 * tx_check_level_most(c, l));
  }
  if (c->p->grid_regrid_every > 0) most *= ROOM_TO_GROW;
  return tx_check_state_bytes(c) * most;
}

/* Return the points of ghosts of levels. */
static double levels_ghosts(const tx_check *c, double overlap) {
  return c->level_slots / (overlap * c->ranks);
}

/* Return the points that levels exchange where the mesh of leaves exchanges `points`, about. */
static double levels_exchanged(const tx_check *c, int64_t points) {
  if (c->ranks == 1) return 0.0;
  return CUTS(c->ranks) * (double)points * levels_octants(c) * c->ranks / (double)c->mesh->n_global;
}

double tx_check_rank_bytes(const tx_check *c, const tx_rank_load *load) {
  double field = tx_check_state_bytes(c) * load->n_local * TX_N3;
  double ghosts =
      plan_bytes(c) * (double)(load->slot_points + load->send1_points + load->send2_points) +
      (double)load->mesh_bytes;
  double most = COPIES * field + ghosts, levels = 0.0;
  if (c->macro.of_levels) {
    const int64_t exchanged = load->recv_points + load->send1_points + load->send2_points;
    levels = levels_fields(c) +
             tx_check_state_bytes(c) *
                 (levels_ghosts(c, BOUNDARY_OVERLAP) + levels_exchanged(c, exchanged)) +
             levels_octants(c) * (double)load->mesh_bytes / fmax(load->n_local, 1.0) +
             c->levels * c->threads * buffers_bytes(c, tx_check_state_bytes(c));
    most = field + ghosts + levels + levels_stepping(c, BOUNDARY_OVERLAP);
  }
  most = c->larger * (most + quantities_bytes(c, load)) + output_bytes(c, load);
  double copies = COPIES_REGRID + (c->ranks > 1 ? COPIES_MOVING : 0);
  if (c->p->grid_regrid_every > 0)
    most = fmax(most, c->larger * (copies * field + 2.0 * ghosts + levels));
  return most + c->threads * buffers_bytes(c, plan_bytes(c));
}

/* Count the points of the ghosts of octants [first, first + n) that a GPU assembles from finer octants. */
static double assembled_points(const tx_mesh *mesh, tx_gidx first, tx_lidx n) {
  double points = 0.0;
  for (tx_gidx b = first; b < first + n; b++)
    for (int r = 0; r < 27; r++) {
      int dirs = (r % 3 != 1) + (r / 3 % 3 != 1) + (r / 9 != 1);
      if (mesh->region[b][r].kind == TX_REGION_FINER)
        points += pow(TX_K, dirs) * pow(TX_N, 3 - dirs);
    }
  return points;
}

/* Return the memory of ghosts on a GPU, of so many bytes a point: of points that are received, that the rank makes itself, and that are
 * sent in two phases. */
static double slots_bytes(double point, double received, double own, double sent1, double sent2) {
  return point * (SHARED_ROOM * SHARED_SETS * PACKED * received + own + PACKED * sent1 + sent2);
}

/* Return the bytes that the shared memory of levels takes beyond the points that they receive, as it comes in whole pages. */
static double pages_bytes(const tx_check *c, double received) {
  if (c->ranks == 1) return 0.0;
  const double blocks = SHARED_OF_A_LEVEL * c->levels;
  const double used =
      tx_check_state_bytes(c) * SHARED_ROOM * SHARED_SETS * PACKED * received / blocks;
  return blocks * fmax(SHARED_PAGE - used, 0.5 * SHARED_PAGE);
}

/* Return the memory of a GPU for the grids of levels, whether they step or not: parts of stored stages that other ranks send are
 * kept, too. */
static double levels_bytes(const tx_check *c, const tx_rank_load *load) {
  const double received = levels_exchanged(c, load->recv_points - load->send2_points);
  const double sent1 = levels_exchanged(c, load->send1_points);
  const double sent2 = levels_exchanged(c, load->send2_points);
  return levels_fields(c) + TABLE_BYTES * levels_octants(c) + pages_bytes(c, received) +
         slots_bytes(tx_check_state_bytes(c), received, levels_ghosts(c, BOUNDARY_OVERLAP_GPU),
                     sent1, sent2) +
         tx_check_state_bytes(c) * SHARED_ROOM * TX_STORED_STAGES * sent2;
}

/* Return the share of a rank's octants that a regrid sends to others: the cuts between ranks move if a part of all octants comes
 * or goes. */
static double moving(const tx_check *c) {
  return fmin(1.0, CHANGING * (c->ranks - 1));
}

double tx_check_device_bytes(const tx_check *c, const tx_rank_load *load) {
  const double field = tx_check_state_bytes(c) * load->n_local * TX_N3;
  const double interpolated = (double)(load->slot_points - load->recv_points) / SLABS_OVERLAP;
  const double own = interpolated + assembled_points(c->mesh, load->first, load->n_local);
  const double plan = slots_bytes(plan_bytes(c), (double)load->recv_points, own,
                                  (double)load->send1_points, (double)load->send2_points) +
                      TABLE_BYTES * load->n_local;
  double most = COPIES * field + plan, levels = 0.0;
  if (c->macro.of_levels) {
    levels = levels_bytes(c, load);
    most = field + plan + levels + levels_stepping(c, BOUNDARY_OVERLAP_GPU);
  }
  most += quantities_bytes(c, load);
  /* The plan of the new mesh is made when that of the old one is gone. */
  if (c->p->grid_regrid_every > 0)
    most = fmax(most, (COPIES_REGRID + moving(c)) * field + plan + levels);
  return c->larger * most + SCRATCH_BYTES;
}
