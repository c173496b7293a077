/* Our C headers, for C++. */
#pragma once

/* Theirs first: ours include them, and templates have no C linkage. */
#define OMPI_SKIP_MPICXX  1
#define MPICH_SKIP_MPICXX 1
#include <assert.h>
#include <math.h>
#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern "C" {
#include "base/grid.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/mpi_found.h"
#include "base/status.h"
#include "base/timer.h"
#include "base/types.h"
#include "cuda/cuda.h"
#include "exec/backend.h"
#include "octree/octree.h"
#include "physics/system.h"
}
