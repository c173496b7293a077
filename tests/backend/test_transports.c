/* Ghosts and octants between GPUs: every transport that works gives the bits of one rank alone. */
#include "tests/support/main.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/memory.h"
#include "cuda/cuda.h"
#include "exec/level.h"
#include "params/words.h"
#include "tests/support/backend.h"
#include "tests/support/exec_checks.h"
#include "tests/support/ladder.h"
#include "tests/support/octree_checks.h"

/* The last mesh is much larger than those before. */
enum { ROUNDS = 3, FILLS = 6 };

/* What is left of a series of exchanges and transfers. */
typedef struct outcome {
  uint64_t patches[ROUNDS - 1][FILLS], moved[ROUNDS], levels;
} outcome;

static const struct {
  int number;
  const char *word;
} transports[] = {
#define WORD(name, text) {name, text},
    TX_TRANSPORT_WORDS(WORD)};

/* Noise that differs from one fill to the next. */
typedef struct noise {
  tx_domain domain;
  int fill;
} noise;

static double noise_value(const void *data, int v, const double x[3]) {
  const noise *n = data;
  return (n->fill + 1) * tx_test_noise_value(&n->domain, v, x);
}

/* This rank's part of a hash of all patches with their octants' numbers. */
static tx_status hash_patches(tx_exec *x, const tx_field *f, uint64_t *out) {
  const tx_mesh *mesh = tx_exec_mesh(x);
  const size_t doubles = (size_t)tx_field_vars(f) * TX_P3;
  double *patch = malloc(doubles * sizeof *patch);
  tx_status status = TX_OK;
  *out = 0;
  for (tx_lidx b = 0; b < mesh->n_local && status == TX_OK; b++) {
    uint64_t h = (uint64_t)mesh->octant[b].index + 1, bits;
    status = tx_test_patch(x, f, b, patch);
    for (size_t i = 0; i < doubles; i++) {
      memcpy(&bits, &patch[i], sizeof bits);
      h = (h ^ bits) * UINT64_C(0x9e3779b97f4a7c15);
      h ^= h >> 29;
    }
    *out += h;
  }
  free(patch);
  return status;
}

/* Ranks come late in turns, so that others are ahead of them. */
static void dawdle(const tx_mesh *mesh, int turn) {
  if (mesh->size > 1 && turn % mesh->size == mesh->rank)
    nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL);
}

/* Exchanges of fields of one and of four variables in turns. Who is late looks at ghosts while others send those
 * of the next exchange. */
static tx_status exchange(tx_exec *x, const tx_domain *domain, uint64_t hash[FILLS]) {
  tx_field *four = NULL, *one = NULL;
  TX_TRY(tx_test_field(x, &four));
  TX_TRY(tx_field_create(x, 1, NULL, &one));
  TX_TRY(tx_test_poison(x));
  for (int i = 0; i < FILLS; i++) {
    tx_field *f = i % 3 == 1 ? one : four;
    const noise n = {*domain, i};
    TX_TRY(tx_test_fill(f, noise_value, &n));
    TX_TRY(tx_ghosts_fill(x, f));
    dawdle(tx_exec_mesh(x), i);
    TX_TRY(hash_patches(x, f, &hash[i]));
  }
  tx_field_destroy(four);
  tx_field_destroy(one);
  MPI_Allreduce(MPI_IN_PLACE, hash, FILLS, MPI_UINT64_T, MPI_SUM, tx_exec_mesh(x)->comm);
  return TX_OK;
}

/* A field of noise on a new, larger mesh, moved there from the old one. */
static tx_status regrid(tx_octree *tree, const tx_domain *domain, int round, tx_mesh **mesh,
                        tx_exec **x, uint64_t *hash) {
  const bool last = round == ROUNDS - 1;
  const noise n = {*domain, round};
  int8_t *flag = calloc((size_t)(*mesh)->n_local + 1, 1);
  tx_transfer *transfer = NULL;
  tx_mesh *now = NULL;
  tx_exec *to = NULL;
  tx_field *f = NULL, *out = NULL;
  tx_test_random_flags(*mesh, 90 + (uint64_t)round, 0.2 * round, 0.5, flag);
  TX_TRY(tx_octree_adapt(tree, *mesh, &(tx_adaptation){flag, 1, last && TX_N == 8 ? 3 : 2, NULL},
                         &transfer));
  free(flag);
  TX_TRY(tx_mesh_create(tree, &now));
  TX_TRY(tx_exec_create(now, TX_TEST_VARS + 1, &to));
  TX_TRY(tx_test_field(*x, &f));
  TX_TRY(tx_test_fill(f, noise_value, &n));
  TX_TRY(tx_ghosts_fill(*x, f));
  TX_TRY(tx_exec_transfer(*x, f, transfer, to, &out));
  TX_TRY(tx_ghosts_fill(to, out));
  TX_TRY(hash_patches(to, out, hash));
  MPI_Allreduce(MPI_IN_PLACE, hash, 1, MPI_UINT64_T, MPI_SUM, now->comm);
  tx_transfer_destroy(transfer);
  tx_field_destroy(f);
  tx_field_destroy(out);
  tx_exec_destroy(*x);
  tx_mesh_destroy(*mesh);
  *mesh = now;
  *x = to;
  return TX_OK;
}

/* Ghosts, edges and children of all levels of a forest, whose channels are connected together. */
static tx_status exchange_levels(MPI_Comm comm, uint64_t *hash) {
  static const double at_end[TX_STORED_STAGES] = {0.0, 0.0, 0.0, 0.0, 1.0};
  tx_test_ladder l = tx_test_ladder_random(comm, tx_test_domain(5), 2, false);
  const noise n = {l.domain, 0};
  TX_TRY(tx_test_fill(l.u, noise_value, &n));
  tx_test_ladder_poison(&l);
  tx_test_ladder_load(&l);
  for (int i = 0; i < l.n; i++) {
    uint64_t part;
    if (i > 0) TX_TRY(tx_stage_store(l.x[i], TX_STORED_STAGES - 1, l.f[i - 1]));
    TX_TRY(tx_level_boundary_make(l.x[i], at_end, l.f[i]));
    TX_TRY(tx_ghosts_fill(l.x[i], l.f[i]));
    TX_TRY(hash_patches(l.x[i], l.f[i], &part));
    *hash = 31 * *hash + part;
  }
  MPI_Allreduce(MPI_IN_PLACE, hash, 1, MPI_UINT64_T, MPI_SUM, comm);
  tx_test_ladder_destroy(&l);
  return TX_OK;
}

static tx_status run_series(MPI_Comm comm, outcome *o) {
  const tx_domain domain = {.extent = 4.0,
                            .low = {TX_FACE_OUTER, TX_FACE_PERIODIC, TX_FACE_REFLECT},
                            .high = {TX_FACE_OUTER, TX_FACE_PERIODIC, TX_FACE_OUTER}};
  tx_octree *tree = NULL;
  tx_mesh *mesh = NULL;
  tx_exec *x = NULL;
  memset(o, 0, sizeof *o);
  TX_TRY(tx_test_random_tree(comm, &domain, 8, 1, 1, 2, &tree, &mesh));
  TX_TRY(tx_exec_create(mesh, TX_TEST_VARS + 1, &x));
  for (int round = 0; round < ROUNDS; round++) {
    if (round > 0) TX_TRY(regrid(tree, &domain, round, &mesh, &x, &o->moved[round]));
    if (round < ROUNDS - 1) TX_TRY(exchange(x, &domain, o->patches[round]));
  }
  tx_exec_destroy(x);
  tx_mesh_destroy(mesh);
  tx_octree_destroy(tree);
  return exchange_levels(comm, &o->levels);
}

/* From now on n ranks that follow each other are taken for a host, 0: those of a real one. */
static void pretend(const char *n) {
  if (n)
    setenv("TENDEX_HOST_GROUPS", n, 1);
  else
    unsetenv("TENDEX_HOST_GROUPS");
}

/* The backend anew with a transport; false, with the reason on the screen, if it does not work here. */
static bool restart(int transport) {
  const tx_cuda_config config = {.transport = transport};
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  tx_exec_use(&tx_backend_cpu);
  tx_cuda_stop();
  const tx_status status = tx_cuda_start(MPI_COMM_WORLD, &config);
  if (rank == 0 && status != TX_OK) printf("# not tried: %s\n", tx_error_text());
  if (rank == 0 && status == TX_OK)
    printf("# %s (%s)\n", tx_cuda_transport(), tx_cuda_transport_why());
  tx_error_clear();
  if (status == TX_OK) tx_exec_use(&tx_backend_cuda);
  return status == TX_OK;
}

static outcome alone;

static void one_rank(void **state) {
  const tx_domain any = tx_test_domain(0);
  tx_octree *held = NULL; /* keeps the forest library, which starts on all ranks, from ending */
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  OK(tx_octree_create(MPI_COMM_WORLD, &any, 0, &held));
  if (rank == 0 && run_series(MPI_COMM_SELF, &alone) != TX_OK) fail_msg("%s", tx_error_text());
  test_wait();
  MPI_Bcast(&alone, sizeof alone, MPI_BYTE, 0, MPI_COMM_WORLD);
  tx_octree_destroy(held);
  for (int i = 1; i < FILLS; i++) assert_true(alone.patches[0][i] != alone.patches[0][i - 1]);
}

static void transports_agree(void **state) {
  pretend(NULL);
  int tried = 0, size;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (size_t t = 0; t < sizeof transports / sizeof *transports && size > 1; t++) {
    outcome o;
    if (transports[t].number == TX_TRANSPORT_HIERARCHICAL) continue; /* hosts_agree */
    if (!restart(transports[t].number)) {
      /* These two work wherever there are GPUs. */
      assert_true(transports[t].number != TX_TRANSPORT_AUTO);
      assert_true(transports[t].number != TX_TRANSPORT_STAGED);
      continue;
    }
    tried++;
    /* Less than what moves: several pieces of each message. Peer memory: by copies, and straight. */
    tx_cuda_transport_limits(600.0, t % 2 ? 3000 : 0, t % 2 ? 0 : -1);
    if (run_series(MPI_COMM_WORLD, &o) != TX_OK) fail_msg("%s", tx_error_text());
    assert_memory_equal(&o, &alone, sizeof o);
  }
  tx_cuda_transport_limits(600.0, 0, -1);
  assert_true(tried >= 2 || size == 1);
  assert_true(restart(TX_TRANSPORT_AUTO));
}

/* Pretended hosts of two ranks: peer memory within, MPI between them, by itself and through the hosts' memory. */
static void hosts_agree(void **state) {
  int size;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  pretend("2");
  for (int plain = 0; plain < 2 && size > 1; plain++) {
    outcome o;
    if (plain) setenv("TX_CUDA_HOST_PLAIN_MPI", "1", 1);
    assert_true(restart(TX_TRANSPORT_HIERARCHICAL));
    tx_cuda_transport_limits(600.0, plain ? 3000 : 0, plain ? 0 : -1);
    if (run_series(MPI_COMM_WORLD, &o) != TX_OK) fail_msg("%s", tx_error_text());
    assert_memory_equal(&o, &alone, sizeof o);
  }
  unsetenv("TX_CUDA_HOST_PLAIN_MPI");
  pretend(NULL);
  tx_cuda_transport_limits(600.0, 0, -1);
  assert_true(restart(TX_TRANSPORT_AUTO));
}

/* What auto takes on one host, on hosts of two ranks, and on hosts of one, where peer memory helps nobody. */
static void auto_sees_hosts(void **state) {
  int size;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (size == 1) return;
  pretend("2");
  assert_true(restart(TX_TRANSPORT_AUTO));
  const bool within = strstr(tx_cuda_transport(), "peer memory within hosts, ") != NULL;
  assert_true(within == (size > 2));
  if (within) assert_non_null(strstr(tx_cuda_transport_why(), "the ranks are on several hosts"));
  pretend("1");
  assert_true(restart(TX_TRANSPORT_AUTO));
  assert_null(strstr(tx_cuda_transport(), "peer memory"));
  assert_non_null(strstr(tx_cuda_transport_why(), "no two ranks reach the memory of each other"));
  assert_false(restart(TX_TRANSPORT_HIERARCHICAL));
  assert_false(restart(TX_TRANSPORT_PEER));
  pretend("two");
  assert_false(restart(TX_TRANSPORT_AUTO));
  pretend(NULL);
  assert_true(restart(TX_TRANSPORT_AUTO));
}

/* Peer memory for more than is exchanged later is given back. */
static void idle_memory_goes(void **state) {
  const tx_domain domain = tx_test_domain(0);
  tx_octree *tree = NULL;
  tx_mesh *mesh = NULL;
  size_t before = 0, after = 0;
  int size;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (size == 1 || !restart(TX_TRANSPORT_PEER)) {
    assert_true(restart(TX_TRANSPORT_AUTO));
    return;
  }
  OK(tx_test_random_tree(MPI_COMM_WORLD, &domain, 1, 1, 2, 3, &tree, &mesh));
  for (int round = 0; round < 20; round++) {
    tx_exec *x[3] = {NULL};
    for (int i = 0; i < 3; i++) OK(tx_exec_create(mesh, round == 1 ? TX_FIELD_VARS : 1, &x[i]));
    after = tx_test_memory_in_use();
    if (round == 0) before = after;
    for (int i = 0; i < 3; i++) tx_exec_destroy(x[i]);
  }
  if (after > before + ((size_t)4 << 20))
    fail_msg("%zu bytes at first, %zu in the end", before, after);
  tx_mesh_destroy(mesh);
  tx_octree_destroy(tree);
  assert_true(restart(TX_TRANSPORT_AUTO));
}

/* A rank that does not take part: the others get an error instead of waiting for ever. */
static void absence_is_noticed(void **state) {
  int rank, size;
  const tx_domain domain = tx_test_domain(0);
  tx_octree *tree = NULL;
  tx_mesh *mesh = NULL;
  tx_exec *x = NULL;
  tx_field *f = NULL;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (size == 1 || !restart(TX_TRANSPORT_PEER)) {
    assert_true(restart(TX_TRANSPORT_AUTO));
    return;
  }
  OK(tx_test_random_tree(MPI_COMM_WORLD, &domain, 1, 1, 1, 2, &tree, &mesh));
  OK(tx_exec_create(mesh, 1, &x));
  OK(tx_field_create(x, 1, NULL, &f));
  OK(tx_ghosts_fill(x, f));
  OK(tx_agree(MPI_COMM_WORLD, tx_cuda_wait()));
  tx_cuda_transport_limits(0.5, 0, -1);
  if (rank == 0) {
    OK(tx_ghosts_fill(x, f));
    assert_int_equal(tx_cuda_wait(), TX_ERR_LIBRARY);
    assert_non_null(strstr(tx_error_text(), "did not arrive"));
    tx_error_clear();
    assert_int_equal(tx_ghosts_fill(x, f), TX_ERR_LIBRARY);
    tx_error_clear();
  }
  MPI_Barrier(MPI_COMM_WORLD);
  tx_field_destroy(f);
  tx_exec_destroy(x);
  tx_mesh_destroy(mesh);
  tx_octree_destroy(tree);
  tx_cuda_transport_limits(600.0, 0, -1);
  assert_true(restart(TX_TRANSPORT_AUTO));
}

/* Rank 1 of three is killed, or its GPU fails, in an exchange that the others wait for: the program ends, with a message
 * that a pattern in CMakeLists.txt matches. Comes back if the ranks can agree. */
static int end_in_exchange(const char *how) {
  int rank;
  const tx_domain domain = tx_test_domain(0);
  tx_octree *tree = NULL;
  tx_mesh *mesh = NULL;
  tx_exec *x = NULL;
  tx_field *f = NULL;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  tx_cuda_watch_grace(0.5);
  OK(tx_test_random_tree(MPI_COMM_WORLD, &domain, 1, 1, 1, 2, &tree, &mesh));
  OK(tx_exec_create(mesh, 1, &x));
  OK(tx_field_create(x, 1, NULL, &f));
  OK(tx_ghosts_fill(x, f));
  OK(tx_agree(MPI_COMM_WORLD, tx_cuda_wait()));
  if (rank == 1 && strcmp(how, "killed") == 0) raise(SIGKILL);
  if (rank == 1) setenv("TX_CUDA_HOST_FAIL", "1", 1);
  const tx_status status = tx_agree(MPI_COMM_WORLD, tx_ghosts_fill(x, f));
  printf("# all ranks agree: %d, %s\n", (int)status, tx_error_text());
  return 1;
}

static int run(int argc, char **argv) {
  if (argc > 1) return end_in_exchange(argv[1]);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(one_rank),         cmocka_unit_test(transports_agree),
      cmocka_unit_test(hosts_agree),      cmocka_unit_test(auto_sees_hosts),
      cmocka_unit_test(idle_memory_goes), cmocka_unit_test(absence_is_noticed),
  };
  if (!tx_test_on_gpu()) {
    print_error("TENDEX_TEST_BACKEND must be cuda\n");
    return 1;
  }
  return cmocka_run_group_tests(tests, NULL, NULL);
}

TEST_MAIN_WITH(run(argc, argv))
