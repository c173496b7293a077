/* Waves: their resolution on the way to the spheres, the radii and samples of these, and reflections. */
#include <math.h>
#include <stdio.h>
#include "advice/check.h"
#include "advice/radii.h"
#include "advice/work.h"
#include "base/log.h"
#include "base/vec3.h"
#include "physics/dissipation_point.h"
#include "physics/initial_data/wave_zone.h"

/* Parts of the amplitude that dissipation may take of the main mode and of the highest one. */
#define LOSS_MAIN    0.05
#define LOSS_HIGHEST 0.4

/* Least spacings in a wavelength, and samples in a period. */
#define POINTS_PER_WAVE    4
#define SAMPLES_PER_PERIOD 8

/* Radii for an extrapolation. */
#define RADII 3

/* Speed of lapse waves, 1+log slicing. */
#define GAUGE_SPEED 1.4142135623730951

static const double origin[3] = {0.0, 0.0, 0.0};

static int coarsest_level(const tx_check *c, double r) {
  int coarsest = 0, finest = 0;
  tx_levels_in_shell(c->mesh, origin, r, r, &coarsest, &finest);
  return coarsest;
}

static double coarsest_spacing(const tx_check *c, double r) {
  return tx_mesh_spacing(c->mesh, coarsest_level(c, r));
}

/* Return the mean over directions of the sum of the powers n + 1 of a unit vector's components, n the order of the dissipation: a
 * wave along an axis is damped most. */
static double mean_direction(int order) {
  return 3.0 / (order + 2);
}

/* Return the part of the amplitude of a wave that Kreiss-Oliger dissipation takes out to r: at a rate of
 * (sigma/h) sin^6(pi h / wavelength) along an axis, sin^8 where it is of order 7. */
static double loss(const tx_check *c, double wave, double r) {
  enum { PARTS = 32 };
  tx_system_params physics;
  const int order = c->p->evolution_dissipation_order;
  double sum = 0.0, at[PARTS][2];
  int level[PARTS], finest[PARTS];
  tx_sim_physics(c->p, &physics);
  for (int i = 0; i < PARTS; i++) at[i][0] = at[i][1] = r * (i + 0.5) / PARTS;
  tx_levels_in_shells(c->mesh, origin, PARTS, (const double(*)[2])at, level, finest);
  for (int i = 0; i < PARTS; i++) {
    const double h = tx_mesh_spacing(c->mesh, level[i]);
    double sigma = tx_dissipation(&physics, level[i], at[i][0], 0.0, 0.0);
    double s = sin(fmin(0.5 * M_PI, M_PI * h / wave));
    sum += mean_direction(order) * sigma / h * pow(s, order + 1) * r / PARTS;
  }
  return 1.0 - exp(-sum);
}

/* Note a mode that is under-resolved at r; true if so. */
static bool note_mode(tx_check *c, int l, double r, double allowed) {
  double wave = tx_ringdown_wavelength(&c->adm, l), h = coarsest_spacing(c, r),
         lost = loss(c, wave, r);
  if (lost <= allowed && wave / h >= POINTS_PER_WAVE) return false;
  tx_check_note(c,
                "the l = %d ringdown is under-resolved: its wavelength of %.3g M has %.2g points "
                "at r = %g M, and dissipation takes about %.0f%% of its amplitude on the way: give "
                "grid.ball_level %d, grid.ball_radius %g",
                l, wave, wave / h, r, 100.0 * lost, coarsest_level(c, r) + 1, r);
  return true;
}

static int least(int a, int b) {
  return a < b ? a : b;
}

/* Return whether a sphere lies in the wave-zone refinement region, or there is none. */
static bool in_region(const tx_check *c, double r) {
  const tx_params *p = c->p;
  return !(p->grid_ball_radius > 0.0 &&
           coarsest_spacing(c, r) > tx_mesh_spacing(c->mesh, p->grid_ball_level));
}

/* Return the outermost sphere at which all modes are to be resolved: one in the wave-zone refinement region, if this has as many
 * as an extrapolation takes; spheres beyond are then for slow modes. */
static double zone(const tx_check *c, double outermost) {
  const tx_reals *radii = &c->p->waves_radii;
  double r = 0.0;
  int inside = 0;
  for (int i = 0; i < radii->n; i++)
    if (in_region(c, radii->v[i])) r = fmax(r, radii->v[i]), inside++;
  return inside >= RADII ? r : outermost;
}

/* Log which modes of the ringdown have enough points, if these are not all, and the spheres for slow ones. */
static void show_resolved(const tx_check *c, double r, double outermost) {
  const int highest = c->p->waves_l_max;
  int l = 2;
  while (l < highest &&
         tx_ringdown_wavelength(&c->adm, l + 1) >= POINTS_PER_WAVE * coarsest_spacing(c, r))
    l++;
  if (l < highest && l >= least(highest, TX_ADVICE_L))
    tx_log("              modes up to l = %d have at least %d points per wavelength of the "
           "ringdown at r = %g M, higher modes fewer",
           l, POINTS_PER_WAVE, r);
  if (outermost > r)
    tx_log("              spheres beyond, up to r = %g M, lie on a coarser grid with %.2g points "
           "per wavelength of l = 2: for slow modes",
           outermost, tx_ringdown_wavelength(&c->adm, 2) / coarsest_spacing(c, outermost));
}

/* Log how much of the waves arrives, note or not. */
static void show_loss(const tx_check *c, double outermost) {
  int l = least(c->p->waves_l_max, TX_ADVICE_L);
  char highest[64] = "";
  if (l > 2)
    snprintf(highest, sizeof highest, ", %.0f%% of the l = %d",
             100.0 * loss(c, tx_ringdown_wavelength(&c->adm, l), outermost), l);
  tx_log("              dissipation takes about %.2g%% of the amplitude of the l = 2 ringdown%s "
         "out to r = %g M",
         100.0 * loss(c, tx_ringdown_wavelength(&c->adm, 2), outermost), highest, outermost);
}

/* Return whether no grid within `wave` outside of the sphere is coarser. */
static bool undisturbed(const tx_check *c, double r, double wave) {
  int coarsest = 0, finest = 0;
  tx_levels_in_shell(c->mesh, origin, r, r + wave, &coarsest, &finest);
  return coarsest == coarsest_level(c, r);
}

/* Return the outermost sphere that has no coarser grid within a wavelength outside of it, 0 if there is none: spurious reflections
 * from a refinement boundary disturb spheres that are closer. */
static double undisturbed_radius(const tx_check *c, double wave, double outermost) {
  const tx_reals *radii = &c->p->waves_radii;
  double found = 0.0;
  for (int i = 0; i < radii->n; i++)
    if (radii->v[i] > found && radii->v[i] <= outermost && undisturbed(c, radii->v[i], wave))
      found = radii->v[i];
  return found;
}

/* Round a length that is proposed up to the next M. */
static double rounded_up(const tx_check *c, double length) {
  const double unit = tx_params_unit(c->p);
  return unit * ceil(length / unit);
}

static void show_boundary(const tx_check *c, double outermost) {
  const double wave = tx_ringdown_wavelength(&c->adm, 2),
               r = undisturbed_radius(c, wave, outermost);
  char inner[32] = "no sphere";
  if (r == outermost) return;
  if (r > 0.0) snprintf(inner, sizeof inner, "r = %g M", r);
  tx_log("              r = %g M is less than a wavelength of the ringdown, %.3g M, from a "
         "refinement boundary, whose reflections disturb it;",
         outermost, wave);
  tx_log("              %s is far enough; r = %g M would be with grid.ball_level %d, "
         "grid.ball_radius %g",
         inner, outermost, coarsest_level(c, outermost), rounded_up(c, outermost + wave));
}

static bool note_resolution(tx_check *c, double outermost) {
  if (note_mode(c, 2, outermost, LOSS_MAIN)) return true;
  for (int l = 3; l <= least(c->p->waves_l_max, TX_ADVICE_L); l++)
    if (note_mode(c, l, outermost, LOSS_HIGHEST)) return true;
  return false;
}

static void note_radii(tx_check *c) {
  if (c->orbits && c->p->waves_radii.n < RADII)
    tx_check_note(
        c,
        "%d of waves.radii %s too few for extrapolation to infinity: give %d, evenly spaced in 1/r",
        c->p->waves_radii.n, c->p->waves_radii.n == 1 ? "is" : "are", RADII);
}

/* Note a sphere outside the wave-zone refinement region, if there is one; true if so. */
static bool note_region(tx_check *c, double r) {
  const tx_params *p = c->p;
  double h = coarsest_spacing(c, r);
  if (in_region(c, r)) return false;
  tx_check_note(c,
                "the sphere r = %g M reaches out of the ball of grid.ball_radius %g M, onto a grid "
                "of spacing %g M: give grid.ball_radius %g",
                r, p->grid_ball_radius, h, r);
  return true;
}

/* Note if refinement boundaries disturb spheres and leave too few for an extrapolation to infinity. */
static void note_disturbed(tx_check *c, double outermost) {
  const tx_reals *radii = &c->p->waves_radii;
  const double wave = tx_ringdown_wavelength(&c->adm, 2);
  int good = 0;
  for (int i = 0; i < radii->n; i++) good += undisturbed(c, radii->v[i], wave);
  if (c->turns < 1.0 || radii->n < RADII || good >= RADII) return;
  tx_check_note(c,
                "%d of waves.radii %s a wavelength of the ringdown, %.3g M, away from refinement "
                "boundaries, whose reflections disturb the others; extrapolation to infinity takes "
                "%d: give grid.ball_level %d, grid.ball_radius %g",
                good, good == 1 ? "is" : "are", wave, RADII, coarsest_level(c, outermost),
                rounded_up(c, outermost + wave));
}

static void note_samples(tx_check *c) {
  double period = tx_ringdown_wavelength(&c->adm, c->p->waves_l_max),
         every = c->dt * c->p->waves_every;
  if (period < SAMPLES_PER_PERIOD * every)
    tx_check_note(
        c,
        "the l = %d ringdown has a period of %.3g M and %.2g samples in it: give waves.every %.0f",
        c->p->waves_l_max, period, period / every,
        tx_check_interval(c, floor(period / SAMPLES_PER_PERIOD / c->dt)));
}

/* Note reflections from the outer boundary that arrive before the ringdown of a merger has passed, whose end is known to no better
 * than a percent. */
static void note_outer_boundary(tx_check *c, double outermost) {
  const tx_params *p = c->p;
  double back = 2.0 * p->grid_extent - outermost, end = fmin(p->run_t_end, c->dt * c->steps);
  char gauge[64] = "";
  double harmless = back;
  const double over = c->merger + outermost + TX_CHECK_RINGDOWN * c->adm.energy;
  if (c->merger >= 0.0 && over < end) {
    end = over;
    harmless *= 1.01;
  }
  if (p->grid_periodic == TX_DIMS_XYZ || end <= harmless) return;
  if (p->gauge_slicing == TX_SLICING_ONE_PLUS_LOG)
    snprintf(gauge, sizeof gauge, ", gauge reflections from %.4g M on", back / GAUGE_SPEED);
  tx_check_note(c,
                "from t = %g M on, reflections from the outer boundary may reach r = %g M%s; %s "
                "until %.4g M: give grid.extent %.4g, which keeps them away",
                back, outermost, gauge,
                end < p->run_t_end ? "the ringdown may last" : "the run lasts", end,
                0.5 * (end + outermost));
}

tx_status tx_check_show_waves(tx_check *c) {
  const double outermost = tx_outermost(&c->p->waves_radii);
  if (c->adm.n == 0 || c->p->waves_radii.n == 0) return TX_OK;
  const double r = zone(c, outermost);
  show_loss(c, r);
  show_resolved(c, r, outermost);
  show_boundary(c, r);
  return TX_OK;
}

tx_status tx_check_waves(tx_check *c) {
  const tx_reals *radii = &c->p->waves_radii, *tubes = &c->p->waves_worldtubes;
  const bool modes = radii->n > 0, holes = c->adm.n > 0;
  if (!modes && tubes->n == 0) return TX_OK;
  const double r = modes ? zone(c, tx_outermost(radii)) : 0.0;
  const double beyond = fmax(r, tx_outermost(tubes));
  const bool coarse = holes && note_resolution(c, beyond);
  if (modes && !coarse && !note_region(c, r) && holes) note_disturbed(c, r);
  if (modes && holes) {
    tx_check_note_near_zone(c, "waves.radii", tx_innermost(radii), 0.0);
    note_radii(c);
    note_samples(c);
  }
  note_outer_boundary(c, beyond);
  return TX_OK;
}
