/* Ranks of a host watch over each other, so that nobody waits for ever for one that has ended or failed: kernels and NCCL cannot
 * be asked to stop, and a launcher may leave other ranks alone. Each rank has a seat in memory that they share, with a
 * robust mutex that a thread of its own holds for as long as the rank runs: the system hands the mutex to others when
 * the process ends, however it does. The thread ends the program when
 *
 * - a rank of this host has ended before it left its seat;
 * - an exchange of a rank of this host failed, and after a grace the ranks have not yet agreed to end, as others wait for
 *   what it should have sent;
 * - the transport reports trouble with a rank of another host.
 *
 * Ranks of other hosts are ended by the launcher, as this program leaves with an error. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include <atomic>

#include "cuda/exchange/transport.h"

#define LOOK_S   0.25
#define SETTLE_S 1.0

enum { TEXT = 512 };

static double grace_s = 20.0;

struct seat {
  pthread_mutex_t alive;
  int rank, process;
  std::atomic<double> failed; /* when, s; 0: not */
  char text[TEXT];            /* the failure; complete before `failed` is set */
};

struct room {
  std::atomic<int> told; /* one rank says why all end */
  seat seats[];          /* of the ranks of the host */
};

static struct {
  room *shared; /* NULL: nobody watches */
  size_t bytes;
  int own, n;
  const tx_transport *transport;
  pthread_t thread;
  bool runs;
  std::atomic<bool> seated, all, over;
} watch;

void tx_cuda_watch_grace(double seconds) {
  grace_s = seconds;
}

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void nap(double seconds) {
  struct timespec t = {(time_t)seconds, (long)((seconds - (double)(time_t)seconds) * 1e9)};
  nanosleep(&t, NULL);
}

static void end_program(const char *text) __attribute__((noreturn));
static void end_program(const char *text) {
  if (watch.shared->told.exchange(1) == 0) {
    fprintf(stderr, "tendex: error: %s\n  (%s, code %s)\n", text, __FILE__,
            tx_status_name(TX_ERR_LIBRARY));
    fflush(stderr);
  }
  _exit(TX_ERR_LIBRARY);
}

static bool has_ended(seat *s) {
  const int code = pthread_mutex_trylock(&s->alive);
  if (code == 0 || code == EOWNERDEAD) (void)pthread_mutex_unlock(&s->alive);
  return code == EOWNERDEAD || code == ENOTRECOVERABLE;
}

static void look_at_seats(void) {
  char text[2 * TEXT];
  for (int i = 0; i < watch.n; i++) {
    seat *s = &watch.shared->seats[i];
    const double failed = s->failed.load(std::memory_order_acquire);
    if (i != watch.own && has_ended(s)) {
      snprintf(text, sizeof text,
               "rank %d (process %d) has ended, and the other ranks cannot exchange ghosts with it "
               "(by %s); go on with tendex run --restart FOLDER",
               s->rank, s->process, watch.transport->name);
      end_program(text);
    }
    if (failed > 0.0 && now() - failed > grace_s) {
      snprintf(text, sizeof text,
               "rank %d: %s; for %g s other ranks have waited for what it should have sent by %s",
               s->rank, s->text, grace_s, watch.transport->name);
      end_program(text);
    }
  }
}

/* Look for trouble that the transport reports. A rank that has ended is the better explanation. */
static void look_at_transport(void) {
  char trouble[TEXT], text[2 * TEXT];
  if (!watch.transport->trouble || !watch.transport->trouble(trouble, sizeof trouble)) return;
  nap(SETTLE_S);
  if (watch.over) return;
  look_at_seats();
  snprintf(text, sizeof text,
           "%s; a rank of another host has ended, or the network between them failed", trouble);
  end_program(text);
}

static void *keep_watch(void *unused) {
  seat *own = &watch.shared->seats[watch.own];
  (void)unused;
  (void)pthread_mutex_lock(&own->alive);
  watch.seated = true;
  while (!watch.over) {
    nap(LOOK_S);
    if (watch.over) break;
    if (!watch.all) continue;
    look_at_seats();
    look_at_transport();
  }
  (void)pthread_mutex_unlock(&own->alive);
  return NULL;
}

tx_status tx_cuda_watch_failed(tx_status status) {
  if (status == TX_OK || !watch.shared) return status;
  seat *own = &watch.shared->seats[watch.own];
  if (own->failed.load() > 0.0) return status;
  snprintf(own->text, sizeof own->text, "%s", tx_error_text());
  own->failed.store(now(), std::memory_order_release);
  return status;
}

/* Open, or make, the memory that the ranks of a host share, by name. */
static tx_status open_room(const char *name, bool make) {
  const int file = shm_open(name, make ? O_RDWR | O_CREAT | O_EXCL : O_RDWR, 0600);
  TX_REQUIRE(file >= 0, TX_ERR_LIBRARY, "shm_open: %s", strerror(errno));
  void *at = MAP_FAILED;
  if (!make || ftruncate(file, (off_t)watch.bytes) == 0)
    at = mmap(NULL, watch.bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  const int problem = errno;
  close(file);
  TX_REQUIRE(at != MAP_FAILED, TX_ERR_LIBRARY, "mmap: %s", strerror(problem));
  watch.shared = static_cast<room *>(at);
  return TX_OK;
}

static tx_status take_seat(int rank) {
  seat *own = &watch.shared->seats[watch.own];
  pthread_mutexattr_t how;
  own->rank = rank;
  own->process = (int)getpid();
  bool good = pthread_mutexattr_init(&how) == 0;
  good = good && pthread_mutexattr_setpshared(&how, PTHREAD_PROCESS_SHARED) == 0 &&
         pthread_mutexattr_setrobust(&how, PTHREAD_MUTEX_ROBUST) == 0 &&
         pthread_mutex_init(&own->alive, &how) == 0;
  (void)pthread_mutexattr_destroy(&how);
  TX_REQUIRE(good, TX_ERR_LIBRARY, "robust mutexes are missing");
  const int code = pthread_create(&watch.thread, NULL, keep_watch, NULL);
  TX_REQUIRE(code == 0, TX_ERR_LIBRARY, "pthread_create: %s", strerror(code));
  watch.runs = true;
  while (!watch.seated) nap(1e-4);
  return TX_OK;
}

static tx_status enter(MPI_Comm host, int rank) {
  char name[64] = "";
  if (watch.own == 0) snprintf(name, sizeof name, "/tendex-%d-%.0f", (int)getpid(), now() * 1e9);
  TX_MPI(MPI_Bcast(name, sizeof name, MPI_CHAR, 0, host));
  tx_status status = TX_OK;
  if (watch.own == 0) status = open_room(name, true);
  status = tx_agree(host, status);
  if (status == TX_OK && watch.own > 0) status = open_room(name, false);
  status = tx_agree(host, status);
  if (watch.own == 0) (void)shm_unlink(name);
  TX_THEN(status, take_seat(rank));
  return status;
}

tx_status tx_cuda_watch_start(MPI_Comm comm, const tx_transport *transport) {
  MPI_Comm host;
  int rank = 0;
  TX_MPI(MPI_Comm_rank(comm, &rank));
  TX_MPI(MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host));
  TX_MPI(MPI_Comm_rank(host, &watch.own));
  TX_MPI(MPI_Comm_size(host, &watch.n));
  watch.bytes = sizeof(room) + (size_t)watch.n * sizeof(seat);
  watch.transport = transport;
  watch.over = watch.seated = watch.all = watch.runs = false;
  tx_status status = enter(host, rank);
  TX_MPI(MPI_Comm_free(&host));
  status = tx_agree(comm, status);
  watch.all = status == TX_OK;
  return status;
}

void tx_cuda_watch_stop(void) {
  watch.over = true;
  if (watch.runs) (void)pthread_join(watch.thread, NULL);
  watch.runs = false;
  if (watch.shared) (void)munmap(watch.shared, watch.bytes);
  watch.shared = NULL;
}
