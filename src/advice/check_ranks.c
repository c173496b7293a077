/* Ranks of a run: octants, halo, memory and time on each. */
#include <math.h>
#include <stdio.h>
#include "advice/check.h"
#include "advice/machine.h"
#include "advice/memory.h"
#include "advice/work.h"
#include "report/text.h"
#include "base/log.h"
#include "base/memory.h"

/* Bytes of a GPU that its driver keeps to itself. */
#define DRIVER_BYTES 1e9

/* Stages of a time step. */
#define STAGES 4

/* Ranks with a larger imbalance get a note. */
#define IMBALANCE 0.1

/* Up to so many ranks each number is tried. */
#define RANKS_ALL 20000

/* Smallest, sum and largest over ranks. */
typedef struct spread {
  double min, sum, max;
} spread;

static void spread_add(spread *s, int r, double x) {
  s->min = r == 0 ? x : fmin(s->min, x);
  s->max = r == 0 ? x : fmax(s->max, x);
  s->sum += x;
}

/* Write a number with so many digits, and all of a large one instead of an exponent. */
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

/* Return the points of the largest grid. */
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

/* Return the most bytes of a GPU that any rank needs, and those of all ranks. */
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

tx_status tx_check_show_cost(tx_check *c) {
  show_halo(c);
  show_memory(c);
  show_device_memory(c);
  if (c->speed > 0.0) show_cost(c);
  return TX_OK;
}

tx_status tx_check_device(tx_check *c) {
  const double room = c->compute.memory_bytes - DRIVER_BYTES;
  const spread bytes = device_need(c);
  char most[32], has[32];
  if (!c->compute.gpu || bytes.max <= room) return TX_OK;
  tx_check_note(c,
                "a GPU needs %s and has %s, of which the driver takes %.1f GB: use %.0f GPUs or a "
                "smaller grid (grid.level_max, grid.bh_radius, grid.ball_radius)",
                tx_bytes_text(bytes.max, most), tx_bytes_text(c->compute.memory_bytes, has),
                DRIVER_BYTES / 1e9, fmax(c->ranks + 1.0, ceil(1.1 * bytes.sum / room)));
  return TX_OK;
}

/* Find the imbalance of the first grid on `ranks` ranks; `first` has room for ranks + 1. */
static tx_status imbalance_on(const tx_mesh *mesh, int ranks, tx_gidx *first, double *imbalance) {
  tx_gidx most = 0;
  TX_TRY(tx_partition_cuts(mesh, ranks, first));
  for (int r = 0; r < ranks; r++)
    if (first[r + 1] - first[r] > most) most = first[r + 1] - first[r];
  *imbalance = (double)most * ranks / (double)mesh->n_global - 1.0;
  return TX_OK;
}

/* Find the most ranks below those asked for that are balanced, to a percent where they are very many. */
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
