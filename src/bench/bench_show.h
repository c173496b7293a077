/* Tables and JSON of a bench. */
#pragma once

#include "bench/row.h"
#include "files/json.h"

/** Log the tables. Local. */
void tx_bench_log(const tx_bench *b);
/** Write all of it as JSON. Local. */
void tx_bench_json(const tx_bench *b, tx_json *json);
