/* The text of a planned parameter file: a head that says what it is, then the settings. */
#include <math.h>
#include <stdio.h>
#include "plan/plan.h"
#include "report/text.h"
#include "base/version.h"
#include "physics/initial_data/wave_zone.h"

static const double *chi_of(const tx_plan *p, int a) {
  return p->wish.chi[a];
}

static bool spins(const tx_plan *p) {
  for (int a = 0; a < 2; a++)
    for (int d = 0; d < 3; d++)
      if (chi_of(p, a)[d] != 0.0) return true;
  return false;
}

static void add_title(const tx_plan *p, const tx_plan_head *h, tx_text *out) {
  const double *a = chi_of(p, 0), *b = chi_of(p, 1);
  if (*h->purpose) tx_text_add(out, "# %s\n#\n", h->purpose);
  tx_text_add(out, "# Mass ratio %g, ", p->wish.q);
  if (spins(p))
    tx_text_add(out, "spins (%g, %g, %g) and (%g, %g, %g), ", a[0], a[1], a[2], b[0], b[1], b[2]);
  else
    tx_text_add(out, "no spins, ");
  tx_text_add(out, "quasi-circular at %g M: %.2g orbits to merger. Accuracy: %s.\n#\n",
              p->separation, p->orbits, tx_accuracy_names[p->wish.accuracy]);
}

static void add_source(const tx_plan *p, const tx_plan_head *h, tx_text *out) {
  tx_text_add(out, "# Source   %s\n#          version %s. ", h->command, tx_version());
  tx_text_add(out, "Momenta: 3.5PN (arXiv:1702.00872, 1810.00036)%s.\n",
              tx_wish_precesses(&p->wish) ? "; in-plane spins: 2PN (gr-qc/0103018)" : "");
  if (spins(p))
    tx_text_add(out, "# Frame    at t = 0 x points from hole 2 to hole 1, z along the orbital "
                     "angular momentum, the sum of x cross P; spins are in this frame.\n");
  if (tx_wish_precesses(&p->wish))
    tx_text_add(out, "#          Spins and orbital plane precess about the total angular momentum, "
                     "which is not along z.\n");
}

static void add_expectation(const tx_plan *p, tx_text *out) {
  tx_text_add(out, "# Expect   a common horizon at about t = %.0f M, after %.1f orbits\n",
              p->merger, p->orbits);
  tx_text_add(out, "#          (effective-one-body: within %s);\n",
              tx_wish_precesses(&p->wish) ? "5% of two evolutions, of 5 orbits"
                                          : "1.5% of evolutions of 3 to 10 orbits");
  tx_text_add(out, "#          a remnant with spin a/m of about %.2f (arXiv:0904.2577);\n",
              p->last_spin);
  tx_text_add(out, "#          omega of (2,2) %.4f/M at t = 0, about %.2f/M_f in the ringdown.\n",
              2.0 * p->frequency, tx_ringdown_frequency(2, p->last_spin));
}

static void add_cost(const tx_plan *p, const tx_plan_head *h, tx_text *out) {
  char gpu[32], cores[32], host[32], device[32], mine[32], machine[32];
  tx_duration_text(h->on_gpu.wall_s, gpu);
  tx_duration_text(h->on_cores.wall_s, cores);
  tx_text_add(
      out,
      "# Cost     %.2g point-stages: about %s on one H200, %s on 2 cores. Memory %s on one GPU, %s "
      "on one host. h = 1/%.3g M, dt = %.2g M.\n",
      h->on_gpu.point_stages, gpu, cores, tx_bytes_text(h->on_gpu.device_bytes, device),
      tx_bytes_text(h->on_cores.host_bytes, host), 1.0 / h->on_gpu.h_finest, h->on_gpu.dt);
  const double mine_s = h->on_machine.wall_s;
  if (h->machine && mine_s != h->on_cores.wall_s && mine_s != h->on_gpu.wall_s) {
    tx_duration_text(mine_s, mine);
    tx_budget_machine_text(h->machine, machine, sizeof machine);
    tx_text_add(out, "#          About %s on %s, %s per %s.\n", mine, machine,
                tx_bytes_text(
                    h->machine->gpu ? h->on_machine.device_bytes : h->on_machine.host_bytes, host),
                h->machine->gpu ? "GPU" : "host");
  }
  if (p->wish.accuracy != TX_ACCURACY_HIGH)
    tx_text_add(
        out, "#          The next accuracy has spacings 2/3 as large and costs 5 times as much.\n");
}

static void add_run(const tx_plan_head *h, tx_text *out) {
  const tx_budget *m = h->machine;
  tx_text_add(out, "# Run      ");
  if (m && m->gpu)
    tx_text_add(out, "mpirun -n %d tendex run %s --set compute.device=gpu\n", m->count, h->path);
  else if (m) /* as tx_check_set_machine has it: cores are threads of one rank */
    tx_text_add(out, "tendex run %s --threads %d\n", h->path, m->count);
  else
    tx_text_add(out, "tendex run %s, under mpirun on several GPUs or cores\n", h->path);
}

void tx_plan_text(const tx_plan *plan, const tx_plan_head *head, tx_text *out) {
  add_title(plan, head, out);
  add_source(plan, head, out);
  add_expectation(plan, out);
  add_cost(plan, head, out);
  add_run(head, out);
  tx_text_add(out, "\n");
  tx_settings_text(plan->settings, out);
}
