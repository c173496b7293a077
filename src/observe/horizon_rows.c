/* Horizons as text: the tables of the Einstein Toolkit's AHFinderDirect and QuasiLocalMeasures as
 * far as they are known here, a table of all searches, and the surfaces. */
#include "observe/horizon_rows.h"

#include <math.h>
#include "base/vec3.h"

/* The punctures that surface k is about as the digits of a number, 12 for 1 and 2. */
static int64_t digits_of(const tx_horizons *h, int k) {
  int64_t digits = 0;
  for (int a = 0; a < h->n_punctures; a++)
    if (h->slot[k].holds >> a & 1) digits = 10 * digits + a + 1;
  return digits;
}

/* With more than two punctures it is not the number alone that tells what a surface is about. */
static bool has_groups(const tx_horizons *h) {
  return h->n_punctures > 2;
}

/* Column heads of AHFinderDirect: tools take names or numbers of columns from them, so that what is
 * known stands where it does there. */
static void diagnostics_head(tx_text *text, const tx_horizons *h, int k) {
  static const struct {
    int column;
    const char *name;
  } heads[] = {{1, "cctk_iteration"}, {2, "cctk_time"},    {3, "centroid_x"},
               {4, "centroid_y"},     {5, "centroid_z"},   {6, "min radius"},
               {7, "max radius"},     {8, "mean radius"},  {26, "area"},
               {27, "m_irreducible"}, {28, "areal radius"}};
  tx_text_add(text, "# apparent horizon %d/%d\n#\n", k + 1, h->n_surfaces);
  if (has_groups(h)) tx_text_add(text, "# holes %lld\n#\n", (long long)digits_of(h, k));
  for (size_t c = 0; c < sizeof heads / sizeof heads[0]; c++)
    tx_text_add(text, "# column %2d = %s\n", heads[c].column, heads[c].name);
  tx_text_add(text, "#\n# columns 9 to 25 hold nothing\n");
}

static tx_status append_diagnostics(const tx_output *out, const tx_sim *sim, const tx_horizons *all,
                                    int k) {
  const tx_horizon *h = &all->slot[k].at;
  tx_rows rows;
  if (tx_rows_begin(&rows, out, "BH_diagnostics.ah%d.gp", k + 1))
    diagnostics_head(&rows.text, all, k);
  tx_text_add(&rows.text, "%lld\t%.16e", (long long)sim->step, sim->t);
  for (int d = 0; d < 3; d++) tx_text_add(&rows.text, "\t%.16e", h->centroid[d]);
  tx_text_add(&rows.text, "\t%.16e\t%.16e\t%.16e", h->radius_min, h->radius_max, h->radius_mean);
  for (int c = 9; c <= 25; c++) tx_text_add(&rows.text, "\tnan");
  tx_text_add(&rows.text, "\t%.16e\t%.16e\t%.16e\n", h->area, h->mass_irreducible, h->radius_areal);
  return tx_rows_end(&rows);
}

/* Quantities of QuasiLocalMeasures, whose coordspin is that of coordinate rotations. */
enum { TIME, IRREDUCIBLE, RADIUS, SPIN, MASS, SPIN_X, SPIN_Y, SPIN_Z, QUANTITIES };

static double quantity(const tx_horizon *h, double t, int q) {
  switch (q) {
  case TIME:
    return t;
  case IRREDUCIBLE:
    return h->mass_irreducible;
  case RADIUS:
    return h->radius_areal;
  case SPIN:
    return tx_vec3_norm(h->spin);
  case MASS:
    return h->mass;
  default:
    return h->spin_coordinate[q - SPIN_X];
  }
}

static void measures_head(tx_text *text, int n) {
  static const char *const names[QUANTITIES] = {
      [TIME] = "time",         [IRREDUCIBLE] = "irreducible_mass",
      [RADIUS] = "radius",     [SPIN] = "spin",
      [MASS] = "mass",         [SPIN_X] = "coordspinx",
      [SPIN_Y] = "coordspiny", [SPIN_Z] = "coordspinz"};
  tx_text_add(text, "# column format: 1:it\t2:tl\t3:rl 4:c 5:ml\t6:ix 7:iy 8:iz\t9:time\t10:x 11:y "
                    "12:z\t13:data\n# data columns:");
  for (int q = 0; q < QUANTITIES; q++)
    for (int k = 0; k < n; k++) tx_text_add(text, " %d:qlm_%s[%d]", 13 + n * q + k, names[q], k);
  tx_text_add(text, "\n");
}

static tx_status append_measures(const tx_output *out, const tx_sim *sim, const tx_horizons *h) {
  tx_rows rows;
  if (tx_rows_begin(&rows, out, "quasilocalmeasures-qlm_scalars..asc"))
    measures_head(&rows.text, h->n_surfaces);
  tx_text_add(&rows.text, "%lld\t0\t0 0 0\t0 0 0\t%.16e\t0 0 0\t", (long long)sim->step, sim->t);
  for (int q = 0; q < QUANTITIES; q++)
    for (int k = 0; k < h->n_surfaces; k++) {
      bool found = h->slot[k].looked && h->slot[k].at.found;
      if (q + k > 0) tx_text_add(&rows.text, " ");
      if (found)
        tx_text_add(&rows.text, "%.16e", quantity(&h->slot[k].at, sim->t, q));
      else
        tx_text_add(&rows.text, "nan");
    }
  tx_text_add(&rows.text, "\n");
  return tx_rows_end(&rows);
}

/* A surface as its coefficients. */
static tx_status append_surface(const tx_output *out, const tx_sim *sim, int k,
                                const tx_surface *s) {
  tx_rows rows;
  int n = (s->l_max + 1) * (s->l_max + 1);
  if (tx_rows_begin(&rows, out, "horizons/ah%d.surface.asc", k + 1))
    tx_text_add(&rows.text,
                "# r(theta, phi) = sum a_lm Y_lm(theta, phi) about a centre, M; Y_lm real and "
                "orthonormal, of cos(m phi), and of sin(|m| phi) for m < 0, without the sign "
                "(-1)^m.\n"
                "# 1:iteration 2:time 3:centre_x 4:centre_y 5:centre_z 6:a_00 7:a_1-1 8:a_10 "
                "9:a_11 ... %d:a_%d%d\n",
                5 + n, s->l_max, s->l_max);
  tx_text_add(&rows.text, "%lld %.16e", (long long)sim->step, sim->t);
  for (int d = 0; d < 3; d++) tx_text_add(&rows.text, " %.16e", s->centre[d]);
  for (int i = 0; i < n; i++) tx_text_add(&rows.text, " %.16e", s->a[i]);
  tx_text_add(&rows.text, "\n");
  return tx_rows_end(&rows);
}

/* How the spin was measured, and what coordinate rotations give. */
static tx_status append_spin(const tx_output *out, const tx_sim *sim, int k, const tx_horizon *h) {
  tx_rows rows;
  if (tx_rows_begin(&rows, out, "horizons/ah%d.spin.asc", k + 1))
    tx_text_add(&rows.text,
                "# Spin about the centroid, M^2: by approximate Killing vectors, or, where "
                "by_rotation is 1, by coordinate rotations. shear: of the vectors, largest "
                "and of the next one, 0 and 2 on a round sphere.\n"
                "# 1:iteration 2:time 3:by_rotation 4:spin 5:shear 6:shear_next "
                "7:rotation_x 8:rotation_y 9:rotation_z\n");
  tx_text_add(&rows.text, "%lld %.16e %d %.16e %.6e %.6e", (long long)sim->step, sim->t,
              h->by_rotation, tx_vec3_norm(h->spin), h->shear[0], h->shear[1]);
  for (int d = 0; d < 3; d++) tx_text_add(&rows.text, " %.16e", h->spin_coordinate[d]);
  tx_text_add(&rows.text, "\n");
  return tx_rows_end(&rows);
}

static void search_row(tx_text *text, const tx_sim *sim, const tx_horizons *all, int k) {
  const tx_horizon *h = &all->slot[k].at;
  const double values[] = {h->mass,        h->chi,         h->spin[0],
                           h->spin[1],     h->spin[2],     h->mass_irreducible,
                           h->area,        h->centroid[0], h->centroid[1],
                           h->centroid[2], h->radius_min,  h->radius_max,
                           h->radius_mean, h->radius_areal};
  tx_text_add(text, "%lld %.16e %d %d", (long long)sim->step, sim->t, tx_horizons_number(all, k),
              h->found);
  for (size_t i = 0; i < sizeof values / sizeof values[0]; i++)
    if (h->found)
      tx_text_add(text, " %.16e", values[i]);
    else
      tx_text_add(text, " nan");
  tx_text_add(text, " %.3e %d", h->residual, h->iterations);
  if (has_groups(all)) tx_text_add(text, " %lld", (long long)digits_of(all, k));
  tx_text_add(text, "\n");
}

static void searches_head(tx_text *text, const tx_horizons *h) {
  tx_text_add(text, "# Searches for apparent horizons: ");
  if (has_groups(h))
    tx_text_add(text,
                "1 to %d about a puncture, from %d on about a group, in the order in which groups "
                "were found, 0 about one not found so far; column 21: its punctures, 12 for 1 and "
                "2; spins about the centroids.",
                h->n_punctures, h->n_punctures + 1);
  else
    tx_text_add(text, "1 and 2 about a puncture, 3 about both; spins about the centroids.");
  tx_text_add(text,
              "\n# 1:iteration 2:time 3:horizon 4:found 5:mass 6:chi "
              "7:spin_x 8:spin_y 9:spin_z 10:mass_irreducible 11:area 12:centroid_x "
              "13:centroid_y 14:centroid_z 15:radius_min 16:radius_max 17:radius_mean "
              "18:radius_areal 19:residual 20:iterations%s\n",
              has_groups(h) ? " 21:holes" : "");
}

/* Every search, in vain or not. */
static tx_status append_searches(const tx_output *out, const tx_sim *sim, const tx_horizons *h) {
  tx_rows rows;
  if (tx_rows_begin(&rows, out, "horizons.asc")) searches_head(&rows.text, h);
  for (int k = 0; k < h->n_surfaces; k++)
    if (h->slot[k].looked) search_row(&rows.text, sim, h, k);
  return tx_rows_end(&rows);
}

static tx_status append_found(const tx_output *out, const tx_sim *sim, const tx_horizons *h) {
  TX_TRY(tx_output_make_folder(out, "horizons"));
  for (int k = 0; k < h->n_surfaces; k++) {
    if (!h->slot[k].looked || !h->slot[k].at.found) continue;
    TX_TRY(append_diagnostics(out, sim, h, k));
    TX_TRY(append_surface(out, sim, k, &h->slot[k].at.surface));
    TX_TRY(append_spin(out, sim, k, &h->slot[k].at));
  }
  return append_measures(out, sim, h);
}

tx_status tx_horizon_rows_append(const tx_output *out, const tx_sim *sim, const tx_horizons *h) {
  bool looked = false, found = false;
  for (int k = 0; k < h->n_surfaces; k++) {
    looked |= h->slot[k].looked;
    found |= h->slot[k].looked && h->slot[k].at.found;
  }
  if (found) TX_TRY(append_found(out, sim, h));
  return looked ? append_searches(out, sim, h) : TX_OK;
}
