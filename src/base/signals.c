#include "base/signals.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* Signals that mpirun or a queue sends twice, by two ways, count once if no more than this apart. */
#define ONCE_S 1.0

static const struct {
  int number;
  const char *name, *said;
} signals[] = {
#define SIGNAL(name)                                                                               \
  { name, #name, "tendex: " #name ": finishing the step, writing a checkpoint, then exiting\n" }
    SIGNAL(SIGTERM), SIGNAL(SIGINT), SIGNAL(SIGUSR1), SIGNAL(SIGUSR2), SIGNAL(SIGHUP),
#undef SIGNAL
};
#define SIGNALS (sizeof signals / sizeof signals[0])

static const char at_once[] = "tendex: ended at once by a second signal\n";

static struct sigaction before[SIGNALS];
static bool caught, speaks_here;
static volatile sig_atomic_t received;
static double received_s;

static double clock_s(void) {
  struct timespec t = {0, 0};
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* In a handler a line that cannot be written is lost. */
static void say(const char *line) {
  if (speaks_here && write(STDERR_FILENO, line, strlen(line)) < 0) return;
}

static void take_note(int number) {
  int kept = errno;
  if (!received) {
    received_s = clock_s();
    received = number;
    for (size_t i = 0; i < SIGNALS; i++)
      if (signals[i].number == number) say(signals[i].said);
  } else if (clock_s() - received_s > ONCE_S) {
    say(at_once);
    _exit(TX_ERR_INTERRUPT);
  }
  errno = kept;
}

tx_status tx_signals_catch(bool speaks) {
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = take_note;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  for (size_t i = 0; i < SIGNALS; i++) sigaddset(&action.sa_mask, signals[i].number);
  speaks_here = speaks;
  received = 0;
  for (size_t i = 0; i < SIGNALS; i++) {
    bool ok = sigaction(signals[i].number, NULL, &before[i]) == 0;
    if (ok && before[i].sa_handler != SIG_IGN)
      ok = sigaction(signals[i].number, &action, NULL) == 0;
    TX_REQUIRE(ok, TX_ERR_LIBRARY, "cannot handle %s: %s", signals[i].name, strerror(errno));
  }
  caught = true;
  return TX_OK;
}

tx_status tx_signals_ignore_pipes(void) {
  TX_REQUIRE(signal(SIGPIPE, SIG_IGN) != SIG_ERR, TX_ERR_LIBRARY, "cannot ignore SIGPIPE: %s",
             strerror(errno));
  return TX_OK;
}

void tx_signals_release(void) {
  for (size_t i = 0; caught && i < SIGNALS; i++) sigaction(signals[i].number, &before[i], NULL);
  caught = false;
}

int tx_signals_received(void) {
  return received;
}

const char *tx_signal_name(int number) {
  for (size_t i = 0; i < SIGNALS; i++)
    if (signals[i].number == number) return signals[i].name;
  return "a signal";
}
