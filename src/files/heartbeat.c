#include "files/heartbeat.h"

#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>
#include "base/memory.h"

struct tx_heartbeat {
  pthread_t thread;
  int stop; /* can be read from when it shall end */
  char path[PATH_MAX];
  tx_owner self;
};

static void *beats(void *of) {
  tx_heartbeat *h = of;
  struct pollfd stop = {.fd = h->stop, .events = POLLIN};
  while (poll(&stop, 1, 1000 * TX_HEARTBEAT_S) == 0) {
    h->self.beat++;
    tx_owner_renew(h->path, &h->self);
  }
  return NULL;
}

/* Signals are the other threads'. */
static int start_thread(tx_heartbeat *h) {
  sigset_t all, before;
  sigfillset(&all);
  int bad = pthread_sigmask(SIG_SETMASK, &all, &before);
  if (bad) return bad;
  bad = pthread_create(&h->thread, NULL, beats, h);
  (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
  return bad;
}

tx_status tx_heartbeat_start(const char *path, const tx_owner *self, tx_heartbeat **out) {
  tx_heartbeat *h = NULL;
  *out = NULL;
  TX_TRY(tx_alloc(1, sizeof *h, "heartbeat", &h));
  snprintf(h->path, sizeof h->path, "%s", path);
  h->self = *self;
  h->stop = eventfd(0, EFD_CLOEXEC);
  if (h->stop >= 0 && start_thread(h) == 0) {
    *out = h;
    return TX_OK;
  }
  if (h->stop >= 0) close(h->stop);
  tx_free(h);
  TX_FAIL(TX_ERR_MEMORY,
          "cannot start the thread that renews %s; raise the limits of processes and open files "
          "(ulimit -u, ulimit -n)",
          path);
}

void tx_heartbeat_stop(tx_heartbeat *h) {
  const uint64_t one = 1;
  if (!h) return;
  /* It fails only where the thread has been told before. */
  if (write(h->stop, &one, sizeof one) == (ssize_t)sizeof one) (void)pthread_join(h->thread, NULL);
  close(h->stop);
  tx_free(h);
}
