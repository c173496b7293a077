/* Names of MPIs from what their libraries say, and whether they take memory of GPUs. */
#include <string.h>
#include "base/mpi_found.h"
#include "support/cmocka.h"

static const char cray[] = "MPI VERSION    : CRAY MPICH version 8.1.25.17 (ANL base 3.4a2)\nMPI "
                           "BUILD INFO : Sun Feb 26 15:15 2023\n";
static const char mpich[] = "MPICH Version:\t4.0.2\nMPICH Release date:\tThu Apr  7 12:34:45 CDT "
                            "2022\nMPICH ABI:\t14:2:2\n";
static const char openmpi[] =
    "Open MPI v4.1.4, package: Debian OpenMPI, ident: 4.1.4, repo rev: v4.1.4, May 26, 2022";

static int clear(void **state) {
  tx_error_clear();
  return 0;
}

static void names_are_short(void **state) {
  static const char *const names[][2] = {
      {cray, "CRAY MPICH 8.1.25.17"},
      {mpich, "MPICH 4.0.2"},
      {openmpi, "Open MPI 4.1.4"},
      {"Intel(R) MPI Library 2021.9 for Linux* OS\n", "Intel MPI Library 2021.9 for Linux* OS"},
      {"MVAPICH2 Version      :\t2.3.7\nMVAPICH2 Release date :\tWed March 02", "MVAPICH2 2.3.7"},
      {"", ""}};
  char name[64], small[8];
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    tx_mpi_shorten(names[i][0], name, sizeof name);
    assert_string_equal(name, names[i][1]);
  }
  tx_mpi_shorten(mpich, small, sizeof small);
  assert_string_equal(small, "MPICH 4");
}

static void the_one_found_has_a_version(void **state) {
  char name[64];
  tx_mpi_name(name, sizeof name);
  assert_true(strpbrk(name, "0123456789") && strlen(name) > 5 && !strchr(name, '\n'));
  assert_int_equal(tx_mpi_check_one(), TX_OK);
}

/* Assert what is decided, and the beginning of the reason. */
static void decides(const char *version, tx_mpi_answer answer, const char *enabled,
                    const char *reason) {
  assert_int_equal(tx_mpi_check_gpus(version, answer, enabled), reason ? TX_ERR_LIBRARY : TX_OK);
  if (reason && !strstr(tx_error_text(), reason)) fail_msg("%s", tx_error_text());
  tx_error_clear();
}

static void memory_of_gpus(void **state) {
  decides(openmpi, TX_MPI_YES, NULL, NULL);
  decides(openmpi, TX_MPI_NO, "1",
          "Open MPI 4.1.4 takes no memory of GPUs: it was built without CUDA");
  decides(mpich, TX_MPI_YES, NULL, NULL);
  decides(mpich, TX_MPI_CANNOT_SAY, "1", "MPICH 4.0.2 does not say whether");
  /* Cray's library can, and does only if asked for at the start; addresses of device memory end the program otherwise. */
  decides(cray, TX_MPI_YES, "1", NULL);
  decides(cray, TX_MPI_CANNOT_SAY, "1", NULL);
  decides(cray, TX_MPI_NO, "1", "CRAY MPICH 8.1.25.17 takes no memory of GPUs");
  decides(cray, TX_MPI_YES, NULL, "only with MPICH_GPU_SUPPORT_ENABLED=1 in the environment");
  decides(cray, TX_MPI_YES, "0", "only with MPICH_GPU_SUPPORT_ENABLED=1 in the environment");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup(names_are_short, clear),
      cmocka_unit_test_setup(the_one_found_has_a_version, clear),
      cmocka_unit_test_setup(memory_of_gpus, clear),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
