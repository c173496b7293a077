#include "octree/internal.h"

#include <math.h>
#include <string.h>

#include <p8est.h>
#include <p8est_bits.h>
#include <p8est_extended.h>
#include <p8est_ghost.h>

#include "base/memory.h"

_Static_assert(sizeof(p4est_gloidx_t) == sizeof(tx_gidx), "global indices have 64 bits");
_Static_assert(TX_LEVELS - 1 <= P8EST_QMAXLEVEL, "p4est has all levels");
_Static_assert(sizeof(p4est_locidx_t) == sizeof(tx_lidx), "local indices have 32 bits");

/* p4est's global state lives as long as a forest of ours, unless the host program made it. The ids of
 * its packages survive sc_finalize, so they tell only once whose it is. */
static int forests;
static enum { UNKNOWN, OURS, HOSTS } library;

/* libsc keeps communicators of hosts only where all have the same number of ranks, but sc_finalize frees them without asking, and
 * aborts. Elsewhere each rank counts as a host. */
static void attach_hosts(MPI_Comm comm) {
  MPI_Comm within, between;
  sc_mpi_comm_get_node_comms(comm, &within, &between);
  if (within == MPI_COMM_NULL) sc_mpi_comm_attach_node_comms(comm, 1);
}

static void library_begin(MPI_Comm comm) {
  if (library == UNKNOWN) library = sc_package_id == -1 ? OURS : HOSTS;
  if (forests++ > 0 || library == HOSTS) return;
  sc_init(comm, 0, 0, NULL, SC_LP_ERROR);
  attach_hosts(comm);
  p4est_init(NULL, SC_LP_ERROR);
}

static void library_end(void) {
  if (--forests == 0 && library == OURS) sc_finalize();
}

static tx_status check_domain(const tx_domain *domain, int level) {
  TX_REQUIRE(domain->extent > 0 && domain->extent < HUGE_VAL, TX_ERR_MESH,
             "the extent of the domain is %g; it must be positive and finite", domain->extent);
  TX_REQUIRE(domain->trees >= 0 && domain->trees <= TX_TREES, TX_ERR_MESH,
             "a domain cannot have %d trees along its extent; there may be 1 to %d", domain->trees,
             TX_TREES);
  TX_REQUIRE(level >= 0 && level <= tx_domain_level_most(domain), TX_ERR_MESH,
             "a forest cannot start on level %d; levels run from 0 to %d", level,
             tx_domain_level_most(domain));
  for (int d = 0; d < 3; d++) {
    TX_REQUIRE((domain->low[d] == TX_FACE_PERIODIC) == (domain->high[d] == TX_FACE_PERIODIC),
               TX_ERR_MESH,
               "dimension %c is periodic on one side only; make it so on both or neither", 'x' + d);
    TX_REQUIRE(domain->high[d] != TX_FACE_REFLECT, TX_ERR_MESH,
               "dimension %c reflects on its high side; only the low side may", 'x' + d);
  }
  return TX_OK;
}

static int weight_of_quadrant(p8est_t *forest, p4est_topidx_t which_tree, p8est_quadrant_t *q) {
  (void)which_tree;
  return ((const int *)forest->user_pointer)[q->level];
}

static void partition(p8est_t *forest, const int *weight_of_level) {
  forest->user_pointer = (void *)(uintptr_t)weight_of_level;
  p8est_partition_ext(forest, 1, weight_of_level ? weight_of_quadrant : NULL);
  forest->user_pointer = NULL;
}

tx_gidx tx_domain_octants(const tx_domain *domain, int level) {
  tx_gidx n = 1;
  for (int d = 0; d < 3; d++) n *= (tx_gidx)tx_domain_trees(domain, d) << level;
  return n;
}

void tx_octree_guard(tx_octree *tree, tx_status (*allows)(const void *data, tx_gidx octants),
                     const void *data) {
  tree->allows = allows;
  tree->allows_data = data;
}

tx_status tx_octree_create(MPI_Comm comm, const tx_domain *domain, int level, tx_octree **out) {
  *out = NULL;
  tx_status status = check_domain(domain, level);
  tx_octree *tree = NULL;
  TX_THEN(status, tx_alloc(1, sizeof *tree, "octree", &tree));
  if ((status = tx_agree(comm, status)) != TX_OK) {
    tx_free(tree);
    return status;
  }
  library_begin(comm);
  tree->comm = comm;
  tree->domain = *domain;
  tree->revision = 1;
  int n[3], periodic[3];
  for (int d = 0; d < 3; d++) {
    n[d] = tx_domain_trees(domain, d);
    periodic[d] = domain->low[d] == TX_FACE_PERIODIC;
  }
  tree->connectivity =
      p8est_connectivity_new_brick(n[0], n[1], n[2], periodic[0], periodic[1], periodic[2]);
  tree->forest = p8est_new_ext(comm, tree->connectivity, 0, level, 1, 0, NULL, NULL);
  partition(tree->forest, NULL);
  *out = tree;
  return TX_OK;
}

void tx_octree_destroy(tx_octree *tree) {
  if (!tree) return;
  p8est_destroy(tree->forest);
  p8est_connectivity_destroy(tree->connectivity);
  tx_free(tree);
  library_end();
}

tx_octant tx_octant_of(const tx_octree *tree, int32_t which_tree, const p8est_quadrant_t *q) {
  const p8est_connectivity_t *c = tree->connectivity;
  const double *corner = c->vertices + 3 * c->tree_to_vertex[8 * which_tree];
  const p4est_qcoord_t inside[3] = {q->x, q->y, q->z};
  tx_octant o = {.level = q->level};
  for (int d = 0; d < 3; d++)
    o.x[d] = ((int32_t)corner[d] << q->level) + (inside[d] >> (P8EST_MAXLEVEL - q->level));
  return o;
}

static void local_octants(const tx_octree *tree, tx_octant *out) {
  p8est_t *forest = tree->forest;
  for (p4est_topidx_t t = forest->first_local_tree; t <= forest->last_local_tree; t++) {
    p8est_tree_t *leaves = p8est_tree_array_index(forest->trees, t);
    for (size_t i = 0; i < leaves->quadrants.elem_count; i++) {
      *out = tx_octant_of(tree, t, p8est_quadrant_array_index(&leaves->quadrants, i));
      out++;
    }
  }
}

tx_status tx_octree_local(const tx_octree *tree, tx_lidx *n, tx_octant **out) {
  *n = tree->forest->local_num_quadrants;
  TX_TRY(tx_alloc((size_t)*n, sizeof **out, "octants", out));
  local_octants(tree, *out);
  return TX_OK;
}

/* The ghosts of other ranks, and which octants are ghosts there. */
static tx_status copy_ghosts(const tx_octree *tree, const p8est_ghost_t *ghost, tx_mesh *mesh) {
  const p8est_t *forest = tree->forest;
  size_t starts = (size_t)mesh->size + 1;
  size_t n_mirror = ghost ? (size_t)ghost->mirror_proc_offsets[mesh->size] : 0;
  TX_TRY(tx_alloc(starts, sizeof(tx_lidx), "ghosts", &mesh->ghost_start));
  TX_TRY(tx_alloc(starts, sizeof(tx_lidx), "ghosts", &mesh->mirror_start));
  TX_TRY(tx_alloc_raw(n_mirror, sizeof(tx_lidx), "ghosts", &mesh->mirror));
  if (!ghost) return TX_OK;
  memcpy(mesh->ghost_start, ghost->proc_offsets, starts * sizeof(tx_lidx));
  memcpy(mesh->mirror_start, ghost->mirror_proc_offsets, starts * sizeof(tx_lidx));
  for (size_t m = 0; m < n_mirror; m++) {
    size_t which = (size_t)ghost->mirror_proc_mirrors[m];
    const p8est_quadrant_t *q = p8est_quadrant_array_index((sc_array_t *)&ghost->mirrors, which);
    mesh->mirror[m] = q->p.piggy3.local_num;
  }
  for (int r = 0; r < mesh->size; r++)
    for (tx_lidx g = mesh->ghost_start[r]; g < mesh->ghost_start[r + 1]; g++) {
      tx_octant *o = &mesh->octant[mesh->n_local + g];
      const p8est_quadrant_t *q =
          p8est_quadrant_array_index((sc_array_t *)&ghost->ghosts, (size_t)g);
      *o = tx_octant_of(tree, q->p.piggy3.which_tree, q);
      o->owner = r;
      o->index = forest->global_first_quadrant[r] + q->p.piggy3.local_num;
    }
  return TX_OK;
}

tx_status tx_octree_leaves(const tx_octree *tree, tx_mesh *mesh) {
  p8est_t *forest = tree->forest;
  p8est_ghost_t *ghost = mesh->size > 1 ? p8est_ghost_new(forest, P8EST_CONNECT_FULL) : NULL;
  mesh->n_local = forest->local_num_quadrants;
  mesh->n_leaf = mesh->n_local;
  mesh->n_ghost = ghost ? (tx_lidx)ghost->ghosts.elem_count : 0;
  mesh->n_global = forest->global_num_quadrants;
  mesh->first = forest->global_first_quadrant[mesh->rank];
  size_t n = (size_t)mesh->n_local + (size_t)mesh->n_ghost;
  tx_status status = tx_alloc_raw(n, sizeof *mesh->octant, "octants", &mesh->octant);
  TX_THEN(status, copy_ghosts(tree, ghost, mesh));
  if (status == TX_OK && mesh->n_local > 0) {
    local_octants(tree, mesh->octant);
    for (tx_lidx b = 0; b < mesh->n_local; b++) {
      mesh->octant[b].owner = mesh->rank;
      mesh->octant[b].index = mesh->first + b;
    }
  }
  if (ghost) p8est_ghost_destroy(ghost);
  return status;
}

/* Marks are kept in p.user_int; octants that p4est makes have mark 0. */
static void set_marks(p8est_t *forest, const int8_t *mark) {
  for (p4est_topidx_t t = forest->first_local_tree; t <= forest->last_local_tree; t++) {
    p8est_tree_t *leaves = p8est_tree_array_index(forest->trees, t);
    for (size_t i = 0; i < leaves->quadrants.elem_count; i++)
      p8est_quadrant_array_index(&leaves->quadrants, i)->p.user_int = *mark++;
  }
}

static void clear_mark(p8est_t *forest, p4est_topidx_t which_tree, p8est_quadrant_t *q) {
  (void)forest, (void)which_tree;
  q->p.user_int = 0;
}

static int is_flagged(p8est_t *forest, p4est_topidx_t which_tree, p8est_quadrant_t *q) {
  (void)forest, (void)which_tree;
  return q->p.user_int > 0;
}

static int want_coarsening(p8est_t *forest, p4est_topidx_t which_tree, p8est_quadrant_t *family[]) {
  (void)forest, (void)which_tree;
  for (int c = 0; c < 8; c++)
    if (family[c]->p.user_int >= 0) return 0;
  return 1;
}

static tx_status check_adapt(const tx_octree *tree, const tx_mesh *mesh, int level_min,
                             int level_max, const int *weight_of_level) {
  TX_REQUIRE(mesh->revision == tree->revision, TX_ERR_MESH,
             "the mesh is of revision %llu, the forest of %llu; make a new mesh from the forest",
             (unsigned long long)mesh->revision, (unsigned long long)tree->revision);
  const int most = tx_domain_level_most(&tree->domain);
  TX_REQUIRE(0 <= level_min && level_min <= level_max && level_max <= most, TX_ERR_MESH,
             "levels %d to %d are impossible; they must lie within 0 to %d", level_min, level_max,
             most);
  for (int l = 0; weight_of_level && l <= level_max; l++)
    TX_REQUIRE(weight_of_level[l] > 0, TX_ERR_MESH,
               "the weight of level %d is %d; weights must be positive", l, weight_of_level[l]);
  return TX_OK;
}

/* Collective. May the forest have as many octants as the steps make of it? */
static tx_status ask_guard(const tx_octree *tree, const tx_mesh *mesh, const tx_steps *steps) {
  tx_gidx more[2] = {0, 0};
  if (!tree->allows || !steps->refines) return TX_OK;
  for (tx_lidx b = 0; b < mesh->n_local; b++) {
    more[0] += steps->step[b] > 0;
    more[1] += steps->step[b] < 0;
  }
  TX_MPI(MPI_Allreduce(MPI_IN_PLACE, more, 2, MPI_INT64_T, MPI_SUM, tree->comm));
  const tx_gidx octants = mesh->n_global + 7 * more[0] - more[1] / 8 * 7;
  return tx_agree(tree->comm, tree->allows(tree->allows_data, octants));
}

/* Collective. Refine and coarsen the forest by the steps, which say what becomes of each octant. */
static tx_status apply_steps(tx_octree *tree, const tx_mesh *mesh, const tx_steps *steps,
                             tx_transfer *transfer) {
  p8est_t *forest = tree->forest;
  tx_octant *now = NULL;
  tx_lidx n_now = 0;
  set_marks(forest, steps->step);
  if (steps->coarsens) p8est_coarsen(forest, 0, want_coarsening, clear_mark);
  if (steps->refines) p8est_refine(forest, 0, is_flagged, clear_mark);
  if (steps->coarsens || steps->refines) transfer->to_revision = ++tree->revision;
  tx_status status = tx_octree_local(tree, &n_now, &now);
  TX_THEN(status, tx_transfer_compare(mesh, n_now, now, transfer));
  tx_free(now);
  return tx_agree(tree->comm, status);
}

/* Collective. Sum up over ranks what changed. */
static tx_status count_changes(const tx_octree *tree, tx_transfer *transfer) {
  tx_gidx sums[2] = {transfer->n_refined, transfer->n_coarsened};
  TX_MPI(MPI_Allreduce(MPI_IN_PLACE, sums, 2, MPI_INT64_T, MPI_SUM, tree->comm));
  transfer->n_refined = sums[0];
  transfer->n_coarsened = sums[1];
  return TX_OK;
}

/* Collective. Repartition the leaves, and list the messages of the redistribution. */
static tx_status repartition(tx_octree *tree, const tx_mesh *mesh, const int *weight_of_level,
                             tx_gidx *old_first, tx_transfer *transfer) {
  p8est_t *forest = tree->forest;
  size_t bytes = ((size_t)mesh->size + 1) * sizeof *old_first;
  memcpy(old_first, forest->global_first_quadrant, bytes);
  partition(forest, weight_of_level);
  tree->weighted = weight_of_level != NULL;
  bool moved = memcmp(old_first, forest->global_first_quadrant, bytes) != 0;
  if (moved && transfer->to_revision == transfer->from_revision)
    transfer->to_revision = ++tree->revision;
  tx_status status = tx_transfer_messages(mesh->rank, mesh->size, old_first,
                                          forest->global_first_quadrant, transfer);
  TX_KEEP(status, count_changes(tree, transfer));
  return tx_agree(tree->comm, status);
}

tx_status tx_octree_adapt(tx_octree *tree, const tx_mesh *mesh, const tx_adaptation *to,
                          tx_transfer **out) {
  tx_steps steps = {.step = NULL};
  tx_gidx *old_first = NULL;
  tx_transfer *transfer = NULL;
  *out = NULL;
  tx_status status = check_adapt(tree, mesh, to->level_min, to->level_max, to->weight_of_level);
  TX_THEN(status, tx_alloc((size_t)mesh->size + 1, sizeof *old_first, "adapt", &old_first));
  TX_THEN(status, tx_alloc(1, sizeof *transfer, "transfer", &transfer));
  status = tx_agree(tree->comm, status);
  TX_THEN(status, tx_balance_steps(mesh, to->flag, to->level_min, to->level_max, &steps));
  TX_THEN(status, ask_guard(tree, mesh, &steps));
  if (status == TX_OK) {
    transfer->from_revision = transfer->to_revision = tree->revision;
    bool changes = steps.refines || steps.coarsens;
    if (changes || to->weight_of_level || tree->weighted) {
      status = apply_steps(tree, mesh, &steps, transfer);
      TX_THEN(status, repartition(tree, mesh, to->weight_of_level, old_first, transfer));
    }
  }
  tx_free(steps.step);
  tx_free(old_first);
  if (status == TX_OK)
    *out = transfer;
  else
    tx_transfer_destroy(transfer);
  return status;
}
