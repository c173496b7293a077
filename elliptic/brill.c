#include "elliptic/brill.h"

#include <math.h>

static double potential(const void *data, const double x[3]) {
  return tx_brill_potential(data, x);
}

/* Collective. The smallest u on leaves, and where. */
static tx_status find_lowest(const tx_elliptic_ground *g, double *lowest) {
  const tx_mesh *mesh = g->forest->mesh;
  tx_status status = TX_OK;
  *lowest = INFINITY;
  for (tx_lidx b = 0; b < mesh->n_local; b++) {
    const double *u = NULL;
    TX_THEN(status, tx_field_view(g->u, b, &u));
    for (int n = 0; u && n < TX_N3; n++) *lowest = fmin(*lowest, u[n]);
  }
  TX_TRY(tx_agree(mesh->comm, status));
  TX_MPI(MPI_Allreduce(MPI_IN_PLACE, lowest, 1, MPI_DOUBLE, MPI_MIN, mesh->comm));
  return TX_OK;
}

/* Collective. */
static tx_status check_sign(const tx_elliptic_ground *g, const tx_brill *wave, double energy) {
  double lowest;
  TX_TRY(find_lowest(g, &lowest));
  TX_REQUIRE(lowest > -1.0, TX_ERR_NUMERICS,
             "initial_data.amplitude: with %g the conformal factor of the Brill wave falls to %g "
             "and its energy is %g M: no such space exists; give less",
             wave->amplitude, 1.0 + lowest, energy);
  return TX_OK;
}

tx_status tx_elliptic_brill(const tx_mesh *leaves, const tx_elliptic_how *how, const tx_brill *wave,
                            tx_adm_numbers *adm, tx_field *u) {
  const tx_elliptic_equation constraint = {
      .name = "the Hamiltonian constraint",
      .remedy = "for Brill waves of large amplitude give elliptic.method krylov, a larger "
                "elliptic.tolerance, or finer levels around that point",
      .coefficients = 1,
      .source = TX_POINTWISE_LINEAR_SOURCE,
      .slope = TX_POINTWISE_LINEAR_SLOPE,
      .order = how->order,
      .falloff = 1.0};
  tx_elliptic_ground ground;
  tx_status status = tx_elliptic_ground_make(leaves, how, &constraint, NULL, 0, &ground);
  TX_THEN(status, tx_agree(leaves->comm, tx_elliptic_give(ground.e, 0, potential, wave)));
  TX_THEN(status,
          tx_elliptic_ground_solve(&ground, how->control.tolerance, &adm->residual, &adm->cycles));
  TX_THEN(status, tx_elliptic_ground_monopole(&ground, &adm->energy));
  adm->energy *= 2.0;
  TX_THEN(status, check_sign(&ground, wave, adm->energy));
  if (u) TX_THEN(status, tx_elliptic_ground_embed(&ground, u));
  tx_elliptic_ground_free(&ground);
  return status;
}
