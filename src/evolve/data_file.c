/* The file of a solution of two punctures: sealed with a checksum as checkpoints are. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "base/memory.h"
#include "base/version.h"
#include "evolve/data.h"
#include "files/file.h"
#include "files/h5.h"
#include "files/record_file.h"
#include "files/seal.h"

/* Raised when the solver, or what its numbers mean, changes. */
#define FORMAT  1
#define KEY_MAX 1024

static size_t key_numbers(char *key, size_t n, const char *name, const double *x, int count) {
  n += (size_t)snprintf(key + n, KEY_MAX - n, "%s", name);
  for (int i = 0; i < count; i++) n += (size_t)snprintf(key + n, KEY_MAX - n, " %.17g", x[i]);
  n += (size_t)snprintf(key + n, KEY_MAX - n, "\n");
  return n;
}

/* All that the solution depends on, to the last bit. */
static size_t make_key(const tx_two_punctures_spec *s, char key[KEY_MAX]) {
  size_t n = (size_t)snprintf(key, KEY_MAX, "format %d\npunctures %d\nmasses %s\nresolution %d\n",
                              FORMAT, s->n, s->adm_masses ? "adm" : "bare", s->resolution);
  n = key_numbers(key, n, "tolerance", &s->tolerance, 1);
  for (int a = 0; a < s->n; a++) {
    n = key_numbers(key, n, "mass", &s->mass[a], 1);
    n = key_numbers(key, n, "position", s->position[a], 3);
    n = key_numbers(key, n, "momentum", s->momentum[a], 3);
    n = key_numbers(key, n, "spin", s->spin[a], 3);
  }
  return n;
}

/* The numbers of a solution but for its coefficients. */
static void number_records(tx_two_punctures *solved, tx_record_list *list) {
  static const tx_member numbers[] = {
      TX_MEMBER(tx_two_punctures, data.n),
      TX_MEMBER(tx_two_punctures, data.mass),
      TX_MEMBER(tx_two_punctures, data.position),
      TX_MEMBER(tx_two_punctures, data.momentum),
      TX_MEMBER(tx_two_punctures, data.spin),
      TX_MEMBER(tx_two_punctures, data.u.n_A),
      TX_MEMBER(tx_two_punctures, data.u.n_B),
      TX_MEMBER(tx_two_punctures, data.u.n_phi),
      TX_MEMBER(tx_two_punctures, data.u.half_distance),
      TX_MEMBER(tx_two_punctures, data.u.centre),
      TX_MEMBER(tx_two_punctures, data.u.axis),
      TX_MEMBER(tx_two_punctures, mass_adm),
      TX_MEMBER(tx_two_punctures, energy),
      TX_MEMBER(tx_two_punctures, momentum),
      TX_MEMBER(tx_two_punctures, angular_momentum),
      TX_MEMBER(tx_two_punctures, residual),
      TX_MEMBER(tx_two_punctures, error),
      TX_MEMBER(tx_two_punctures, resolution),
      TX_MEMBER(tx_two_punctures, newton_steps),
      TX_MEMBER(tx_two_punctures, mass_steps),
      TX_MEMBER(tx_two_punctures, n_coefficients),
  };
  static const tx_members members = TX_MEMBERS(tx_two_punctures, numbers);
  tx_records_add_members(list, "", &members, solved, 1);
}

static tx_status put_all(hid_t file, const char *path, const tx_record_list *list) {
  TX_TRY(tx_file_reserve(path, tx_records_bytes(list)));
  TX_TRY(tx_h5_text(file, path, "code_version", tx_version()));
  return tx_records_put(file, path, "solution", list);
}

static tx_status write_all(hid_t file, const char *path, const tx_two_punctures_spec *spec,
                           tx_two_punctures *solved) {
  char key[KEY_MAX];
  tx_record_list list = {0};
  number_records(solved, &list);
  tx_records_add(&list, "key", 't', make_key(spec, key), key);
  tx_records_add(&list, "coefficients", 'd', solved->n_coefficients, solved->coefficients);
  tx_status status = put_all(file, path, &list);
  tx_records_free(&list);
  return status;
}

tx_status tx_data_save(const char *path, const tx_two_punctures_spec *spec,
                       tx_two_punctures *solved) {
  char part[PATH_MAX];
  TX_REQUIRE(snprintf(part, sizeof part, "%s.part", path) < (int)sizeof part, TX_ERR_IO,
             "%s: path too long", path);
  hid_t file;
  TX_TRY(tx_h5_begin(part, TX_SEAL_BYTES, &file));
  tx_status status = write_all(file, part, spec, solved);
  if (H5Fclose(file) < 0) TX_THEN(status, tx_h5_failed(part, "closing it"));
  TX_THEN(status, tx_seal_write(part, tx_initial_data_system(), 0, 0.0, NULL));
  TX_THEN(status, tx_file_publish(part, path));
  if (status != TX_OK) unlink(part);
  return status;
}

/* Read all that was added to the list, and free it. */
static tx_status get_all(hid_t file, const char *path, tx_record_list *list) {
  tx_status status = tx_records_get(file, path, "solution", list);
  tx_records_free(list);
  return status;
}

static tx_status read_all(hid_t file, const char *path, tx_two_punctures *solved) {
  tx_record_list numbers = {0}, rest = {0};
  number_records(solved, &numbers);
  TX_TRY(get_all(file, path, &numbers));
  TX_TRY(tx_alloc(solved->n_coefficients, sizeof *solved->coefficients, "initial data",
                  &solved->coefficients));
  solved->data.u.coefficients = solved->coefficients;
  tx_records_add(&rest, "coefficients", 'd', solved->n_coefficients, solved->coefficients);
  return get_all(file, path, &rest);
}

static bool has_key(hid_t file, const char *path, const tx_two_punctures_spec *spec) {
  char key[KEY_MAX], found[KEY_MAX] = "";
  const size_t n = make_key(spec, key);
  tx_record_list list = {0};
  tx_records_add(&list, "key", 't', n, found);
  return get_all(file, path, &list) == TX_OK && memcmp(key, found, n) == 0;
}

bool tx_data_load(const char *path, const tx_two_punctures_spec *spec, tx_two_punctures *solved,
                  char *why, size_t size) {
  hid_t file;
  tx_status status = TX_ERR_IO;
  *solved = (tx_two_punctures){0};
  why[0] = '\0';
  if (access(path, F_OK) != 0 && errno == ENOENT) return false;
  if (!tx_seal_good(path, true, why, size)) return false;
  if (tx_h5_open(path, &file) == TX_OK) {
    if (!has_key(file, path, spec))
      snprintf(why, size, "it is of other parameters");
    else
      status = read_all(file, path, solved);
    H5Fclose(file);
  }
  if (status == TX_OK) return true;
  if (!why[0]) snprintf(why, size, "%s", tx_error_text());
  tx_error_clear(); /* to have no file is no failure */
  tx_two_punctures_free(solved);
  return false;
}
