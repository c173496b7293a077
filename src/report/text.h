/* Numbers as people read them. All functions are local, write into `text`, and return it. */
#pragma once

#include <stdint.h>

/** "8,192": a count. */
const char *tx_count_text(int64_t count, char text[32]);

/** "512 KiB", "3.2 MiB", "1.4 GiB": memory. */
const char *tx_bytes_text(double bytes, char text[32]);

/** "512 kB", "3.2 MB", "1.4 GB": files. */
const char *tx_file_bytes_text(double bytes, char text[32]);

/** "12 s", "23 min", "1.2 days": a duration that is estimated. */
const char *tx_duration_text(double seconds, char text[32]);

/** "1:02:03", "5d06h", at most eight characters: time left; "-" for years. */
const char *tx_time_left_text(double seconds, char text[32]);

/** "2 ranks x 1 thread". */
const char *tx_ranks_text(int ranks, int threads, char text[64]);
