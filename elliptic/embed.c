/* From the forest of an elliptic equation to a grid of the evolution: octants of the evolution are nodes of the forest. Each
 * rank asks the owners of the nodes that it needs. */
#include <string.h>

#include "base/memory.h"
#include "elliptic/forest.h"
#include "elliptic/internal.h"

/* Octants that ranks ask each other for, and their values; counts and places are of octants. */
typedef struct traffic {
  int size;
  int *counts[2], *places[2]; /* [size]: asked for here, asked of this rank */
  int n[2];
  int64_t (*asked)[2];  /* [n[0]] level of the forest and octant there, by rank */
  tx_lidx *octant;      /* [n[0]] local octant of the evolution that each is for */
  int64_t (*wanted)[2]; /* [n[1]] what others ask for */
  double *sent, *received;
} traffic;

static void traffic_free(traffic *t) {
  for (int i = 0; i < 2; i++) {
    tx_free(t->counts[i]);
    tx_free(t->places[i]);
  }
  tx_free(t->asked);
  tx_free(t->octant);
  tx_free(t->wanted);
  tx_free(t->sent);
  tx_free(t->received);
}

static void find_places(traffic *t, int i) {
  t->n[i] = 0;
  for (int r = 0; r < t->size; r++) {
    t->places[i][r] = t->n[i];
    t->n[i] += t->counts[i][r];
  }
}

static tx_status find_node(const tx_elliptic *e, const tx_elliptic_forest *f, const tx_octant *o,
                           tx_level_node *node) {
  int32_t x[3];
  tx_elliptic_forest_place(f, o->level, o->x, x);
  TX_REQUIRE(tx_level_grids_node(e->grids, o->level + f->shift, x, node), TX_ERR_MESH,
             "octant (%d, %d, %d) of level %d is not on the grid of the elliptic equation", o->x[0],
             o->x[1], o->x[2], o->level);
  return TX_OK;
}

/* Lists what this rank asks for, sorted by rank. */
static tx_status list_asked(const tx_elliptic *e, const tx_elliptic_forest *f, const tx_mesh *mesh,
                            traffic *t) {
  const size_t own = (size_t)mesh->n_local, size = (size_t)t->size;
  tx_level_node node;
  for (int i = 0; i < 2; i++) {
    TX_TRY(tx_alloc(size, sizeof *t->counts[i], "elliptic grid", &t->counts[i]));
    TX_TRY(tx_alloc(size, sizeof *t->places[i], "elliptic grid", &t->places[i]));
  }
  TX_TRY(tx_alloc(own, sizeof *t->asked, "elliptic grid", &t->asked));
  TX_TRY(tx_alloc(own, sizeof *t->octant, "elliptic grid", &t->octant));
  for (tx_lidx b = 0; b < mesh->n_local; b++) {
    TX_TRY(find_node(e, f, &mesh->octant[b], &node));
    t->counts[0][node.rank]++;
  }
  find_places(t, 0);
  for (tx_lidx b = 0; b < mesh->n_local; b++) {
    TX_TRY(find_node(e, f, &mesh->octant[b], &node));
    const int at = t->places[0][node.rank]++;
    t->asked[at][0] = mesh->octant[b].level + f->shift;
    t->asked[at][1] = node.octant;
    t->octant[at] = b;
  }
  find_places(t, 0);
  return TX_OK;
}

/* Collective. */
static tx_status ask(MPI_Comm comm, traffic *t) {
  MPI_Datatype pair;
  TX_MPI(MPI_Alltoall(t->counts[0], 1, MPI_INT, t->counts[1], 1, MPI_INT, comm));
  find_places(t, 1);
  tx_status status = tx_alloc((size_t)t->n[1], sizeof *t->wanted, "elliptic grid", &t->wanted);
  TX_THEN(status, tx_alloc((size_t)t->n[1] * TX_N3, sizeof(double), "elliptic grid", &t->sent));
  TX_THEN(status, tx_alloc((size_t)t->n[0] * TX_N3, sizeof(double), "elliptic grid", &t->received));
  TX_TRY(tx_agree(comm, status));
  TX_MPI(MPI_Type_contiguous(2, MPI_INT64_T, &pair));
  TX_MPI(MPI_Type_commit(&pair));
  TX_MPI(MPI_Alltoallv(t->asked, t->counts[0], t->places[0], pair, t->wanted, t->counts[1],
                       t->places[1], pair, comm));
  TX_MPI(MPI_Type_free(&pair));
  return TX_OK;
}

static tx_status collect(const tx_elliptic *e, traffic *t) {
  for (int i = 0; i < t->n[1]; i++) {
    const double *values;
    TX_TRY(tx_field_view(e->level[t->wanted[i][0]].u, (tx_lidx)t->wanted[i][1], &values));
    memcpy(t->sent + (size_t)i * TX_N3, values, TX_N3 * sizeof *values);
  }
  return TX_OK;
}

/* Collective. */
static tx_status answer(MPI_Comm comm, traffic *t) {
  MPI_Datatype octant;
  TX_MPI(MPI_Type_contiguous(TX_N3, MPI_DOUBLE, &octant));
  TX_MPI(MPI_Type_commit(&octant));
  TX_MPI(MPI_Alltoallv(t->sent, t->counts[1], t->places[1], octant, t->received, t->counts[0],
                       t->places[0], octant, comm));
  TX_MPI(MPI_Type_free(&octant));
  return TX_OK;
}

static tx_status put(const traffic *t, tx_field *u) {
  for (int i = 0; i < t->n[0]; i++)
    TX_TRY(tx_field_put(u, t->octant[i], 1, t->received + (size_t)i * TX_N3));
  return TX_OK;
}

tx_status tx_elliptic_embed(tx_elliptic *e, const tx_elliptic_forest *f, const tx_mesh *mesh,
                            tx_field *u) {
  MPI_Comm comm = mesh->comm;
  traffic t = {.size = mesh->size};
  tx_status status = tx_agree(comm, list_asked(e, f, mesh, &t));
  TX_THEN(status, ask(comm, &t));
  TX_THEN(status, tx_agree(comm, collect(e, &t)));
  TX_THEN(status, answer(comm, &t));
  TX_THEN(status, tx_agree(comm, put(&t, u)));
  traffic_free(&t);
  return status;
}
