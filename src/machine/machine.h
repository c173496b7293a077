/* Host, time, threads and memory of this process. */
#pragma once

#include <stddef.h>

/** Host, processor and system in one line. Local. */
void tx_machine_text(char *text, size_t size);

/** Date and time, ISO 8601 with the offset from UTC. Local. */
void tx_machine_date(char *text, size_t size);

/** OpenMP threads of this rank. Local. */
int tx_machine_threads(void);

/** Most memory that this process ever held, as the system counts it, bytes. Local. */
size_t tx_machine_resident_bytes(void);
