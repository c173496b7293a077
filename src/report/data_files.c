#include "report/data_files.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "report/progress.h"
#include "base/version.h"
#include "files/file.h"
#include "files/json.h"

static void add(tx_text *text, const char *key, const char *number, const char *axis,
                double value) {
  char digits[40];
  tx_real_text(value, digits, sizeof digits);
  tx_text_add(text, "initial-%s%s%s = %s\n", key, number, axis, digits);
}

static void add_vectors(tx_text *text, const char *key, const double (*v)[3]) {
  static const char *const axes[] = {"x", "y", "z"}, *const numbers[] = {"1", "2"};
  for (int a = 0; a < 2; a++)
    for (int d = 0; d < 3; d++) add(text, key, numbers[a], axes[d], v[a][d]);
}

static double separation(const tx_adm_numbers *adm) {
  const double *x = adm->position[0], *y = adm->position[1];
  return hypot(hypot(x[0] - y[0], x[1] - y[1]), x[2] - y[2]);
}

static const char *type_text(const tx_params *p) {
  switch (p->initial_data_type) {
  case TX_ID_BRILL_LINDQUIST:
    return "Brill-Lindquist";
  case TX_ID_QUASI_CIRCULAR:
    return "Bowen-York quasicircular";
  default:
    return "Bowen-York";
  }
}

tx_status tx_id_write_bbh(const char *path, const tx_params *p, const tx_adm_numbers *adm) {
  tx_text text = {0};
  const double *J = adm->angular_momentum;
  tx_text_add(&text, "# Initial data of Tendex %s; G = c = 1, in M\n[metadata]\n", tx_version());
  add(&text, "ADM-energy", "", "", adm->energy);
  add(&text, "ADM-angular-momentum", "", "x", J[0]);
  add(&text, "ADM-angular-momentum", "", "y", J[1]);
  add(&text, "ADM-angular-momentum", "", "z", J[2]);
  add(&text, "separation", "", "", separation(adm));
  tx_text_add(&text, "initial-data-type = %s\n", type_text(p));
  add_vectors(&text, "bh-position", adm->position);
  add_vectors(&text, "bh-momentum", adm->momentum);
  add_vectors(&text, "bh-spin", adm->spin);
  add(&text, "bh-puncture-adm-mass", "1", "", adm->mass_adm[0]);
  add(&text, "bh-puncture-adm-mass", "2", "", adm->mass_adm[1]);
  add(&text, "bh-puncture-bare-mass", "1", "", adm->mass_bare[0]);
  add(&text, "bh-puncture-bare-mass", "2", "", adm->mass_bare[1]);
  tx_status status = text.status;
  TX_THEN(status, tx_file_replace(path, text.data, text.length));
  tx_text_free(&text);
  return status;
}

tx_status tx_id_write_folder(MPI_Comm comm, const tx_params *p, const tx_adm_numbers *adm) {
  char path[PATH_MAX];
  int rank = 0;
  tx_status status = TX_OK;
  TX_MPI(MPI_Comm_rank(comm, &rank));
  snprintf(path, sizeof path, "%s/TwoPunctures.bbh", p->run_folder);
  if (rank == 0 && adm->n == 2) status = tx_id_write_bbh(path, p, adm);
  return tx_agree(comm, status);
}

static void json_list(tx_json *json, const char *key, int n, const double *x) {
  tx_json_open(json, key, '[');
  for (int i = 0; i < n; i++) tx_json_real(json, NULL, x[i]);
  tx_json_close(json, ']');
}

static void json_vectors(tx_json *json, const char *key, int n, const double (*v)[3]) {
  tx_json_open(json, key, '[');
  for (int a = 0; a < n; a++) json_list(json, NULL, 3, v[a]);
  tx_json_close(json, ']');
}

static void json_all(tx_json *json, const tx_params *p, const tx_initial_data *id,
                     const tx_id_probes *probes) {
  tx_adm_numbers adm;
  tx_initial_data_adm(id, &adm);
  tx_json_open(json, NULL, '{');
  tx_json_text(json, "code_version", tx_version());
  tx_json_text(json, "type", tx_id_name(p->initial_data_type));
  tx_json_real(json, "adm_energy", adm.energy);
  json_list(json, "adm_momentum", 3, adm.linear_momentum);
  json_list(json, "adm_angular_momentum", 3, adm.angular_momentum);
  if (adm.n == 2) tx_json_real(json, "separation", separation(&adm));
  json_list(json, "puncture_adm_mass", adm.n, adm.mass_adm);
  json_list(json, "puncture_bare_mass", adm.n, adm.mass_bare);
  json_vectors(json, "puncture_position", adm.n, adm.position);
  json_vectors(json, "puncture_momentum", adm.n, adm.momentum);
  json_vectors(json, "puncture_spin", adm.n, adm.spin);
  tx_json_int(json, "resolution", adm.resolution);
  tx_json_real(json, "residual", adm.residual);
  tx_json_real(json, "error", adm.error);
  if (adm.cycles > 0) tx_json_int(json, "cycles", adm.cycles);
  tx_json_open(json, "probes", '[');
  for (int i = 0; i < probes->n; i++) {
    tx_json_open(json, NULL, '{');
    json_list(json, "x", 3, probes->x[i]);
    tx_json_real(json, "u", probes->u[i]);
    tx_json_close(json, '}');
  }
  tx_json_close(json, ']');
  tx_json_close(json, '}');
}

tx_status tx_id_write_json(const char *path, const tx_params *p, const tx_initial_data *id,
                           const tx_id_probes *probes) {
  tx_json json = {0};
  json_all(&json, p, id, probes);
  tx_status status = json.text.status;
  TX_THEN(status, tx_file_replace(path, json.text.data, json.text.length));
  tx_text_free(&json.text);
  return status;
}
