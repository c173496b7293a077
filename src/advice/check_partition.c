/* What a run takes on the ranks that it will have: octants, halo, memory, time. */
#include "advice/check.h"

#include <math.h>
#include <stdio.h>
#include "report/text.h"
#include "base/log.h"
#include "base/memory.h"

/* Copies of the state that a step needs. A regrid holds ghosts and tables twice, with the state before
 * and after it and, at worst, send buffers with all octants. */
#define COPIES        TX_STEP_COPIES
#define COPIES_REGRID 2
#define COPIES_MOVING 1

/* On a GPU: tables of an octant, about; buffers of numbers for the host; what the driver keeps to itself. */
#define TABLE_BYTES   2500.0
#define SCRATCH_BYTES 4e6
#define DRIVER_BYTES  1e9
/* Of the points that other ranks are asked for, so many travel: slabs that are part of others are not sent. */
#define PACKED 0.42
/* Memory of ghosts that other GPUs see is kept and used again, and so taken larger; there are two sets of it. */
#define SHARED_ROOM 1.25
#define SHARED_SETS 2
/* It comes in whole pages: for the ghosts of each level, its edge and what it passes down. Half of the last is empty. */
#define SHARED_PAGE       2097152.0
#define SHARED_OF_A_LEVEL 3
/* Of all octants, how many a regrid makes or removes in one place, at most. */
#define CHANGING 0.1
/* Slabs that are interpolated on the rank itself overlap: what they have in common is stored once, on a GPU, and at the
 * edges of levels on a CPU. */
#define SLABS_OVERLAP     2.6
#define EDGES_OVERLAP     2.1
#define EDGES_OVERLAP_GPU 2.26

/* Stages of a time step. */
#define STAGES 4

#define MIB 1048576.0

/* Ranks with a larger imbalance get a note. */
#define IMBALANCE 0.1

/* Up to so many ranks each number is tried. */
#define RANKS_ALL 20000

double tx_check_state_bytes(const tx_check *c) {
  return (double)sizeof(double) * tx_system_of(c->p)->n_vars;
}

double tx_check_rank_bytes(const tx_check *c, const tx_rank_load *load) {
  double field = tx_check_state_bytes(c) * load->n_local * TX_N3;
  double ghosts = tx_check_state_bytes(c) *
                      (double)(load->slot_points + load->send1_points + load->send2_points) +
                  (double)load->mesh_bytes;
  double buffers =
      tx_check_state_bytes(c) * (TX_P3 + TX_N3) + (double)tx_system_of(c->p)->scratch_bytes();
  double most = COPIES * field + ghosts, levels = 0.0;
  if (c->macro.of_levels) {
    const int64_t exchanged = load->recv_points + load->send1_points + load->send2_points;
    levels = tx_check_levels_fields(c) +
             tx_check_state_bytes(c) * (tx_check_levels_ghosts(c, EDGES_OVERLAP) +
                                        tx_check_levels_exchanged(c, exchanged)) +
             tx_check_levels_octants(c) * (double)load->mesh_bytes / fmax(load->n_local, 1.0) +
             c->levels * c->threads * buffers;
    most = field + ghosts + levels + tx_check_levels_stepping(c, EDGES_OVERLAP);
  }
  double copies = COPIES_REGRID + (c->ranks > 1 ? COPIES_MOVING : 0);
  if (c->p->grid_regrid_every > 0) most = fmax(most, copies * field + 2.0 * ghosts + levels);
  return c->larger * most + c->threads * buffers;
}

/* Points of the ghosts of octants [first, first + n) that a GPU assembles from finer octants. */
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

/* Memory of ghosts on a GPU: of so many points that are received, that the rank makes itself, and that are sent in two
 * phases. */
static double slots_bytes(const tx_check *c, double received, double own, double sent1,
                          double sent2) {
  return tx_check_state_bytes(c) *
         (SHARED_ROOM * SHARED_SETS * PACKED * received + own + PACKED * sent1 + sent2);
}

/* What the shared memory of levels that receive so many points takes beyond them, in whole pages. */
static double pages_bytes(const tx_check *c, double received) {
  if (c->ranks == 1) return 0.0;
  const double blocks = SHARED_OF_A_LEVEL * c->levels;
  const double used =
      tx_check_state_bytes(c) * SHARED_ROOM * SHARED_SETS * PACKED * received / blocks;
  return blocks * fmax(SHARED_PAGE - used, 0.5 * SHARED_PAGE);
}

/* What the grids of levels take of a GPU, whether they step or not: parts of stored stages that other ranks send are kept, too. */
static double levels_bytes(const tx_check *c, const tx_rank_load *load) {
  const double received = tx_check_levels_exchanged(c, load->recv_points - load->send2_points);
  const double sent1 = tx_check_levels_exchanged(c, load->send1_points);
  const double sent2 = tx_check_levels_exchanged(c, load->send2_points);
  return tx_check_levels_fields(c) + TABLE_BYTES * tx_check_levels_octants(c) +
         pages_bytes(c, received) +
         slots_bytes(c, received, tx_check_levels_ghosts(c, EDGES_OVERLAP_GPU), sent1, sent2) +
         tx_check_state_bytes(c) * SHARED_ROOM * TX_STORED_STAGES * sent2;
}

/* The share of a rank's octants that a regrid sends to others: the cuts between ranks move if a part of all octants comes or goes. */
static double moving(const tx_check *c) {
  return fmin(1.0, CHANGING * (c->ranks - 1));
}

double tx_check_device_bytes(const tx_check *c, const tx_rank_load *load) {
  const double field = tx_check_state_bytes(c) * load->n_local * TX_N3;
  const double interpolated = (double)(load->slot_points - load->recv_points) / SLABS_OVERLAP;
  const double own = interpolated + assembled_points(c->mesh, load->first, load->n_local);
  const double plan = slots_bytes(c, (double)load->recv_points, own, (double)load->send1_points,
                                  (double)load->send2_points) +
                      TABLE_BYTES * load->n_local;
  double most = COPIES * field + plan, levels = 0.0;
  if (c->macro.of_levels) {
    levels = levels_bytes(c, load);
    most = field + plan + levels + tx_check_levels_stepping(c, EDGES_OVERLAP_GPU);
  }
  /* The plan of the new mesh is made when that of the old one is gone. */
  if (c->p->grid_regrid_every > 0)
    most = fmax(most, (COPIES_REGRID + moving(c)) * field + plan + levels);
  return c->larger * most + SCRATCH_BYTES;
}

double tx_check_imbalance(const tx_check *c) {
  tx_lidx most = 0;
  for (int r = 0; r < c->ranks; r++)
    if (c->load[r].n_local > most) most = c->load[r].n_local;
  return most * (double)c->ranks / (double)c->mesh->n_global - 1.0;
}

/* Smallest, sum and largest over ranks. */
typedef struct spread {
  double min, sum, max;
} spread;

static void spread_add(spread *s, int r, double x) {
  s->min = r == 0 ? x : fmin(s->min, x);
  s->max = r == 0 ? x : fmax(s->max, x);
  s->sum += x;
}

/* With so many digits, and all of a large number instead of an exponent. */
static const char *plain_text(double x, int digits, char text[32]) {
  if (x >= pow(10.0, digits) - 0.5)
    snprintf(text, 32, "%.0f", x);
  else
    snprintf(text, 32, "%.*g", digits, x);
  return text;
}

static void show_halo(const tx_check *c) {
  spread sent = {0}, messages = {0}, octants = {0}, boundary = {0};
  char most[32], all[32], ranks[64];
  for (int r = 0; r < c->ranks; r++) {
    const tx_rank_load *l = &c->load[r];
    spread_add(&octants, r, l->n_local);
    spread_add(&boundary, r, l->n_boundary);
    spread_add(&sent, r, (double)(l->send1_points + l->send2_points));
    spread_add(&messages, r, l->n_send1_to + l->n_send2_to);
  }
  tx_ranks_text(c->ranks, c->threads, ranks);
  if (c->ranks == 1) {
    tx_log("  ranks       %s", ranks);
    return;
  }
  tx_log("  ranks       %s: %.0f to %.0f octants per rank, mean %s; load imbalance %.1f%%", ranks,
         octants.min, octants.max, plain_text(octants.sum / c->ranks, 4, all),
         100.0 * tx_check_imbalance(c));
  tx_log("  halo        at most %s sent per rank and stage, %s in all; %.3g points sent per point "
         "owned",
         tx_bytes_text(tx_check_state_bytes(c) * sent.max, most),
         tx_bytes_text(tx_check_state_bytes(c) * sent.sum, all), sent.sum / (octants.sum * TX_N3));
  tx_log("              at most %s per rank and time step, %s in all; up to %.0f messages per rank "
         "and stage",
         tx_bytes_text(STAGES * tx_check_state_bytes(c) * sent.max, most),
         tx_bytes_text(STAGES * tx_check_state_bytes(c) * sent.sum, all), messages.max);
  tx_log("              %.0f%% of the octants need no ghosts from other ranks and overlap with "
         "communication",
         100.0 * (1.0 - boundary.sum / octants.sum));
}

/* Of the largest grid. */
static double points(const tx_check *c) {
  return c->larger * (double)c->mesh->n_global * TX_N3;
}

static void show_memory(const tx_check *c) {
  spread bytes = {0};
  char most[32], all[32];
  for (int r = 0; r < c->ranks; r++) spread_add(&bytes, r, tx_check_rank_bytes(c, &c->load[r]));
  tx_log("  memory      at most %s per rank, %s in all, %.0f bytes per point, without MPI and the "
         "system",
         tx_bytes_text(bytes.max, most), tx_bytes_text(bytes.sum, all), bytes.sum / points(c));
}

/* Most bytes of a GPU that any rank needs, and of all ranks. */
static spread device_need(const tx_check *c) {
  spread bytes = {0};
  for (int r = 0; r < c->ranks; r++) spread_add(&bytes, r, tx_check_device_bytes(c, &c->load[r]));
  return bytes;
}

static void show_device_memory(const tx_check *c) {
  const spread bytes = device_need(c);
  char most[32], all[32], has[32];
  if (c->p->compute_device == TX_DEVICE_CPU) return;
  tx_bytes_text(c->compute.memory_bytes, has);
  tx_log("              on GPUs at most %s per GPU%s%s%s, %s in all, %.0f bytes per point",
         tx_bytes_text(bytes.max, most), c->compute.gpu ? " of the " : "",
         c->compute.gpu ? has : "", c->compute.gpu ? " that it has" : "",
         tx_bytes_text(bytes.sum, all), bytes.sum / points(c));
}

static void show_cost(tx_check *c) {
  char wall[32], machine[32], ranks[64];
  const double stages = tx_check_point_stages(c);
  const double even_s = stages / (c->speed * c->ranks * (c->gpu ? 1 : c->threads));
  c->wall_s = c->machine ? tx_check_machine_s(c) : even_s * (1.0 + tx_check_work_imbalance(c));
  tx_log("  cost        %.0f steps, %.3g point-stages, %s %s hours%s", c->steps, stages,
         plain_text(stages / c->speed / 3600.0, 3, wall), c->gpu ? "GPU" : "core",
         c->p->grid_regrid_every > 0 ? "; the grid follows the holes" : "");
  tx_duration_text(c->wall_s, wall);
  if (c->machine) {
    tx_budget_machine_text(c->machine, machine, sizeof machine);
    tx_log("              %s on %s, everything included", wall, machine);
  } else {
    tx_log("              %s on %s, with load imbalance, without communication, waves, horizons "
           "and output",
           wall, tx_ranks_text(c->ranks, c->threads, ranks));
  }
  tx_duration_text(c->wall_s * ldexp(1.0, c->macro.m) / c->steps, wall);
  if (c->macro.of_levels)
    tx_log("              %s per macro step; signals and run.walltime act at its end", wall);
}

void tx_check_show(tx_check *c) {
  show_halo(c);
  show_memory(c);
  show_device_memory(c);
  if (c->speed > 0.0) show_cost(c);
}

/* Does it fit into the GPUs of this machine? */
static void note_device_memory(tx_check *c) {
  const double room = c->compute.memory_bytes - DRIVER_BYTES;
  const spread bytes = device_need(c);
  char most[32], has[32];
  if (!c->compute.gpu || bytes.max <= room) return;
  tx_check_note(c,
                "a GPU needs %s and has %s, of which the driver takes %.1f GB: use %.0f GPUs or a "
                "smaller grid (grid.level_max, grid.bh_radius, grid.ball_radius)",
                tx_bytes_text(bytes.max, most), tx_bytes_text(c->compute.memory_bytes, has),
                DRIVER_BYTES / 1e9, fmax(c->ranks + 1.0, ceil(1.1 * bytes.sum / room)));
}

/* Imbalance of the first grid on `ranks` ranks; `first` has room for ranks + 1. */
static tx_status imbalance_on(const tx_mesh *mesh, int ranks, tx_gidx *first, double *imbalance) {
  tx_gidx most = 0;
  TX_TRY(tx_partition_cuts(mesh, ranks, first));
  for (int r = 0; r < ranks; r++)
    if (first[r + 1] - first[r] > most) most = first[r + 1] - first[r];
  *imbalance = (double)most * ranks / (double)mesh->n_global - 1.0;
  return TX_OK;
}

/* The most ranks below those asked for that are balanced, to a percent where they are very many. */
static tx_status find_balanced(const tx_check *c, int *ranks) {
  tx_gidx *first = NULL;
  tx_gidx start = c->ranks - 1 < c->mesh->n_global ? c->ranks - 1 : c->mesh->n_global;
  TX_TRY(tx_alloc((size_t)c->ranks + 1, sizeof *first, "check", &first));
  tx_status status = TX_OK;
  double imbalance = 1.0;
  for (*ranks = (int)start; *ranks > 1; *ranks -= *ranks > RANKS_ALL ? *ranks / 100 : 1) {
    status = imbalance_on(c->mesh, *ranks, first, &imbalance);
    if (status != TX_OK || imbalance <= IMBALANCE) break;
  }
  tx_free(first);
  return status;
}

tx_status tx_check_ranks(tx_check *c) {
  const tx_params *p = c->p;
  double imbalance = tx_check_imbalance(c);
  char hours[32];
  plain_text(c->wall_s / 3600.0, 2, hours);
  note_device_memory(c);
  tx_check_machine(c);
  if (imbalance > IMBALANCE) {
    int idle = 0, ranks = 1;
    char why[64] = "", times[32];
    for (int r = 0; r < c->ranks; r++) idle += c->load[r].n_local == 0;
    if (idle > 0) snprintf(why, sizeof why, "%d of %d ranks have no octant: ", idle, c->ranks);
    TX_TRY(find_balanced(c, &ranks));
    tx_check_note(c,
                  "%sthe fullest rank has %s times the mean load: use %d rank%s, balanced to "
                  "%.0f%%, or more threads per rank",
                  why, plain_text(1.0 + imbalance, 2, times), ranks, ranks == 1 ? "" : "s",
                  100.0 * IMBALANCE);
  }
  if (p->checkpoint_every == 0 && p->checkpoint_minutes == 0.0 && c->wall_s > 3600.0)
    tx_check_note(c, "no checkpoints in a run of about %s h: set checkpoint.minutes, 30 is usual",
                  hours);
  if (p->run_walltime > 0.0 && c->wall_s > 3600.0 * p->run_walltime)
    tx_check_note(c,
                  "the run takes about %s h, more than run.walltime, %g h: plan %.0f jobs, each "
                  "restarted from the last checkpoint",
                  hours, p->run_walltime, ceil(c->wall_s / 3600.0 / p->run_walltime));
  return TX_OK;
}
