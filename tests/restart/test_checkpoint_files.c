/* Checkpoint files that are damaged, cut short, of another version, on a full disk, or too many; and what
 * else they carry: records and the modes file. */
#include "restart/scratch.h"

#include <errno.h>
#include <hdf5.h>
#include <limits.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include "checkpoint/internal.h"
#include "files/file.h"
#include "files/seal.h"

/* The linker sends these calls here: to count how often HDF5 sees a file, to let a disk fill up only when HDF5
 * writes, and to let octants be lost on the last rank. */
hid_t __real_H5Fopen(const char *path, unsigned flags, hid_t access);
hid_t __wrap_H5Fopen(const char *path, unsigned flags, hid_t access);
tx_status __real_tx_file_reserve(const char *path, size_t bytes);
tx_status __wrap_tx_file_reserve(const char *path, size_t bytes);
tx_status __real_tx_field_views(const tx_field *f, tx_lidx b, tx_lidx n, const double **out);
tx_status __wrap_tx_field_views(const tx_field *f, tx_lidx b, tx_lidx n, const double **out);
static int opened;
static bool reserves = true;
static tx_lidx lost = INT32_MAX; /* the first octant of the last rank that cannot be seen */

hid_t __wrap_H5Fopen(const char *path, unsigned flags, hid_t access) {
  opened++;
  return __real_H5Fopen(path, flags, access);
}

tx_status __wrap_tx_file_reserve(const char *path, size_t bytes) {
  return reserves ? __real_tx_file_reserve(path, bytes) : TX_OK;
}

tx_status __wrap_tx_field_views(const tx_field *f, tx_lidx b, tx_lidx n, const double **out) {
  TX_REQUIRE(b + n <= lost || world_rank() < world_size() - 1, TX_ERR_LIBRARY, "octants are lost");
  return __real_tx_field_views(f, b, n, out);
}

/* A file in memory, on rank 0. */
typedef struct image {
  char *data;
  size_t n;
} image;

static image load(const char *path) {
  image f = {0};
  if (world_rank() != 0) return f;
  FILE *in = fopen(path, "rb");
  assert_non_null(in);
  fseek(in, 0, SEEK_END);
  f.n = (size_t)ftell(in);
  rewind(in);
  f.data = malloc(f.n + 64);
  assert_non_null(f.data);
  assert_int_equal(fread(f.data, 1, f.n, in), f.n);
  fclose(in);
  return f;
}

static void store(const char *path, const char *data, size_t n) {
  if (world_rank() != 0) return;
  FILE *out = fopen(path, "wb");
  assert_non_null(out);
  assert_int_equal(fwrite(data, 1, n, out), n);
  assert_int_equal(fclose(out), 0);
}

static bool exists(const char *path) {
  return access(path, F_OK) == 0;
}

/* Files in the folder of checkpoints. */
static int count_files(const char *folder) {
  char command[256];
  int n = -1;
  snprintf(command, sizeof command, "ls %s/checkpoints | wc -l", folder);
  FILE *p = popen(command, "r");
  assert_non_null(p);
  assert_int_equal(fscanf(p, "%d", &n), 1);
  pclose(p);
  return n;
}

/* A simulation of one octant, and checkpoints of it at steps 1 .. n. */
static tx_sim *write_n(tx_params *p, const char *folder, int n, int keep) {
  tx_sim *sim = NULL;
  one_octant(p);
  OK(tx_sim_create(MPI_COMM_WORLD, p, &sim));
  for (int i = 1; i <= n; i++) {
    fill_with_bits(sim, (uint64_t)i);
    sim->step = i;
    sim->t = 0.1 * i;
    OK(tx_checkpoint_write(folder, keep, sim, NULL));
  }
  return sim;
}

/* The step of the newest good checkpoint, 0 for none; HDF5 was not asked. */
static int newest_step(const char *folder, int *skipped) {
  char path[PATH_MAX];
  long long step = 0;
  opened = 0;
  OK(tx_checkpoint_newest(MPI_COMM_WORLD, folder, path, sizeof path, skipped));
  assert_int_equal(opened, 0);
  if (path[0] == '\0') return 0;
  assert_int_equal(sscanf(strstr(path, "/checkpoint."), "/checkpoint.%lld.h5", &step), 1);
  return (int)step;
}

static void assert_skipped(const char *folder) {
  int skipped = 0;
  assert_int_equal(newest_step(folder, &skipped), 1);
  assert_int_equal(skipped, 1);
}

static void knows_the_checksum(void **state) {
  unsigned char data[300];
  assert_true(tx_crc64(0, "123456789", 9) == UINT64_C(0x995dc9bbdf1939fa));
  for (size_t i = 0; i < sizeof data; i++) data[i] = (unsigned char)(i * i + 7 * i + 3);
  for (size_t n = 0; n <= sizeof data; n++) {
    uint64_t bit_by_bit = ~UINT64_C(0);
    for (size_t i = 0; i < n; i++) {
      bit_by_bit ^= data[i];
      for (int k = 0; k < 8; k++)
        bit_by_bit = bit_by_bit >> 1 ^ (bit_by_bit & 1 ? UINT64_C(0xc96c5795d7870f42) : 0);
    }
    assert_true(tx_crc64(0, data, n) == ~bit_by_bit);
    assert_true(tx_crc64(tx_crc64(0, data, n / 3), data + n / 3, n - n / 3) == ~bit_by_bit);
    const uint64_t parts[] = {tx_crc64(0, data, n / 3), tx_crc64(0, data + n / 3, n - n / 3)};
    assert_true((tx_crc64_share(parts[0], n - n / 3) ^ parts[1]) == ~bit_by_bit);
  }
  /* Wherever in memory, and on from any bytes before. */
  for (size_t at = 0; at < 20; at++)
    for (size_t n = 60; n <= sizeof data - 20; n++) {
      uint64_t by_bytes = 0;
      for (size_t i = 0; i < n; i++) by_bytes = tx_crc64(by_bytes, data + at + i, 1);
      assert_true(tx_crc64(0, data + at, n) == by_bytes);
    }
  const uint64_t crc = tx_crc64(0, data, sizeof data), far = UINT64_C(0x123456789abc);
  assert_true(tx_crc64_share(tx_crc64_share(crc, far), 1) == tx_crc64_share(crc, far + 1));
}

/* The checksum in the first lines of a checkpoint and the one that its bytes have, one after the other. */
static void assert_sealed(const image *f) {
  const char *line = strstr(f->data, "checksum ");
  assert_non_null(line);
  uint64_t crc = tx_crc64(0, f->data, (size_t)(line - f->data));
  crc = tx_crc64(crc, f->data + TX_SEAL_BYTES, f->n - TX_SEAL_BYTES);
  assert_true(crc == strtoull(line + strlen("checksum "), NULL, 16));
}

/* Several batches on each of a few ranks: each file is sealed, and that of all ranks is that of one. */
static void files_do_not_depend_on_ranks(void **state) {
  char folder[64], path[PATH_MAX];
  tx_params p;
  image file[2];
  binary(&p);
  p.grid_level_min = TX_N == 8 ? 3 : 2;
  for (int n = 0; n < 2; n++) {
    MPI_Comm comm;
    tx_sim *sim = NULL;
    scratch_make(folder);
    MPI_Comm_split(MPI_COMM_WORLD, n == 0 || world_rank() == 0 ? 0 : MPI_UNDEFINED, 0, &comm);
    if (comm != MPI_COMM_NULL) {
      OK(tx_sim_create(comm, &p, &sim));
      assert_true(sim->mesh->n_local > TX_VIEW_OCTANTS || world_size() > 3);
      fill_with_bits(sim, 5);
      OK(tx_checkpoint_write(folder, 1, sim, NULL));
      tx_sim_destroy(sim);
      MPI_Comm_free(&comm);
    }
    OK(tx_checkpoint_path(folder, 0, "", path));
    file[n] = load(path);
    if (file[n].data) assert_sealed(&file[n]);
    scratch_remove(folder);
  }
  assert_int_equal(file[0].n, file[1].n);
  if (file[0].n > 0) assert_memory_equal(file[0].data, file[1].data, file[0].n);
  for (int n = 0; n < 2; n++) free(file[n].data);
}

/* A rank that cannot see its octants, from the first or from the last batch on: no rank hangs, nothing is lost. */
static void survives_lost_octants(void **state) {
  char folder[64];
  tx_params p;
  tx_sim *sim = NULL;
  scratch_make(folder);
  binary(&p);
  p.grid_level_min = TX_N == 8 ? 3 : 2;
  OK(tx_sim_create(MPI_COMM_WORLD, &p, &sim));
  for (int n = 0; n < 3; n++) {
    int skipped;
    sim->step = n + 1;
    lost = n == 0 ? INT32_MAX : n == 1 ? 0 : sim->mesh->n_local - 1;
    const tx_status status = tx_checkpoint_write(folder, 1, sim, NULL);
    lost = INT32_MAX;
    assert_int_equal(status, n == 0 ? TX_OK : TX_ERR_LIBRARY);
    if (n > 0) assert_non_null(strstr(tx_error_text(), "octants are lost"));
    tx_error_clear();
    if (world_rank() == 0) assert_int_equal(count_files(folder), 1);
    assert_int_equal(newest_step(folder, &skipped), 1);
  }
  tx_sim_destroy(sim);
  scratch_remove(folder);
}

/* Any bit of the first lines and 200 others; lengths short and long. The step before is taken. */
static void no_damage_goes_unnoticed(void **state) {
  char folder[64], path[PATH_MAX];
  tx_params p;
  int skipped;
  scratch_make(folder);
  tx_sim *sim = write_n(&p, folder, 2, 2);
  tx_sim_destroy(sim);
  OK(tx_checkpoint_path(folder, 2, "", path));
  image f = load(path);
  uint64_t size = f.n, h = 1;
  MPI_Bcast(&size, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
  assert_int_equal(newest_step(folder, &skipped), 2);
  assert_int_equal(skipped, 0);
  for (size_t i = 0; i < TX_SEAL_BYTES + 200; i += world_size() == 1 ? 1 : 41) {
    size_t at = i;
    h = (h ^ h >> 29) * UINT64_C(0x9e3779b97f4a7c15) + 1;
    if (i >= TX_SEAL_BYTES) at = TX_SEAL_BYTES + h % (size - TX_SEAL_BYTES);
    /* The first and the last kilobytes are HDF5's own. */
    if (i >= TX_SEAL_BYTES + 100) at = TX_SEAL_BYTES + h % 2048;
    if (i >= TX_SEAL_BYTES + 150) at = size - 1 - h % 2048;
    if (f.data) f.data[at] = (char)(f.data[at] ^ (1 << (h >> 40) % 8));
    store(path, f.data, size);
    assert_skipped(folder);
    if (f.data) f.data[at] = (char)(f.data[at] ^ (1 << (h >> 40) % 8));
  }
  const size_t lengths[] = {0,    1,        17,       512,      1000,     1023,     1024,
                            1025, size / 3, size / 2, size - 9, size - 2, size - 1, size + 1};
  for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
    store(path, f.data, lengths[i]);
    assert_skipped(folder);
  }
  if (world_rank() == 0) assert_int_equal(truncate(path, (off_t)size), 0);
  store(path, f.data, size);
  assert_int_equal(newest_step(folder, &skipped), 2);
  if (world_rank() == 0) {
    assert_int_equal(unlink(path), 0);
    assert_int_equal(mkdir(path, 0777), 0);
  }
  assert_skipped(folder);
  if (world_rank() == 0) assert_int_equal(rmdir(path), 0);
  free(f.data);
  scratch_remove(folder);
}

/* Replace text in the first lines and make the checksum that of the new ones. */
static void reseal(const image *f, const char *path, const char *old, const char *new) {
  char head[TX_SEAL_BYTES] = "", *copy = malloc(f->n);
  const char *at = strstr(f->data, old);
  assert_true(copy && at);
  memcpy(copy, f->data, f->n);
  int n =
      snprintf(head, sizeof head, "%.*s%s%s", (int)(at - f->data), f->data, new, at + strlen(old));
  char *sum = strstr(head, "checksum ");
  assert_true(n > 0 && sum);
  uint64_t crc = tx_crc64(0, head, (size_t)(sum - head));
  crc = tx_crc64(crc, copy + TX_SEAL_BYTES, f->n - TX_SEAL_BYTES);
  snprintf(sum, 32, "checksum %016llx\n", (unsigned long long)crc);
  memcpy(copy, head, sizeof head);
  store(path, copy, f->n);
  free(copy);
}

static void other_versions_are_not_taken(void **state) {
  static const struct {
    const char *old, *new, *why;
  } cases[] = {
      {"format 6\n", "format 5\n", "format 5, "},
      {"format 6\n", "format 66\n", "format 66, "},
      {"tendex checkpoint\n", "Tendex checkpoint\n", "does not begin"},
      {"system bssn", "system ripple",
       "this program does not have the system ripple: restart with"},
      {"system bssn ", "system bssn 1", "variables or equations of the system bssn differ from"},
  };
  char folder[64], path[PATH_MAX], why[256], mine[32], other[32];
  tx_params p;
  int skipped;
  scratch_make(folder);
  tx_sim_destroy(write_n(&p, folder, 2, 2));
  OK(tx_checkpoint_path(folder, 2, "", path));
  image f = load(path);
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    if (f.data) reseal(&f, path, cases[i].old, cases[i].new);
    assert_skipped(folder);
    if (f.data) assert_false(tx_seal_good(path, true, why, sizeof why));
    if (f.data) assert_non_null(strstr(why, cases[i].why));
  }
  snprintf(mine, sizeof mine, "octant_points %d\n", TX_N);
  snprintf(other, sizeof other, "octant_points %d\n", 24 - TX_N);
  if (f.data) reseal(&f, path, mine, other);
  assert_skipped(folder);
  if (f.data) assert_false(tx_seal_good(path, false, why, sizeof why));
  snprintf(other, sizeof other, "have %d points", 24 - TX_N);
  if (f.data) assert_non_null(strstr(why, other));
  /* The same code at another commit is no other version. */
  if (f.data) reseal(&f, path, "code ", "code x");
  assert_int_equal(newest_step(folder, &skipped), 2);
  free(f.data);
  scratch_remove(folder);
}

static void only_the_newest_are_kept(void **state) {
  char folder[64], path[PATH_MAX];
  tx_params p;
  int skipped;
  scratch_make(folder);
  assert_int_equal(newest_step(folder, &skipped), 0);
  assert_int_equal(skipped, 0);
  tx_sim *sim = write_n(&p, folder, 5, 3);
  if (world_rank() == 0) {
    assert_int_equal(count_files(folder), 3);
    OK(tx_checkpoint_path(folder, 2, "", path));
    assert_false(exists(path));
    /* What a killed run left, and what is not ours. */
    OK(tx_checkpoint_path(folder, 7, ".part", path));
    store(path, "x", 1);
    snprintf(path, sizeof path, "%s/checkpoints/checkpoint.new.h5", folder);
    store(path, "x", 1);
    /* A damaged one is no reason to drop a good one. */
    OK(tx_checkpoint_path(folder, 4, "", path));
    assert_int_equal(truncate(path, 2000), 0);
  }
  assert_int_equal(newest_step(folder, &skipped), 5);
  sim->step = 6;
  OK(tx_checkpoint_write(folder, 2, sim, NULL));
  if (world_rank() == 0) {
    for (int i = 3; i <= 6; i++) {
      OK(tx_checkpoint_path(folder, i, "", path));
      assert_int_equal(exists(path), i != 3);
    }
    assert_int_equal(count_files(folder), 4);
  }
  /* Written twice at one step: one file. */
  OK(tx_checkpoint_write(folder, 1, sim, NULL));
  assert_int_equal(newest_step(folder, &skipped), 6);
  if (world_rank() == 0) assert_int_equal(count_files(folder), 3);
  /* A newer one, though damaged, stays until it is written anew. */
  if (world_rank() == 0) {
    OK(tx_checkpoint_path(folder, 6, "", path));
    assert_int_equal(truncate(path, 2000), 0);
  }
  sim->step = 5;
  OK(tx_checkpoint_write(folder, 1, sim, NULL));
  assert_int_equal(newest_step(folder, &skipped), 5);
  assert_int_equal(skipped, 1);
  tx_sim_destroy(sim);
  scratch_remove(folder);
}

/* One clear error; the checkpoints of before are there and good, and nothing else is. */
static void assert_fails_well(const char *folder, tx_sim *sim) {
  char text[1024];
  int skipped = -1, files = 1;
  sim->step++;
  assert_int_equal(tx_checkpoint_write(folder, 1, sim, NULL), TX_ERR_IO);
  snprintf(text, sizeof text, "%s", tx_error_text());
  tx_error_clear();
  assert_non_null(strstr(text, "cannot write"));
  assert_non_null(strstr(text, folder));
  sim->step--;
  if (world_rank() == 0) files = count_files(folder);
  assert_int_equal(files, 1);
  assert_int_equal(newest_step(folder, &skipped), 1);
  assert_int_equal(skipped, 0);
}

/* Files may not grow beyond a limit. */
static void survives_limits_of_file_size(void **state) {
  char folder[64], path[PATH_MAX];
  tx_params p;
  struct stat s;
  struct rlimit limit;
  scratch_make(folder);
  tx_sim *sim = write_n(&p, folder, 1, 1);
  OK(tx_checkpoint_path(folder, 1, "", path));
  MPI_Barrier(MPI_COMM_WORLD);
  assert_int_equal(stat(path, &s), 0);
  assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
  const rlim_t all = limit.rlim_cur;
  signal(SIGXFSZ, SIG_IGN);
  for (int n = 0; n < 11; n++) {
    limit.rlim_cur = (rlim_t)((s.st_size - 1) * n / 10);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
    assert_fails_well(folder, sim);
  }
  limit.rlim_cur = all;
  assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
  sim->step = 2;
  OK(tx_checkpoint_write(folder, 1, sim, NULL));
  tx_sim_destroy(sim);
  scratch_remove(folder);
}

/* Small disks, whose end is noticed before HDF5 writes or only when it does; without the right to mount them there is nothing to test here. */
static void survives_full_disks(void **state) {
  static const int percent[] = {101, 120, 140, 160, 180};
  char folder[64], path[PATH_MAX], size[64];
  tx_params p;
  scratch_make(folder);
  tx_sim *sim = write_n(&p, folder, 1, 1);
  OK(tx_checkpoint_path(folder, 1, "", path));
  image f = load(path);
  int mounts = 1;
  for (int n = 0; n < 10 && mounts; n++) {
    reserves = n % 2;
    if (f.data) {
      snprintf(size, sizeof size, "size=%zuk", f.n * (size_t)percent[n / 2] / 102400 + 8);
      snprintf(path, sizeof path, "%s/checkpoints", folder);
      mounts = mount("tmpfs", path, "tmpfs", 0, size) == 0;
      if (mounts) {
        OK(tx_checkpoint_path(folder, 1, "", path));
        store(path, f.data, f.n);
      }
    }
    MPI_Bcast(&mounts, 1, MPI_INT, 0, MPI_COMM_WORLD);
    if (!mounts) break;
    assert_fails_well(folder, sim);
    snprintf(path, sizeof path, "%s/checkpoints", folder);
    if (f.data) assert_int_equal(umount(path), 0);
  }
  reserves = true;
  free(f.data);
  tx_sim_destroy(sim);
  scratch_remove(folder);
}

/* Read one record of a kind and length that the file has, or has not. */
static tx_status read_one(const char *path, const char *name, char kind, size_t n, void *data) {
  tx_record_list list = {0};
  tx_records_add(&list, name, kind, n, data);
  tx_status status = tx_checkpoint_records(MPI_COMM_WORLD, path, &list);
  tx_records_free(&list);
  return status;
}

static void carries_records(void **state) {
  static const struct {
    const char *name;
    char kind;
    size_t n;
  } wrong[] = {{"fluxes/state", 'd', 2}, {"fluxes/state", 'd', 4}, {"fluxes/state", 'i', 3},
               {"run.yaml", 't', 14},    {"fluxes", 'd', 3},       {"missing", 'd', 3},
               {"nothing", 'd', 1}};
  char folder[64], path[PATH_MAX], text[64] = "a: 1\nb: \"x\0y\"\n", text_read[64] = "";
  double d[3] = {1.5, -0.0, 1e-310}, d_read[4] = {0};
  int64_t i[2] = {INT64_MIN, 42}, i_read[2] = {0};
  int skipped;
  size_t n = 0;
  tx_record_list written = {0};
  tx_records_add(&written, "fluxes/state", 'd', 3, d);
  tx_records_add(&written, "fluxes/rows", 'i', 2, i);
  tx_records_add(&written, "run.yaml", 't', 15, text);
  tx_records_add(&written, "nothing", 'd', 0, NULL);
  tx_records_add(&written, "no text", 't', 0, NULL);
  const tx_checkpoint_content content = {.records = &written};
  tx_params p;
  scratch_make(folder);
  tx_sim *sim = write_n(&p, folder, 1, 1);
  sim->step = 2;
  OK(tx_checkpoint_write(folder, 1, sim, &content));
  tx_records_free(&written);
  tx_sim_destroy(sim);
  OK(tx_checkpoint_newest(MPI_COMM_WORLD, folder, path, sizeof path, &skipped));
  OK(read_one(path, "run.yaml", 't', 15, text_read));
  OK(read_one(path, "fluxes/state", 'd', 3, d_read));
  OK(read_one(path, "nothing", 'd', 0, NULL));
  OK(read_one(path, "fluxes/rows", 'i', 2, i_read));
  assert_memory_equal(d, d_read, sizeof d);
  assert_memory_equal(i, i_read, sizeof i);
  assert_memory_equal(text, text_read, 15);
  OK(tx_checkpoint_record_size(MPI_COMM_WORLD, path, "run.yaml", &n));
  assert_int_equal(n, 15);
  OK(tx_checkpoint_record_size(MPI_COMM_WORLD, path, "no text", &n));
  assert_int_equal(n, 0);
  bool has = false;
  OK(tx_checkpoint_has_record(MPI_COMM_WORLD, path, "fluxes/rows", &has));
  assert_true(has);
  OK(tx_checkpoint_has_record(MPI_COMM_WORLD, path, "missing/rows", &has));
  assert_false(has);
  assert_int_equal(tx_checkpoint_record_size(MPI_COMM_WORLD, path, "missing", &n), TX_ERR_IO);
  tx_error_clear();
  for (size_t w = 0; w < sizeof wrong / sizeof wrong[0]; w++) {
    assert_int_equal(read_one(path, wrong[w].name, wrong[w].kind, wrong[w].n, d_read), TX_ERR_IO);
    assert_non_null(strstr(tx_error_text(), wrong[w].name));
    tx_error_clear();
  }
  scratch_remove(folder);
}

/* A struct whose members are kept. */
typedef struct thing {
  bool there;
  int count;
  double place[3];
} thing;

/* All ranks get the members of structs that rank 0 reads. */
static void carries_structs(void **state) {
  static const tx_member members[] = {TX_MEMBER(thing, there), TX_MEMBER(thing, count),
                                      TX_MEMBER(thing, place)};
  static const tx_members all = TX_MEMBERS(thing, members);
  char folder[64], path[PATH_MAX];
  thing things[2] = {{true, INT_MIN, {1.0, 2.0, -0.0}}, {false, INT_MAX, {1e-310, 5.0, 6.0}}};
  thing back[2] = {{false, 0, {0.0}}, {true, 0, {0.0}}};
  int skipped;
  tx_record_list written = {0}, read = {0};
  tx_params p;
  tx_records_add_members(&written, "things/", &all, things, 2);
  tx_records_add_members(&read, "things/", &all, back, 2);
  const tx_checkpoint_content content = {.records = &written};
  scratch_make(folder);
  tx_sim *sim = write_n(&p, folder, 1, 1);
  sim->step = 2;
  OK(tx_checkpoint_write(folder, 1, sim, &content));
  OK(tx_checkpoint_newest(MPI_COMM_WORLD, folder, path, sizeof path, &skipped));
  OK(tx_checkpoint_records(MPI_COMM_WORLD, path, &read));
  for (int k = 0; k < 2; k++) {
    assert_true(back[k].there == things[k].there && back[k].count == things[k].count);
    assert_memory_equal(back[k].place, things[k].place, sizeof back[k].place);
  }
  tx_records_free(&written);
  tx_records_free(&read);
  tx_sim_destroy(sim);
  scratch_remove(folder);
}

/* A file as that of the modes: rows that grow, texts of any length. */
static hid_t modes_create(const char *path) {
  const hsize_t size[2] = {0, 3}, most[2] = {H5S_UNLIMITED, 3}, chunk[2] = {128, 3};
  const char *text = "psi4 = -(d2 h+/dt2 - i d2 hx/dt2)";
  const int64_t zero = 0;
  hid_t access = H5Pcreate(H5P_FILE_ACCESS), type = H5Tcopy(H5T_C_S1);
  hid_t scalar = H5Screate(H5S_SCALAR), plist = H5Pcreate(H5P_DATASET_CREATE);
  assert_true(H5Pset_file_locking(access, false, true) >= 0);
  hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, access);
  assert_true(file >= 0 && H5Tset_size(type, H5T_VARIABLE) >= 0);
  hid_t a = H5Acreate2(file, "psi4_sign", type, scalar, H5P_DEFAULT, H5P_DEFAULT);
  assert_true(H5Awrite(a, type, &text) >= 0 && H5Aclose(a) >= 0);
  a = H5Acreate2(file, "scaled_by_r", H5T_NATIVE_INT64, scalar, H5P_DEFAULT, H5P_DEFAULT);
  assert_true(H5Awrite(a, H5T_NATIVE_INT64, &zero) >= 0 && H5Aclose(a) >= 0);
  assert_true(H5Pset_chunk(plist, 2, chunk) >= 0);
  for (int m = 0; m < 21; m++) {
    char name[32];
    snprintf(name, sizeof name, "l2_m%d_r10.00", m);
    hid_t space = H5Screate_simple(2, size, most);
    hid_t set = H5Dcreate2(file, name, H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, plist, H5P_DEFAULT);
    assert_true(set >= 0 && H5Dclose(set) >= 0 && H5Sclose(space) >= 0);
  }
  H5Pclose(plist);
  H5Sclose(scalar);
  H5Tclose(type);
  H5Pclose(access);
  return file;
}

/* Rows [from, to) of all modes; nothing is flushed. */
static void modes_append(hid_t file, int from, int to) {
  for (int m = 0; m < 21; m++) {
    char name[32];
    snprintf(name, sizeof name, "l2_m%d_r10.00", m);
    hid_t set = H5Dopen2(file, name, H5P_DEFAULT);
    assert_true(set >= 0);
    for (int n = from; n < to; n++) {
      const hsize_t size[2] = {(hsize_t)n + 1, 3}, start[2] = {(hsize_t)n, 0}, one[2] = {1, 3};
      const double row[3] = {0.25 * n, m + n, m - n};
      assert_true(H5Dset_extent(set, size) >= 0);
      hid_t space = H5Dget_space(set), memory = H5Screate_simple(2, one, NULL);
      assert_true(H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, one, NULL) >= 0);
      assert_true(H5Dwrite(set, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, row) >= 0);
      H5Sclose(memory);
      H5Sclose(space);
    }
    assert_true(H5Dclose(set) >= 0);
  }
}

static void assert_modes(const char *path, int rows) {
  static double value[1000][3];
  char *text = NULL;
  hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
  assert_true(file >= 0);
  hid_t a = H5Aopen(file, "psi4_sign", H5P_DEFAULT), type = H5Aget_type(a);
  assert_true(H5Aread(a, type, &text) >= 0);
  assert_string_equal(text, "psi4 = -(d2 h+/dt2 - i d2 hx/dt2)");
  H5free_memory(text);
  H5Tclose(type);
  H5Aclose(a);
  assert_true(H5Aexists(file, "scaled_by_r") > 0);
  for (int m = 0; m < 21; m++) {
    char name[32];
    hsize_t size[2];
    snprintf(name, sizeof name, "l2_m%d_r10.00", m);
    hid_t set = H5Dopen2(file, name, H5P_DEFAULT), space = H5Dget_space(set);
    assert_int_equal(H5Sget_simple_extent_dims(space, size, NULL), 2);
    assert_int_equal(size[0], rows);
    assert_true(H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, value) >= 0);
    for (int n = 0; n < rows; n++)
      assert_true(value[n][0] == 0.25 * n && value[n][1] == m + n && value[n][2] == m - n);
    H5Sclose(space);
    H5Dclose(set);
  }
  assert_true(H5Fclose(file) >= 0);
}

/* The modes are copied while the file is open for more, and go on from the copy. */
static void carries_the_modes(void **state) {
  char folder[64], path[PATH_MAX], modes[PATH_MAX], part[PATH_MAX + 8];
  int skipped;
  tx_params p;
  hid_t file = H5I_INVALID_HID;
  scratch_make(folder);
  snprintf(modes, sizeof modes, "%s/mp_psi4.h5", folder);
  snprintf(part, sizeof part, "%s.part", modes);
  tx_checkpoint_content content = {.modes_path = world_rank() == 0 ? modes : NULL};
  tx_sim *sim = write_n(&p, folder, 1, 5);
  /* No file yet: none comes back. */
  sim->step = 2;
  OK(tx_checkpoint_write(folder, 5, sim, &content));
  OK(tx_checkpoint_newest(MPI_COMM_WORLD, folder, path, sizeof path, &skipped));
  if (world_rank() == 0) {
    store(modes, "x", 1);
    OK(tx_checkpoint_restore_modes(path, modes, INT64_MAX));
    assert_false(exists(modes));
    OK(tx_checkpoint_restore_modes(path, modes, INT64_MAX));
    file = modes_create(modes);
    modes_append(file, 0, 300);
  }
  sim->step = 3;
  OK(tx_checkpoint_write(folder, 5, sim, &content));
  if (world_rank() == 0) modes_append(file, 300, 400);
  sim->step = 4;
  OK(tx_checkpoint_write(folder, 5, sim, &content));
  if (world_rank() == 0) {
    modes_append(file, 400, 410);
    assert_true(H5Fclose(file) >= 0);
    assert_modes(modes, 410);
    OK(tx_checkpoint_path(folder, 3, "", path));
    OK(tx_checkpoint_restore_modes(path, modes, INT64_MAX));
    assert_modes(modes, 300);
    OK(tx_checkpoint_restore_modes(path, modes, 298));
    assert_modes(modes, 298);
    OK(tx_checkpoint_restore_modes(path, modes, 0));
    assert_false(exists(modes));
    OK(tx_checkpoint_path(folder, 4, "", path));
    OK(tx_checkpoint_restore_modes(path, modes, INT64_MAX));
    assert_modes(modes, 400);
    assert_false(exists(part));
    file = H5Fopen(modes, H5F_ACC_RDWR, H5P_DEFAULT);
    modes_append(file, 400, 640);
    assert_true(H5Fclose(file) >= 0);
    assert_modes(modes, 640);
    /* A place that cannot be written. */
    snprintf(modes, sizeof modes, "%s/none/mp_psi4.h5", folder);
    assert_int_equal(tx_checkpoint_restore_modes(path, modes, INT64_MAX), TX_ERR_IO);
    tx_error_clear();
  }
  tx_sim_destroy(sim);
  scratch_remove(folder);
}

static int file_tests(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(knows_the_checksum),       cmocka_unit_test(files_do_not_depend_on_ranks),
      cmocka_unit_test(no_damage_goes_unnoticed), cmocka_unit_test(other_versions_are_not_taken),
      cmocka_unit_test(only_the_newest_are_kept), cmocka_unit_test(survives_limits_of_file_size),
      cmocka_unit_test(survives_full_disks),      cmocka_unit_test(survives_lost_octants),
      cmocka_unit_test(carries_records),          cmocka_unit_test(carries_structs),
      cmocka_unit_test(carries_the_modes),
  };
  /* The forest library starts on all ranks of the world, and stays as long as a forest does. */
  const tx_domain domain = {.extent = 1.0};
  tx_octree *keeps_library = NULL;
  tx_log_quiet(1);
  /* As the program does. */
  if (H5dont_atexit() < 0 || H5open() < 0 || H5Eset_auto2(H5E_DEFAULT, NULL, NULL) < 0) return 1;
  if (tx_octree_create(MPI_COMM_WORLD, &domain, 0, &keeps_library) != TX_OK) return 1;
  int failed = cmocka_run_group_tests(tests, NULL, NULL);
  tx_octree_destroy(keeps_library);
  return failed;
}
TEST_MAIN_WITH(file_tests())
