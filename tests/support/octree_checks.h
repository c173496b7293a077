/* Independent checks of forests, meshes and ghost plans. Each returns the number of faults over all
 * ranks and prints the first few; all are collective over the mesh's communicator. */
#pragma once

#include "octree/octree.h"

/** Hash of (seed, level, x): the same on any rank count. */
uint64_t tx_test_hash(uint64_t seed, const tx_octant *o);

/** Wants from the hash: refine with probability p_up, coarsen whole families with p_down. */
void tx_test_random_flags(const tx_mesh *mesh, uint64_t seed, double p_up, double p_down,
                          int8_t *flag);

/** The n-th of the 27 kinds of domains: each dimension outer, reflecting or periodic. */
tx_domain tx_test_domain(int n);

/** A forest after `rounds` random adaptations within levels [low, high], and its mesh. */
tx_status tx_test_random_tree(MPI_Comm comm, const tx_domain *domain, uint64_t seed, int rounds,
                              int low, int high, tx_octree **tree, tx_mesh **mesh);

/** One adaptation: the mesh is replaced by the new one; the transfer may be NULL. */
tx_status tx_test_adapt(tx_octree *tree, tx_mesh **mesh, const int8_t *flag, int low, int high,
                        tx_transfer **transfer);

/** 0: apart, 1: touching, 2: overlapping; boxes of leaves, also across periodic faces. */
int tx_test_contact(const tx_mesh *mesh, const tx_octant *a, const tx_octant *b);

/** All leaves of all ranks, in order; free with free(). */
tx_octant *tx_test_all_leaves(const tx_mesh *mesh);

/** Leaves tile the domain, differ by a level at most where they touch, indices are in order. */
int64_t tx_test_check_leaves(const tx_mesh *mesh);

/** Every ghost point is filled exactly once from where it belongs, or lies beyond an outer face;
 *  interpolation reads only what phase 1 fills; buffers are covered exactly once. */
int64_t tx_test_check_plan(const tx_mesh *mesh);

/** What ranks send is what others expect, slab by slab. */
int64_t tx_test_check_messages(const tx_mesh *mesh);

/** Levels and positions carried from `old` by the transfer are those of `now`. */
int64_t tx_test_check_transfer(const tx_mesh *old, const tx_mesh *now, const tx_transfer *t);

/** Return the distance of octant b from x, in the domain without its images. Local. */
double tx_test_distance(const tx_mesh *mesh, tx_lidx b, const double x[3]);

/** Collective. Hash of all leaves and their levels that no partition changes. */
tx_status tx_test_mesh_checksum(const tx_mesh *mesh, uint64_t *out);

/** Return the bytes held by a mesh's tables on this rank. Local. */
size_t tx_test_mesh_bytes(const tx_mesh *mesh);
