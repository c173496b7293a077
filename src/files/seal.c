/* The user block of a checkpoint and its checksum: what is read before HDF5 sees the file. */
#define _GNU_SOURCE
#include "files/seal.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/memory.h"
#include "base/version.h"
#include "files/file.h"

#define MAGIC  "tendex checkpoint"
#define FORMAT 6
/* Bytes that a thread sums up at a time, and that it reads at a time. */
#define PIECE 1048576
#define READ  65536
/* Room for the name of a system. */
#define NAME 128

/* The system of that name, or NULL. */
static const tx_system *system_of(const char *name) {
  const tx_system *system;
  for (int i = 0; (system = tx_system_numbered(i)); i++)
    if (strcmp(system->name, name) == 0) break;
  return system;
}

/* The lines above that of the checksum; returns their length. */
static size_t head_text(const tx_seal_head *head, const char *code, char text[TX_SEAL_BYTES]) {
  int n = snprintf(text, TX_SEAL_BYTES,
                   MAGIC "\nformat %d\noctant_points %d\nsystem %s %016" PRIx64
                         "\ncode %s\nstep %" PRId64 "\ntime %.17g\nlength %" PRIu64 "\n",
                   FORMAT, TX_N, head->system->name, head->system->digest, code, head->step,
                   head->t, head->length);
  return (size_t)n;
}

/* The whole block: lines, checksum, zeros. */
static void head_block(const tx_seal_head *head, const char *code, char block[TX_SEAL_BYTES]) {
  memset(block, 0, TX_SEAL_BYTES);
  size_t n = head_text(head, code, block);
  snprintf(block + n, TX_SEAL_BYTES - n, "checksum %016" PRIx64 "\n", head->checksum);
}

/* CRC of the bytes [at, end) of the file; 0 or errno. */
static int sum_piece(int fd, uint64_t at, uint64_t end, uint64_t *crc) {
  char piece[READ];
  *crc = 0;
  while (at < end) {
    ssize_t n = pread(fd, piece, end - at < READ ? (size_t)(end - at) : READ, (off_t)at);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return n < 0 ? errno : EIO;
    *crc = tx_crc64(*crc, piece, (size_t)n);
    at += (uint64_t)n;
  }
  return 0;
}

/* Compute the CRC of any number of bytes by all threads, going on from *crc; 0 or errno. */
static int sum_bytes(int fd, uint64_t from, uint64_t to, uint64_t *crc) {
  uint64_t sum = tx_crc64_share(*crc, to - from);
  int bad = 0;
#pragma omp parallel for schedule(dynamic) reduction(^ : sum) reduction(max : bad) \
    if (to - from > PIECE)
  for (uint64_t at = from; at < to; at += PIECE) {
    const uint64_t end = to - at < PIECE ? to : at + PIECE;
    uint64_t part;
    const int failed = sum_piece(fd, at, end, &part);
    if (failed > bad) bad = failed;
    sum ^= tx_crc64_share(part, to - end);
  }
  *crc = sum;
  return bad;
}

static int write_block(int fd, const char block[TX_SEAL_BYTES]) {
  for (size_t at = 0; at < TX_SEAL_BYTES;) {
    ssize_t n = pwrite(fd, block + at, TX_SEAL_BYTES - at, (off_t)at);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return n < 0 ? errno : ENOSPC;
    at += (size_t)n;
  }
  return 0;
}

/* 0 or errno. */
static int seal(int fd, const tx_system *system, int64_t step, double t,
                const tx_seal_part *known) {
  char block[TX_SEAL_BYTES];
  struct stat s;
  if (fstat(fd, &s) != 0) return errno;
  tx_seal_head head = {.system = system, .step = step, .t = t, .length = (uint64_t)s.st_size};
  head.checksum = tx_crc64(0, block, head_text(&head, tx_version(), block));
  int bad = sum_bytes(fd, TX_SEAL_BYTES, known->at, &head.checksum);
  head.checksum = tx_crc64_share(head.checksum, known->bytes) ^ known->crc;
  if (!bad) bad = sum_bytes(fd, known->at + known->bytes, head.length, &head.checksum);
  if (bad) return bad;
  head_block(&head, tx_version(), block);
  if ((bad = write_block(fd, block))) return bad;
  /* Gives back what was reserved and not used. */
  if (ftruncate(fd, s.st_size) != 0) return errno;
  return tx_fd_sync(fd);
}

tx_status tx_seal_write(const char *path, const tx_system *system, int64_t step, double t,
                        const tx_seal_part *known) {
  static const tx_seal_part nothing = {.at = TX_SEAL_BYTES};
  int fd = open(path, O_RDWR | O_CLOEXEC);
  int bad = fd < 0 ? errno : seal(fd, system, step, t, known ? known : &nothing);
  if (fd >= 0 && close(fd) != 0 && !bad) bad = errno;
  return bad ? tx_file_failed(path, strerror(bad)) : TX_OK;
}

__attribute__((format(printf, 3, 4))) static bool no(char *why, size_t size, const char *format,
                                                     ...) {
  va_list args;
  va_start(args, format);
  vsnprintf(why, size, format, args);
  va_end(args);
  return false;
}

/* The code version that a block names, whatever its format. */
static void code_of(const char block[TX_SEAL_BYTES], char code[64]) {
  const char *line = strstr(block, "\ncode ");
  if (!line || sscanf(line, " code %63s", code) != 1) snprintf(code, 64, "that wrote it");
}

/* Is the block of this program's format and layout? Takes head and code version out of it. *other: it seems to be
 * of another build. */
static bool parse(const char block[TX_SEAL_BYTES], tx_seal_head *head, char code[64], bool *other,
                  char *why, size_t size) {
  int format = 0, points = 0;
  char name[NAME] = "";
  uint64_t digest = 0;
  *other = false;
  if (memchr(block, '\0', TX_SEAL_BYTES) == NULL ||
      sscanf(block, MAGIC " format %d octant_points %d", &format, &points) < 1)
    return no(why, size, "it does not begin as a checkpoint does");
  code_of(block, code);
  *other = true;
  if (format != FORMAT)
    return no(why, size,
              "it has format %d, and this program reads format %d: restart with version %s", format,
              FORMAT, code);
  if (points != TX_N)
    return no(why, size,
              "its octants have %d points a side, this program's %d: restart with a build for such "
              "octants (cmake -DTENDEX_N=%d)",
              points, TX_N, points);
  int n = sscanf(block,
                 MAGIC " format %*d octant_points %*d system %127s %" SCNx64
                       " code %63s step %" SCNd64 " time %lg length %" SCNu64 " checksum %" SCNx64,
                 name, &digest, code, &head->step, &head->t, &head->length, &head->checksum);
  head->system = system_of(name);
  *other = n >= 2 && !(head->system && head->system->digest == digest);
  if (*other && !head->system)
    return no(why, size, "this program does not have the system %s: restart with version %s", name,
              code);
  if (*other)
    return no(why, size,
              "variables or equations of the system %s differ from this program's: restart with "
              "version %s and the description of that run",
              name, code);
  if (n != 7) return no(why, size, "its first lines are damaged");
  return true;
}

/* Does the checksum say that nothing was damaged? It lies in the same place in all formats so far. */
static bool is_whole(int fd, const char block[TX_SEAL_BYTES], uint64_t length) {
  const char *line = strstr(block, "\nchecksum ");
  uint64_t sum = 0;
  if (!line || sscanf(line, " checksum %" SCNx64, &sum) != 1) return false;
  uint64_t crc = tx_crc64(0, block, (size_t)(line + 1 - block));
  return sum_bytes(fd, TX_SEAL_BYTES, length, &crc) == 0 && crc == sum;
}

static bool good(int fd, bool whole, bool *other, char *why, size_t size) {
  char block[TX_SEAL_BYTES], again[TX_SEAL_BYTES], code[64];
  tx_seal_head head;
  struct stat s;
  if (fstat(fd, &s) != 0) return no(why, size, "%s", strerror(errno));
  if (!S_ISREG(s.st_mode)) return no(why, size, "it is not a file");
  if (pread(fd, block, sizeof block, 0) != (ssize_t)sizeof block)
    return no(why, size, "it is cut short at %lld bytes", (long long)s.st_size);
  if (!parse(block, &head, code, other, why, size)) {
    *other = *other && whole && is_whole(fd, block, (uint64_t)s.st_size);
    return false;
  }
  head_block(&head, code, again);
  if (memcmp(block, again, sizeof block) != 0) return no(why, size, "its first lines are damaged");
  if (head.length != (uint64_t)s.st_size)
    return no(why, size, "it has %lld bytes and should have %" PRIu64, (long long)s.st_size,
              head.length);
  if (!whole) return true;
  uint64_t crc = tx_crc64(0, again, head_text(&head, code, again));
  int bad = sum_bytes(fd, TX_SEAL_BYTES, head.length, &crc);
  if (bad) return no(why, size, "it cannot be read: %s", strerror(bad));
  if (crc != head.checksum)
    return no(why, size, "it is damaged: its checksum is %016" PRIx64 " and should be %016" PRIx64,
              crc, head.checksum);
  return true;
}

tx_seal_kind tx_seal_look(const char *path, bool whole, char *why, size_t size) {
  bool other = false;
  int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC); /* it may be a pipe */
  if (fd < 0) {
    no(why, size, "it cannot be opened: %s", strerror(errno));
    return TX_SEAL_BAD;
  }
  bool ok = good(fd, whole, &other, why, size);
  close(fd);
  return ok ? TX_SEAL_GOOD : other ? TX_SEAL_OTHER : TX_SEAL_BAD;
}

bool tx_seal_good(const char *path, bool whole, char *why, size_t size) {
  return tx_seal_look(path, whole, why, size) == TX_SEAL_GOOD;
}
