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
#include "files/record.h"
#include "files/seal.h"

/* Raised when the solver, or what its numbers mean, changes. */
#define FORMAT   1
#define KEY_MAX  1024
#define RECORDS  21
#define INTEGERS 8

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

/* The numbers of a solution but for its coefficients, as they are in the file. */
static int records_of(tx_two_punctures *s, int64_t integer[INTEGERS], tx_record record[RECORDS]) {
  tx_bowen_york *b = &s->data;
  const tx_record records[] = {
      {"n", 'i', 1, &integer[0]},
      {"n_A", 'i', 1, &integer[1]},
      {"n_B", 'i', 1, &integer[2]},
      {"n_phi", 'i', 1, &integer[3]},
      {"resolution", 'i', 1, &integer[4]},
      {"newton_steps", 'i', 1, &integer[5]},
      {"mass_steps", 'i', 1, &integer[6]},
      {"n_coefficients", 'i', 1, &integer[7]},
      {"mass_bare", 'd', 2, b->mass},
      {"mass_adm", 'd', 2, s->mass_adm},
      {"position", 'd', 6, b->position},
      {"momentum", 'd', 6, b->momentum},
      {"spin", 'd', 6, b->spin},
      {"half_distance", 'd', 1, &b->u.half_distance},
      {"centre", 'd', 3, b->u.centre},
      {"axis", 'd', 9, b->u.axis},
      {"energy", 'd', 1, &s->energy},
      {"adm_momentum", 'd', 3, s->momentum},
      {"angular_momentum", 'd', 3, s->angular_momentum},
      {"residual", 'd', 1, &s->residual},
      {"error", 'd', 1, &s->error},
  };
  _Static_assert(sizeof records / sizeof records[0] <= RECORDS, "all records fit");
  memcpy(record, records, sizeof records);
  return (int)(sizeof records / sizeof records[0]);
}

static void integers_pack(const tx_two_punctures *s, int64_t integer[INTEGERS]) {
  const tx_spectral *u = &s->data.u;
  const int64_t values[INTEGERS] = {
      s->data.n,     u->n_A,          u->n_B,        u->n_phi,
      s->resolution, s->newton_steps, s->mass_steps, (int64_t)s->n_coefficients};
  memcpy(integer, values, sizeof values);
}

static void integers_unpack(const int64_t integer[INTEGERS], tx_two_punctures *s) {
  tx_spectral *u = &s->data.u;
  s->data.n = (int)integer[0];
  u->n_A = (int)integer[1];
  u->n_B = (int)integer[2];
  u->n_phi = (int)integer[3];
  s->resolution = (int)integer[4];
  s->newton_steps = (int)integer[5];
  s->mass_steps = (int)integer[6];
  s->n_coefficients = (size_t)integer[7];
}

static tx_status write_all(hid_t file, const char *path, const tx_two_punctures_spec *spec,
                           tx_two_punctures *solved) {
  char key[KEY_MAX];
  int64_t integer[INTEGERS];
  tx_record records[RECORDS];
  integers_pack(solved, integer);
  int n = records_of(solved, integer, records);
  const tx_record rest[2] = {{"key", 't', make_key(spec, key), key},
                             {"coefficients", 'd', solved->n_coefficients, solved->coefficients}};
  TX_TRY(tx_file_reserve(path, tx_records_bytes(n, records) + tx_records_bytes(2, rest)));
  TX_TRY(tx_h5_text(file, path, "code_version", tx_version()));
  TX_TRY(tx_records_put(file, path, "solution", n, records));
  return tx_records_put(file, path, "solution", 2, rest);
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

static tx_status read_all(hid_t file, const char *path, tx_two_punctures *solved) {
  int64_t integer[INTEGERS];
  tx_record records[RECORDS];
  int n = records_of(solved, integer, records);
  TX_TRY(tx_records_get(file, path, "solution", n, records));
  integers_unpack(integer, solved);
  TX_TRY(tx_alloc(solved->n_coefficients, sizeof *solved->coefficients, "initial data",
                  &solved->coefficients));
  const tx_record rest = {"coefficients", 'd', solved->n_coefficients, solved->coefficients};
  solved->data.u.coefficients = solved->coefficients;
  return tx_records_get(file, path, "solution", 1, &rest);
}

static bool has_key(hid_t file, const char *path, const tx_two_punctures_spec *spec) {
  char key[KEY_MAX], found[KEY_MAX] = "";
  size_t n = make_key(spec, key);
  const tx_record record = {"key", 't', n, found};
  return tx_records_get(file, path, "solution", 1, &record) == TX_OK && memcmp(key, found, n) == 0;
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
