/* The process that a run folder belongs to, as run.lock names it. */
#pragma once

#include <stdbool.h>

#define TX_OWNER_BYTES 256

typedef struct tx_owner {
  char host[TX_OWNER_BYTES]; /**< "": not known */
  long pid;
  unsigned long long started; /**< clock ticks after the host's start, 0: not known */
  char system[64];    /**< start of the host and its namespace of processes; "": not known */
  unsigned long beat; /**< counts the signs of life */
} tx_owner;

typedef enum tx_owner_state {
  TX_OWNER_ENDED,  /**< or is a zombie, which writes nothing more */
  TX_OWNER_ENDING, /**< it is being killed */
  TX_OWNER_ALIVE,
  TX_OWNER_UNSEEN, /**< it is not known, or belongs to another host */
} tx_owner_state;

/** Name this process. Local. */
void tx_owner_self(tx_owner *o);

/** Find out how the process is doing, as this host sees it. Local. */
tx_owner_state tx_owner_look(const tx_owner *o);

/** Do both name one process? Local. */
bool tx_owner_same(const tx_owner *a, const tx_owner *b);

/** Read the owner from the file `path`; one that cannot be read, or names nobody, gives host "". Local. Returns false if
 *  there is no such file. */
bool tx_owner_read(const char *path, tx_owner *o);

/** Write the owner to the file `path`, made if need be; `flags`: O_TRUNC, or O_EXCL if none may be there. What cannot be
 *  finished is removed. Local. Returns 0 or errno. */
int tx_owner_write(const char *path, int flags, const tx_owner *o);

/** Write the owner's count of signs of life, if the file names this owner, or is not there. One that cannot be written is
 *  left out. Local. */
void tx_owner_renew(const char *path, const tx_owner *o);
