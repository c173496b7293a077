#define _GNU_SOURCE
#include "machine/hosts.h"

#include <elf.h>
#include <link.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include "base/memory.h"
#include "base/mpi_found.h"
#include "base/version.h"

enum { NAMED = 8, TEXT = 1024 }; /* hosts that the text names, and its length */

/* Program of a rank, as ranks tell each other. Other versions read it, too: it stays as it is. */
typedef struct program {
  char version[128], build[512], id[64], mpi[64], host[256];
} program;

static char text[TEXT];

/* Write the linker's number of a program into `id`, unless its notes have none. */
static void find_id(const char *notes, size_t size, char *id, size_t length) {
  for (size_t at = 0; at + sizeof(ElfW(Nhdr)) <= size;) {
    ElfW(Nhdr) note;
    memcpy(&note, notes + at, sizeof note);
    const size_t name = at + sizeof note, content = name + (note.n_namesz + 3) / 4 * 4;
    at = content + (note.n_descsz + 3) / 4 * 4;
    if (at > size || note.n_type != NT_GNU_BUILD_ID || note.n_namesz != sizeof ELF_NOTE_GNU ||
        memcmp(notes + name, ELF_NOTE_GNU, sizeof ELF_NOTE_GNU) != 0)
      continue;
    for (size_t i = 0; i < note.n_descsz && 2 * i + 2 < length; i++)
      snprintf(id + 2 * i, length - 2 * i, "%02x", (unsigned char)notes[content + i]);
  }
}

/* Look at the first object that is loaded, the program. */
static int look_at(struct dl_phdr_info *object, size_t size, void *of) {
  program *p = of;
  (void)size;
  for (int i = 0; i < object->dlpi_phnum; i++) {
    const ElfW(Phdr) *part = &object->dlpi_phdr[i];
    if (part->p_type != PT_NOTE) continue;
    const char *notes = (const char *)(object->dlpi_addr + part->p_vaddr);
    find_id(notes, part->p_memsz, p->id, sizeof p->id);
  }
  return 1;
}

static tx_status describe(program *p) {
  char host[MPI_MAX_PROCESSOR_NAME] = "";
  int length = 0;
  memset(p, 0, sizeof *p);
  snprintf(p->version, sizeof p->version, "%s", tx_version());
  snprintf(p->build, sizeof p->build, "%s", tx_build());
  tx_mpi_name(p->mpi, sizeof p->mpi);
  dl_iterate_phdr(look_at, p);
  TX_MPI(MPI_Get_processor_name(host, &length));
  snprintf(p->host, sizeof p->host, "%.*s", (int)sizeof p->host - 1, host);
  return TX_OK;
}

/* Compare this rank's program with that of rank 0. */
static tx_status compare(int rank, const program *mine, const program *first) {
  TX_REQUIRE(strcmp(mine->version, first->version) == 0 && strcmp(mine->build, first->build) == 0,
             TX_ERR_LIBRARY,
             "rank %d on %s runs tendex %s (%s), and rank 0 on %s runs %s (%s): install one build "
             "on all hosts, and start it by the same path",
             rank, mine->host, mine->version, mine->build, first->host, first->version,
             first->build);
  TX_REQUIRE(strcmp(mine->id, first->id) == 0, TX_ERR_LIBRARY,
             "rank %d on %s runs another build of tendex %s (%s) than rank 0 on %s (%s): install "
             "one build on all hosts, and start it by the same path",
             rank, mine->host, mine->version, mine->id, first->host, first->id);
  TX_REQUIRE(strcmp(mine->mpi, first->mpi) == 0, TX_ERR_LIBRARY,
             "rank %d on %s has found %s, and rank 0 on %s %s: install one MPI on all hosts (`ldd "
             "tendex' shows which library is found)",
             rank, mine->host, mine->mpi, first->host, first->mpi);
  return TX_OK;
}

/* Write the text of the hosts of all ranks. Returns how many they are. */
static int count(int ranks, const program *all) {
  char list[TEXT - 64] = "";
  int hosts = 0;
  size_t at = 0;
  for (int r = 0; r < ranks; r++) {
    bool seen = false;
    int here = 0;
    for (int q = 0; q < ranks; q++) {
      if (strcmp(all[q].host, all[r].host) != 0) continue;
      seen = seen || q < r;
      here++;
    }
    if (seen) continue;
    if (hosts++ < NAMED && at < sizeof list)
      at += (size_t)snprintf(list + at, sizeof list - at, "%s%d %son %s", at ? ", " : "", here,
                             at          ? ""
                             : here == 1 ? "rank "
                                         : "ranks ",
                             all[r].host);
  }
  snprintf(text, sizeof text, "%d hosts: %s%s", hosts, list, hosts > NAMED ? ", ..." : "");
  if (hosts == 1) text[0] = '\0';
  return hosts;
}

/* Keep the names of the hosts of all ranks; all [ranks] is room for them. */
static tx_status keep_hosts(MPI_Comm comm, int ranks, const program *mine, program *all) {
  int rank = 0;
  char place[sizeof mine->host + 32];
  TX_MPI(MPI_Comm_rank(comm, &rank));
  TX_MPI(MPI_Allgather(mine, (int)sizeof *mine, MPI_BYTE, all, (int)sizeof *mine, MPI_BYTE, comm));
  snprintf(place, sizeof place, "rank %d on %s", rank, mine->host);
  tx_error_place(count(ranks, all) > 1 ? place : "");
  return TX_OK;
}

tx_status tx_hosts_check(MPI_Comm comm) {
  program mine, first, *all = NULL;
  int rank = 0, ranks = 1;
  tx_status status = describe(&mine);
  TX_MPI(MPI_Comm_rank(comm, &rank));
  TX_MPI(MPI_Comm_size(comm, &ranks));
  first = mine;
  TX_MPI(MPI_Bcast(&first, (int)sizeof first, MPI_BYTE, 0, comm));
  TX_THEN(status, compare(rank, &mine, &first));
  TX_THEN(status, tx_alloc((size_t)ranks, sizeof *all, "list of hosts", &all));
  status = tx_agree(comm, status);
  TX_THEN(status, keep_hosts(comm, ranks, &mine, all));
  tx_free(all);
  return status;
}

const char *tx_hosts_text(void) {
  return text;
}
