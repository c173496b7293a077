#include "machine/compute.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/log.h"
#include "base/memory.h"
#include "exec/backend.h"
#include "machine/triad.h"
#ifdef TX_HAVE_CUDA
#include "cuda/cuda.h"
#endif

static int with_gpus; /* ranks on hosts where each has its own */
static tx_compute compute = {.why = "none was asked for"};

#ifdef TX_HAVE_CUDA

/* Remedy where a GPU is asked for and missing. */
#define REMEDY "start one rank per GPU on nodes with GPUs (nvidia-smi lists them)"

/* Ranks of a node may be told to share a GPU, for tests. */
#define SHARING "TENDEX_SHARE_GPUS"

/* A rank and the GPU that it would take. */
typedef struct claim {
  char host[MPI_MAX_PROCESSOR_NAME], gpu[TX_CUDA_IDENTITY];
} claim;

/* Which GPU is this rank's? Fails if there is none. */
static tx_status claim_make(MPI_Comm node, claim *mine) {
  char why[256];
  int rank = 0, length = 0;
  memset(mine, 0, sizeof *mine);
  TX_MPI(MPI_Comm_rank(node, &rank));
  TX_MPI(MPI_Get_processor_name(mine->host, &length));
  const int n = tx_cuda_count(why, sizeof why);
  TX_REQUIRE(n > 0, TX_ERR_LIBRARY, "there is no GPU on %s: %s", mine->host, why);
  return tx_cuda_identity(rank % n, mine->gpu);
}

/* All ranks of this node have GPUs of their own. */
static tx_status claims_check(MPI_Comm node, const claim *mine, claim *all) {
  int ranks = 1, gpus = 0;
  TX_MPI(MPI_Comm_size(node, &ranks));
  TX_MPI(MPI_Allgather(mine, (int)sizeof *mine, MPI_BYTE, all, (int)sizeof *mine, MPI_BYTE, node));
  for (int r = 0; r < ranks; r++) {
    bool first = true;
    for (int q = 0; q < r; q++) first = first && strcmp(all[q].gpu, all[r].gpu) != 0;
    gpus += first;
  }
  TX_REQUIRE(gpus == ranks || getenv(SHARING), TX_ERR_LIBRARY,
             "%d ranks on %s would share %d GPU%s, and each rank needs its own", ranks, mine->host,
             gpus, gpus == 1 ? "" : "s");
  return TX_OK;
}

static tx_status claims_compare(MPI_Comm node, tx_status status, const claim *mine) {
  int ranks = 1;
  TX_MPI(MPI_Comm_size(node, &ranks));
  claim *all = NULL;
  TX_KEEP(status, tx_alloc((size_t)ranks, sizeof *all, "list of GPUs", &all));
  status = tx_agree(node, status);
  TX_THEN(status, claims_check(node, mine, all));
  tx_free(all);
  return status;
}

/* Has each rank a GPU? The recorded failure tells why not. */
static tx_status look_for_gpus(MPI_Comm comm) {
  MPI_Comm node;
  claim mine;
  TX_MPI(MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node));
  tx_status status = claims_compare(node, claim_make(node, &mine), &mine);
  TX_MPI(MPI_Comm_free(&node));
  with_gpus = status == TX_OK;
  TX_MPI(MPI_Allreduce(MPI_IN_PLACE, &with_gpus, 1, MPI_INT, MPI_SUM, comm));
  return tx_agree(comm, status);
}

/* The driver's release: the first word of the kernel's own text that is a number with two points. */
static void find_release(char *text, size_t size) {
  char line[512];
  int parts[3], length = 0;
  text[0] = '\0';
  FILE *f = fopen("/proc/driver/nvidia/version", "r");
  if (!f) return;
  if (fgets(line, sizeof line, f))
    for (char *word = strtok(line, " \t\n"); word && !text[0]; word = strtok(NULL, " \t\n"))
      if (sscanf(word, "%d.%d.%d%n", &parts[0], &parts[1], &parts[2], &length) == 3 &&
          word[length] == '\0')
        snprintf(text, size, "%s", word);
  fclose(f);
}

static tx_status describe(MPI_Comm comm) {
  tx_cuda_device d;
  tx_cuda_describe(&d);
  compute.memory_bytes = (double)d.memory;
  TX_MPI(MPI_Allreduce(MPI_IN_PLACE, &compute.memory_bytes, 1, MPI_DOUBLE, MPI_MIN, comm));
  TX_MPI(MPI_Bcast(&d, (int)sizeof d, MPI_BYTE, 0, comm));
  snprintf(compute.device, sizeof compute.device, "%s", d.name);
  compute.sms = d.sms;
  compute.capability = d.capability;
  compute.driver = d.driver;
  find_release(compute.release, sizeof compute.release);
  compute.transport = tx_cuda_transport();
  compute.transport_why = tx_cuda_transport_why();
  return TX_OK;
}

static tx_status start_gpu(MPI_Comm comm, const tx_params *p) {
  const tx_cuda_config config = {.transport = p->compute_transport};
  TX_TRY(tx_cuda_start(comm, &config));
  TX_TRY(tx_agree(comm, tx_cuda_phases_start()));
  TX_TRY(describe(comm));
  compute.gpu = true;
  compute.why[0] = '\0';
  tx_exec_use(&tx_backend_cuda);
  tx_exec_memory_set(compute.memory_bytes);
  return TX_OK;
}

tx_status tx_compute_boundary(tx_exec *x, const tx_system_params *p, const tx_stage *stage) {
  TX_REQUIRE(compute.gpu, TX_ERR_USAGE, "the CPU does the boundary octant by octant");
  return tx_cuda_boundary_only(x, p, stage);
}

#define ONLY_KERNELS "only kernels of GPUs are profiled one by one"

tx_status tx_compute_profile_start(void) {
  TX_REQUIRE(compute.gpu, TX_ERR_USAGE, ONLY_KERNELS);
  return tx_cuda_profile_start();
}

tx_status tx_compute_profile_stop(tx_profile_row rows[TX_PROFILE_ROWS], int *n) {
  TX_REQUIRE(compute.gpu, TX_ERR_USAGE, ONLY_KERNELS);
  return tx_cuda_profile_stop(rows, n);
}

int tx_compute_plans(void) {
  return compute.gpu ? TX_CUDA_PLANS : 0;
}

const char *tx_compute_plan_name(int plan) {
  return tx_cuda_plan_name((tx_cuda_plan)plan);
}

size_t tx_compute_plan_shared(const tx_system *system, int plan) {
  return tx_cuda_plan_shared(system, (tx_cuda_plan)plan);
}

bool tx_compute_plan_fits(const tx_system *system, int plan) {
  return compute.gpu && tx_cuda_plan_fits(system, (tx_cuda_plan)plan);
}

int tx_compute_plan(const tx_system *system) {
  return compute.gpu ? (int)tx_cuda_plan_of(system) : -1;
}

void tx_compute_plan_use(const tx_system *system, int plan) {
  if (compute.gpu) tx_cuda_plan_use(system, plan < 0 ? TX_CUDA_PLANS : (tx_cuda_plan)plan);
}

static tx_status measure_gpu(MPI_Comm comm, double peaks[2]) {
  TX_TRY(tx_agree(comm, tx_cuda_measure(&peaks[0], &peaks[1])));
  TX_MPI(MPI_Allreduce(MPI_IN_PLACE, peaks, 2, MPI_DOUBLE, MPI_SUM, comm));
  return TX_OK;
}

static void stop_gpu(void) {
  tx_cuda_phases_stop();
  tx_cuda_stop();
}

double tx_compute_memory_peak(void) {
  return compute.gpu ? (double)tx_cuda_memory_peak() : 0.0;
}

double tx_compute_memory_in_use(void) {
  return compute.gpu ? (double)tx_cuda_memory_in_use() : 0.0;
}

#else

#define REMEDY "build it where nvcc is, with -DTENDEX_CUDA=ON"

static tx_status look_for_gpus(MPI_Comm comm) {
  (void)comm;
  TX_FAIL(TX_ERR_PARAM, "this program was built without CUDA");
}

static tx_status start_gpu(MPI_Comm comm, const tx_params *p) {
  (void)p;
  return look_for_gpus(comm);
}

tx_status tx_compute_boundary(tx_exec *x, const tx_system_params *p, const tx_stage *stage) {
  (void)x, (void)p, (void)stage;
  TX_FAIL(TX_ERR_USAGE, "the CPU does the boundary octant by octant");
}

tx_status tx_compute_profile_start(void) {
  TX_FAIL(TX_ERR_USAGE, "this program was built without CUDA");
}

tx_status tx_compute_profile_stop(tx_profile_row rows[TX_PROFILE_ROWS], int *n) {
  (void)rows, (void)n;
  TX_FAIL(TX_ERR_USAGE, "this program was built without CUDA");
}

int tx_compute_plans(void) {
  return 0;
}

const char *tx_compute_plan_name(int plan) {
  (void)plan;
  return "";
}

size_t tx_compute_plan_shared(const tx_system *system, int plan) {
  (void)system, (void)plan;
  return 0;
}

bool tx_compute_plan_fits(const tx_system *system, int plan) {
  (void)system, (void)plan;
  return false;
}

int tx_compute_plan(const tx_system *system) {
  (void)system;
  return -1;
}

void tx_compute_plan_use(const tx_system *system, int plan) {
  (void)system, (void)plan;
}

static tx_status measure_gpu(MPI_Comm comm, double peaks[2]) {
  (void)peaks;
  return look_for_gpus(comm);
}

static void stop_gpu(void) {}

double tx_compute_memory_peak(void) {
  return 0.0;
}

double tx_compute_memory_in_use(void) {
  return 0.0;
}

#endif

tx_status tx_compute_start(MPI_Comm comm, const tx_params *p) {
  char problem[sizeof compute.why];
  tx_compute_stop();
  TX_MPI(MPI_Comm_size(comm, &compute.ranks));
  if (p->compute_device == TX_DEVICE_CPU) {
    snprintf(compute.why, sizeof compute.why, "compute.device is cpu");
    return TX_OK;
  }
  const tx_status found = look_for_gpus(comm);
  if (found == TX_OK) return start_gpu(comm, p);
  snprintf(problem, sizeof problem, "%s", tx_error_text());
  tx_error_clear();
  TX_REQUIRE(p->compute_device == TX_DEVICE_AUTO, TX_ERR_PARAM,
             "compute.device is gpu, but %s; %s, or set compute.device to cpu", problem, REMEDY);
  snprintf(compute.why, sizeof compute.why, "%s", problem);
  if (with_gpus > 0)
    tx_warn("%d of %d ranks have GPUs, which all leave unused: %s", with_gpus, compute.ranks,
            problem);
  if (p->compute_transport != TX_TRANSPORT_AUTO)
    tx_warn("compute.transport has no effect: the CPU computes, as %s", compute.why);
  return TX_OK;
}

void tx_compute_stop(void) {
  if (compute.gpu) stop_gpu();
  compute = (tx_compute){.why = "none was asked for"};
  tx_exec_use(&tx_backend_cpu);
  tx_exec_memory_set(0.0);
}

tx_status tx_compute_measure(MPI_Comm comm, double *triad_bytes_per_s, double *fma_flop_per_s) {
  double peaks[2];
  if (compute.gpu) {
    TX_TRY(measure_gpu(comm, peaks));
  } else {
    TX_TRY(tx_triad_measure(comm, &peaks[0]));
    TX_TRY(tx_fma_measure(comm, &peaks[1]));
  }
  *triad_bytes_per_s = peaks[0];
  *fma_flop_per_s = peaks[1];
  return TX_OK;
}

const tx_compute *tx_compute_get(void) {
  return &compute;
}

const char *tx_compute_backend(void) {
  return compute.gpu ? "cuda" : "cpu";
}

void tx_compute_text(char *text, size_t size) {
  if (!compute.gpu) {
    snprintf(text, size, "the CPU");
    return;
  }
  snprintf(text, size,
           "%d x %s, %.0f GiB, %d multiprocessors, compute capability %d.%d; driver %s%sfor CUDA "
           "%d.%d",
           compute.ranks, compute.device, compute.memory_bytes / 1073741824.0, compute.sms,
           compute.capability / 10, compute.capability % 10, compute.release,
           compute.release[0] ? " " : "", compute.driver / 1000, compute.driver % 1000 / 10);
}

void tx_compute_log(void) {
  char text[512];
  tx_compute_text(text, sizeof text);
  if (!compute.gpu) {
    tx_log("  computes    the CPU: %s", compute.why);
    return;
  }
  tx_log("  computes    %s", text);
  if (compute.ranks > 1)
    tx_log("              between GPUs %s%s%s", compute.transport,
           compute.transport_why[0] ? ", " : "", compute.transport_why);
}
