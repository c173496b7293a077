#include "machine/machine.h"

#include <omp.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <time.h>

/* The processor's name, "" if the system does not tell. */
static void processor(char *text, size_t size) {
  char line[512];
  text[0] = '\0';
  FILE *f = fopen("/proc/cpuinfo", "r");
  if (!f) return;
  while (fgets(line, sizeof line, f)) {
    if (strncmp(line, "model name", 10) != 0) continue;
    char *value = strchr(line, ':');
    if (!value) continue;
    value += strspn(value, ": \t");
    value[strcspn(value, "\n")] = '\0';
    snprintf(text, size, "%s", value);
    break;
  }
  fclose(f);
}

void tx_machine_text(char *text, size_t size) {
  struct utsname u;
  char name[256];
  processor(name, sizeof name);
  if (uname(&u) != 0) memset(&u, 0, sizeof u);
  snprintf(text, size, "%s, %s, %s %s", u.nodename, name[0] ? name : u.machine, u.sysname,
           u.release);
}

void tx_machine_date(char *text, size_t size) {
  struct tm tm;
  time_t now = time(NULL);
  text[0] = '\0';
  if (localtime_r(&now, &tm)) strftime(text, size, "%Y-%m-%dT%H:%M:%S%z", &tm);
}

int tx_machine_threads(void) {
  return omp_get_max_threads();
}

size_t tx_machine_resident_bytes(void) {
  struct rusage usage;
  return getrusage(RUSAGE_SELF, &usage) == 0 ? (size_t)usage.ru_maxrss * 1024 : 0;
}
