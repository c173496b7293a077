/* Punctures: points across their horizons, gauge, symmetry and norms. */
#include <math.h>
#include <stdio.h>
#include "advice/check.h"
#include "evolve/demands.h"
#include "refine/reach.h"
#include "params/demand.h"
#include "advice/work.h"

/* Least points across the radius of a horizon. */
#define POINTS_PER_HOLE 4

/* Radius of a horizon over the bare mass: of the initial slice, and once the gauge has settled; the latter grows with the square of eta times the
 * bare mass. Measured for eta 2/M and bare masses of 0.19 to 1 M: 0.90 to 1.46, within 4% of this; more damping was not. */
#define RADIUS_START   0.5
#define RADIUS_SETTLED 0.87
#define RADIUS_DAMPED  0.16
#define DAMPING_MOST   2.0

/* Horizons of holes that merge earlier, in ADM energies, do not exceed so many bare masses. */
#define SETTLES      40.0
#define RADIUS_EARLY 0.83

/* Least radius of a resolved region, and of the balls that norms of the constraints leave out, in radii of the settled horizon. */
#define BOX_PER_RADIUS 1.3
#define LEFT_OUT       0.95

/* Spacings in the radius of a settled horizon that are plenty. */
#define POINTS_SETTLED 16

/* Damping of the shift: eta times the total mass, and the factor of metric eta. */
#define ETA_LEAST    0.2
#define ETA_USUAL    2.0
#define ETA_R0_LEAST 0.13
#define ETA_R0_USUAL 1.31

/* Coordinate speed that punctures reach. */
#define PUNCTURE_SPEED 0.4

/* Puncture, or all where they are alike. */
typedef struct hole {
  int a;
  char name[24];
  int finest;            /* level at it */
  double spacing;        /* there */
  double start, settled; /* radius of its horizon at t = 0, and the largest later */
} hole;

static bool alike(const tx_check *c) {
  const tx_policy_puncture *f = c->policy.puncture;
  bool same = c->adm.n > 1;
  for (int a = 1; a < c->adm.n; a++)
    same = same && fabs(c->adm.mass_bare[0] - c->adm.mass_bare[a]) < 1e-6 * tx_params_unit(c->p) &&
           f[0].level == f[a].level && f[0].radius == f[a].radius;
  return same;
}

double tx_settled_radius(const tx_params *p, double mass) {
  /* Metric eta is R0/(1.31 m) at a hole. */
  double damping = p->gauge_shift != TX_SHIFT_GAMMA_DRIVER ? 0.0
                   : p->gauge_eta_form == TX_ETA_METRIC    ? p->gauge_eta_R0 / 1.31
                                                           : p->gauge_eta * mass;
  damping = fmin(damping, DAMPING_MOST);
  return (RADIUS_SETTLED + RADIUS_DAMPED * damping * damping) * mass;
}

static double largest_radius(const tx_check *c, int a) {
  const double mass = c->adm.mass_bare[a];
  const bool early = c->merger >= 0.0 && c->merger < SETTLES * c->adm.energy;
  return early ? RADIUS_EARLY * mass : tx_settled_radius(c->p, mass);
}

static hole hole_of(const tx_check *c, int a) {
  hole h = {.a = a};
  int coarsest = 0;
  snprintf(h.name, sizeof h.name, alike(c) ? "each puncture" : "puncture %d", a + 1);
  tx_levels_in_shell(c->mesh, c->policy.puncture[a].x, 0.0, 0.0, &coarsest, &h.finest);
  h.spacing = tx_mesh_spacing(c->mesh, h.finest);
  h.start = RADIUS_START * c->adm.mass_bare[a];
  h.settled = largest_radius(c, a);
  return h;
}

/* Return the parameter that sets the finest level of a puncture. */
static const char *level_key(const tx_params *p, int a) {
  const int own = tx_params_hole_of(p, a).level;
  return own < 0 || own >= p->grid_level_max ? "grid.level_max"
                                             : tx_param_key(TX_PARAM_grid_bhN_level + a);
}

/* Return the parameter for the radius of the finest level of a puncture: its own where holes are not alike. */
static const char *radius_key(const tx_check *c, int a) {
  return c->adm.n == 1 || alike(c) ? "grid.bh_radius" : tx_param_key(TX_PARAM_grid_bhN_radius + a);
}

static bool note_points(tx_check *c, const hole *h) {
  double points = h->start / h->spacing;
  if (points >= POINTS_PER_HOLE) return false;
  int more = (int)ceil(log2(POINTS_PER_HOLE / points) - 1e-9);
  char remedy[64];
  snprintf(remedy, sizeof remedy, "%s %d", level_key(c->p, h->a), h->finest + more);
  tx_check_note(c,
                "the horizon of %s is under-resolved: its radius of %.3g M at t = 0 is %.2g "
                "spacings, less than %d: give %s",
                h->name, h->start, points, POINTS_PER_HOLE,
                tx_params_hole_of(c->p, h->a).radius > 0.0 ? remedy : "grid.bh_radius, which is 0");
  return true;
}

/* Return the distance from a puncture to the nearest octant too coarse for its horizon. */
static double fine_radius(const tx_check *c, const hole *h) {
  const tx_mesh *mesh = c->mesh;
  double nearest = HUGE_VAL;
  for (tx_lidx b = 0; b < mesh->n_local; b++) {
    int level = mesh->octant[b].level;
    double low[3];
    if (h->start / tx_mesh_spacing(mesh, level) >= POINTS_PER_HOLE) continue;
    tx_mesh_origin(mesh, b, low);
    nearest =
        fmin(nearest, tx_box_distance(low, tx_mesh_size(mesh, level), c->policy.puncture[h->a].x));
  }
  return nearest;
}

/* Note a horizon that grows out of the region that resolves it. */
static bool note_box(tx_check *c, const hole *h) {
  double reach = BOX_PER_RADIUS * h->settled, fine = fine_radius(c, h);
  if (reach <= fine) return false;
  tx_check_note(c,
                "the horizon of %s grows to a radius of about %.2g M, but beyond %.2g M half its "
                "bare mass is less than %d spacings: give %s %.2g",
                h->name, h->settled, fine, POINTS_PER_HOLE, radius_key(c, h->a), reach);
  return true;
}

/* Note a finest level that ends inside the settled horizon: its short time step is paid for nothing, unless the next level resolves
 * the hole well. */
static bool note_finest(tx_check *c, const hole *h) {
  int coarsest = 0, finest = 0;
  tx_levels_in_shell(c->mesh, c->policy.puncture[h->a].x, h->settled, h->settled, &coarsest,
                     &finest);
  const double points = h->settled / tx_mesh_spacing(c->mesh, coarsest);
  if (h->finest < c->mesh->level_highest || coarsest >= h->finest || points >= POINTS_SETTLED)
    return false;
  tx_check_note(c,
                "the finest level, of radius %g M, ends inside the horizon of %s, whose radius "
                "grows to about %.2g M; there it has %.2g spacings, while the time step is that of "
                "%.2g: give %s %.2g",
                tx_params_hole_of(c->p, h->a).radius, h->name, h->settled, points,
                h->settled / h->spacing, radius_key(c, h->a), BOX_PER_RADIUS * h->settled);
  return true;
}

static bool moves(const tx_adm_numbers *adm) {
  const double *P = adm->momentum[0];
  return adm->n > 1 || P[0] != 0.0 || P[1] != 0.0 || P[2] != 0.0;
}

/* Note a puncture that may move its horizon out of the region that resolves it between regrids: a grid that follows is ahead at
 * first. */
static void note_motion(tx_check *c, const hole *h) {
  const tx_params *p = c->p;
  const double off = 1.0 - TX_POLICY_AHEAD;
  double way = PUNCTURE_SPEED * c->dt * c->steps, room = fine_radius(c, h) - h->settled;
  if (!moves(&c->adm)) return;
  if (p->grid_regrid_every > 0)
    way = fmin(way, off * PUNCTURE_SPEED * c->dt * p->grid_regrid_every);
  if (way <= room) return;
  double most = floor(room / (off * PUNCTURE_SPEED) / c->dt);
  tx_check_note(c,
                "%s may move %.2g M %s, so that its horizon of radius %.2g M leaves the grid that "
                "resolves it, of radius %.2g M: give grid.regrid_every %.0f",
                h->name, way,
                p->grid_regrid_every > 0 ? "off the middle of its grid between regrids"
                                         : "on a fixed grid",
                h->settled, room + h->settled, tx_check_interval(c, most));
}

static void note_norms(tx_check *c) {
  const tx_params *p = c->p;
  double radius = 0.0;
  /* With fmax, gcc 12 for aarch64 fails on the loop (internal compiler error in vect_transform_reduction). */
  for (int a = 0; a < c->adm.n; a++)
    radius = largest_radius(c, a) > radius ? largest_radius(c, a) : radius;
  if (p->output_norms_every > 0 && p->output_norms_exclude < LEFT_OUT * radius)
    tx_check_note(c,
                  "norms of the constraints include the inside of horizons: they leave out balls "
                  "of %g M, and the horizon has %.2g M: give output.norms_exclude %.2g",
                  p->output_norms_exclude, radius, 1.2 * radius);
}

/* Note damping too weak to matter, or nearly too strong for the time step. */
static void note_eta(tx_check *c) {
  const tx_params *p = c->p;
  const bool metric = p->gauge_eta_form == TX_ETA_METRIC;
  double eta = p->gauge_eta, limit = 2.7 / c->dt;
  if (p->gauge_shift != TX_SHIFT_GAMMA_DRIVER) return;
  if (metric ? p->gauge_eta_R0 < ETA_R0_LEAST : eta * c->adm.energy < ETA_LEAST)
    tx_check_note(c,
                  "%s %g hardly damps the shift, which then oscillates and drags the coordinates "
                  "along: give %.2g",
                  metric ? "gauge.eta_R0" : "gauge.eta", metric ? p->gauge_eta_R0 : eta,
                  metric ? ETA_R0_USUAL : ETA_USUAL / c->adm.energy);
  if (metric) return;
  if (p->gauge_eta_form == TX_ETA_RADIAL) eta = fmax(eta, p->gauge_eta_far);
  if (eta > 0.5 * limit)
    tx_check_note(c,
                  "eta, %g / M, is within a factor 2 of the stability limit, 2.7 / dt = %.3g / M: "
                  "lower gauge.eta",
                  eta, limit);
}

/* Note dimensions in which the parameters would be accepted with a reflection. */
static void note_symmetry(tx_check *c) {
  const tx_params *p = c->p;
  char names[4] = "";
  int n = 0;
  for (int d = 0; d < 3; d++) {
    tx_params q = *p;
    if ((p->grid_reflect | p->grid_periodic) >> d & 1) continue;
    q.grid_reflect |= 1 << d;
    if (tx_params_check(&q, NULL, tx_evolve_demands) == TX_OK) names[n++] = "xyz"[d];
    tx_error_clear();
  }
  if (n > 0)
    tx_check_note(c,
                  "the initial data are symmetric under reflection in %s: with %s in grid.reflect "
                  "the run costs %s",
                  names, names,
                  n == 1   ? "half as much"
                  : n == 2 ? "a quarter as much"
                           : "an eighth as much");
}

tx_status tx_check_punctures(tx_check *c) {
  if (c->adm.n == 0) return TX_OK;
  for (int a = 0; a < (alike(c) ? 1 : c->adm.n); a++) {
    hole h = hole_of(c, a);
    if (!note_points(c, &h) && !note_box(c, &h) && !note_finest(c, &h)) note_motion(c, &h);
  }
  note_norms(c);
  note_eta(c);
  note_symmetry(c);
  return TX_OK;
}
