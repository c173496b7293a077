/* Psi4 at the grid points of planes, for slices. */
#include "output/internal.h"

#include "base/memory.h"

#define SIDE (TX_N + 1)

/* In spacings: points on an outer face are taken so far inside, where they are on their grid point by TX_LAGRANGE_ON. */
#define INSIDE 0x1p-30

/* The selected octants of all ranks, in order; every rank has all of them. */
typedef struct planes {
  int n, first;          /* of all ranks; the first one of this rank */
  double (*octant)[4];   /* [n] origin, spacing */
  int *count, *displace; /* [ranks] numbers in `octant` */
} planes;

static void planes_free(planes *p) {
  tx_free(p->octant);
  tx_free(p->count);
  tx_free(p->displace);
}

static tx_status planes_create(MPI_Comm comm, const tx_selection *sel, planes *p) {
  const int mine = 4 * (int)sel->n;
  int ranks, rank, total = 0;
  TX_MPI(MPI_Comm_size(comm, &ranks));
  TX_MPI(MPI_Comm_rank(comm, &rank));
  tx_status status = tx_alloc((size_t)ranks, sizeof *p->count, "slice", &p->count);
  TX_KEEP(status, tx_alloc((size_t)ranks, sizeof *p->displace, "slice", &p->displace));
  TX_TRY(tx_agree(comm, status));
  TX_MPI(MPI_Allgather(&mine, 1, MPI_INT, p->count, 1, MPI_INT, comm));
  for (int r = 0; r < ranks; total += p->count[r++]) p->displace[r] = total;
  p->n = total / 4;
  p->first = p->displace[rank] / 4;
  return tx_agree(comm, tx_alloc((size_t)p->n + 1, sizeof *p->octant, "slice", &p->octant));
}

static tx_status planes_gather(MPI_Comm comm, const tx_mesh *mesh, const tx_selection *sel,
                               planes *p) {
  TX_TRY(planes_create(comm, sel, p));
  for (tx_lidx b = 0; b < sel->n; b++) {
    tx_mesh_origin(mesh, sel->octant[b], p->octant[p->first + b]);
    p->octant[p->first + b][3] = tx_mesh_spacing(mesh, mesh->octant[sel->octant[b]].level);
  }
  TX_MPI(MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, p->octant, p->count, p->displace,
                        MPI_DOUBLE, comm));
  return TX_OK;
}

/* The points of a closed plane. */
static void put_points(const double octant[4], int normal, double extent, double (*x)[3]) {
  const double h = octant[3];
  int side[3] = {SIDE, SIDE, SIDE};
  side[normal] = 1;
  for (int k = 0; k < side[2]; k++)
    for (int j = 0; j < side[1]; j++)
      for (int i = 0; i < side[0]; i++, x++) {
        const int at[3] = {i, j, k};
        for (int d = 0; d < 3; d++) {
          (*x)[d] = octant[d] + h * at[d];
          if ((*x)[d] >= extent) (*x)[d] = extent - INSIDE * h;
        }
      }
}

/* Each point on the rank that owns it, and then everywhere. */
static tx_status sample(MPI_Comm comm, tx_field_source from, int normal, const planes *p,
                        double (*psi4)[TX_PSI4_COLUMNS]) {
  const size_t each = (size_t)SIDE * SIDE, n = (size_t)p->n * each;
  double(*x)[3] = NULL;
  tx_status status = tx_agree(comm, tx_alloc(n + 1, sizeof *x, "points of a slice", &x));
  if (status == TX_OK) {
    for (int b = 0; b < p->n; b++)
      put_points(p->octant[b], normal, tx_exec_mesh(from.exec)->domain.extent,
                 x + (size_t)b * each);
    status = tx_exec_psi4(from.exec, from.u, n, (const double(*)[3])x, psi4);
  }
  tx_free(x);
  TX_TRY(status);
  TX_MPI(MPI_Allreduce(MPI_IN_PLACE, psi4, (int)(n * TX_PSI4_COLUMNS), MPI_DOUBLE, MPI_SUM, comm));
  return TX_OK;
}

tx_status tx_planes_psi4(MPI_Comm comm, tx_field_source from, const tx_selection *sel,
                         double (**psi4)[TX_PSI4_COLUMNS], size_t *first) {
  const size_t each = (size_t)SIDE * SIDE;
  planes p = {0};
  tx_status status = planes_gather(comm, tx_exec_mesh(from.exec), sel, &p);
  TX_THEN(status,
          tx_agree(comm, tx_alloc((size_t)p.n * each + 1, sizeof **psi4, "Psi4 of a slice", psi4)));
  TX_THEN(status, sample(comm, from, sel->normal, &p, *psi4));
  *first = (size_t)p.first * each;
  planes_free(&p);
  return status;
}
