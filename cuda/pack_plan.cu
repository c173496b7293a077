/* Packing of phase 1: a slab that is part of another one, from the same octant to the same rank,
 * is not sent but unpacked from that one. At a flat border between ranks that is 8 of 9 slabs,
 * and 60 % of the points. */
#include <algorithm>
#include <vector>

#include "cuda/backend.cuh"

/* Slabs of one message, in the order of their places. */
struct message_slabs {
  const tx_slab *slab;
  const tx_lidx *order;
  tx_lidx n;
};

static int points_of(const tx_slab *s) {
  return s->n[0] * s->n[1] * s->n[2];
}

/* Find the first point of slab `s` in the box of slab `in`, counted in the points of that box.
 * Return false unless all of `s` is there. */
static bool find_in(const tx_slab *s, const tx_slab *in, int first[3]) {
  if (s->kind != in->kind || s->mirror != in->mirror) return false;
  for (int d = 0; d < 3; d++) {
    const int away = s->from[d] - in->from[d], step = in->step[d];
    if (s->step[d] != step || away % step != 0) return false;
    first[d] = away / step;
    if (first[d] < 0 || first[d] + s->n[d] > in->n[d]) return false;
  }
  return true;
}

/* Choose the slab from which each one of a group, all of one octant, is unpacked: the first of
 * the largest that hold it. */
static void choose_slabs(const message_slabs *b, tx_lidx *group, tx_lidx n,
                         tx_cuda_packed_slab *out) {
  std::sort(group, group + n, [b](tx_lidx i, tx_lidx j) {
    const int more = points_of(&b->slab[b->order[i]]) - points_of(&b->slab[b->order[j]]);
    return more != 0 ? more > 0 : i < j;
  });
  for (tx_lidx i = 0; i < n; i++) {
    const tx_lidx own = b->order[group[i]];
    int first[3];
    out[own].in = own;
    for (tx_lidx k = 0; k < i && out[own].in == own; k++) {
      const tx_lidx other = b->order[group[k]];
      if (out[other].in == other && find_in(&b->slab[own], &b->slab[other], first))
        out[own].in = other;
    }
  }
}

/* Place the packed slabs of a message one after the other from point `at` on; *m: the message.
 * `last` [octants]: the last slab of each octant; all -1 before and after. */
static void pack_message(const message_slabs *b, int64_t at, tx_message *m,
                         std::vector<tx_lidx> *last, tx_cuda_packed_slab *out) {
  std::vector<tx_lidx> before((size_t)b->n), group;
  for (tx_lidx i = 0; i < b->n; i++) {
    tx_lidx *end = &(*last)[(size_t)b->slab[b->order[i]].src];
    before[(size_t)i] = *end;
    *end = i;
  }
  for (tx_lidx i = 0; i < b->n; i++) {
    tx_lidx *end = &(*last)[(size_t)b->slab[b->order[i]].src];
    group.clear();
    for (tx_lidx k = *end; k >= 0; k = before[(size_t)k]) group.push_back(k);
    choose_slabs(b, group.data(), (tx_lidx)group.size(), out);
    *end = -1;
  }
  m->at = at;
  m->n = 0;
  for (tx_lidx i = 0; i < b->n; i++) {
    const tx_lidx own = b->order[i];
    if (out[own].in != own) continue;
    out[own].at = m->at + m->n;
    m->n += points_of(&b->slab[own]);
  }
}

/* Place all messages without gaps and return their number of points. `order` lists the slabs by
 * place. */
static int64_t pack_messages(const tx_mesh *mesh, const tx_slab *slab,
                             const std::vector<tx_lidx> &order, tx_message *m, int n,
                             tx_cuda_packed_slab *out) {
  std::vector<tx_lidx> last_of((size_t)(mesh->n_local + mesh->n_ghost), -1);
  size_t first = 0;
  int64_t points = 0;
  for (int i = 0; i < n; i++) {
    size_t last = first;
    while (last < order.size() && slab[order[last]].at < m[i].at + m[i].n) last++;
    const message_slabs b = {slab, order.data() + first, (tx_lidx)(last - first)};
    pack_message(&b, points, &m[i], &last_of, out);
    points += m[i].n;
    first = last;
  }
  return points;
}

static tx_status copy_messages(const tx_message *from, int n, tx_message **out) {
  TX_TRY(tx_alloc((size_t)n, sizeof **out, "GPU plan", out));
  std::copy(from, from + n, *out);
  return TX_OK;
}

/* Place the messages of phase 2 behind those of phase 1, which take fewer points than in the
 * ghost plan. */
static tx_status place_phase2(const tx_ghost_plan *g, tx_cuda_pack_plan *p) {
  for (int i = 0; i < g->n_recv1_from; i++) p->ahead += g->recv1_from[i].n;
  p->ahead -= p->received_points;
  TX_TRY(copy_messages(g->recv2_from, g->n_recv2_from, &p->recv2_from));
  for (int i = 0; i < g->n_recv2_from; i++) {
    p->recv2_from[i].at -= p->ahead;
    p->received_points += p->recv2_from[i].n;
  }
  return TX_OK;
}

tx_status tx_cuda_pack_plan_create(tx_exec *x) {
  const tx_ghost_plan *g = &x->mesh->ghosts;
  tx_cuda_pack_plan *p = &tx_cuda_of(x)->pack_plan;
  std::vector<tx_lidx> sent, received;
  if (g->n_send1_to + g->n_recv1_from + g->n_recv2_from == 0) return TX_OK;
  TX_TRY(copy_messages(g->send1_to, g->n_send1_to, &p->send1_to));
  TX_TRY(copy_messages(g->recv1_from, g->n_recv1_from, &p->recv1_from));
  TX_TRY(tx_alloc((size_t)g->n_send1, sizeof *p->sent, "GPU plan", &p->sent));
  TX_TRY(tx_alloc((size_t)g->slot_start[x->mesh->n_local], sizeof *p->received, "GPU plan",
                  &p->received));
  for (tx_lidx i = 0; i < g->n_send1; i++) sent.push_back(i);
  for (tx_lidx b = 0; b < x->mesh->n_local; b++)
    for (tx_lidx i = g->slot_start[b]; i < g->slot_phase2[b]; i++) received.push_back(i);
  std::sort(received.begin(), received.end(),
            [g](tx_lidx i, tx_lidx j) { return g->slot[i].at < g->slot[j].at; });
  p->send1_points = pack_messages(x->mesh, g->send1, sent, p->send1_to, g->n_send1_to, p->sent);
  p->received_points =
      pack_messages(x->mesh, g->slot, received, p->recv1_from, g->n_recv1_from, p->received);
  for (tx_lidx i = 0; i < g->n_send1; i++) p->n_sent += p->sent[i].in == i;
  return x->mesh->level ? TX_OK : place_phase2(g, p);
}

void tx_cuda_pack_plan_destroy(tx_exec *x) {
  tx_cuda_pack_plan *p = &tx_cuda_of(x)->pack_plan;
  tx_free(p->send1_to);
  tx_free(p->recv1_from);
  tx_free(p->recv2_from);
  tx_free(p->sent);
  tx_free(p->received);
}

tx_cuda_copy tx_cuda_copy_from_box(const tx_slab *s) {
  tx_cuda_copy c;
  memset(&c, 0, sizeof c);
  c.from = s->at;
  c.from_x = 1;
  c.from_y = s->n[0];
  c.from_z = (int16_t)(s->n[0] * s->n[1]);
  c.from_var = (int16_t)(s->n[0] * s->n[1] * s->n[2]);
  for (int d = 0; d < 3; d++) c.n[d] = (uint8_t)s->n[d];
  return c;
}

tx_cuda_copy tx_cuda_copy_from_stages(const tx_cuda *plan, const tx_slab *s) {
  const bool here = s->src < plan->interpolated_by.n_local;
  tx_cuda_copy c =
      here ? tx_cuda_copy_interpolated(plan->interpolated_by.from, s) : tx_cuda_copy_from_box(s);
  c.from += here ? plan->interpolated_by.boxes : -plan->interpolated_by.ahead;
  c.own = here || plan->interpolated_by.from != plan->interpolation;
  return c;
}

tx_cuda_copy tx_cuda_copy_from_slot(const tx_cuda *plan, const tx_ghost_plan *g, tx_lidx i) {
  const tx_slab *s = &g->slot[i];
  const tx_cuda_pack_plan *p = &plan->pack_plan;
  if (s->kind == TX_SLAB_INTERP) return tx_cuda_copy_from_stages(plan, s);
  const tx_slab *in = &g->slot[p->received[i].in];
  tx_cuda_copy c = tx_cuda_copy_from_box(in);
  int first[3] = {0, 0, 0};
  (void)find_in(s, in, first);
  c.from = p->received[p->received[i].in].at;
  c.from_offset = first[2] * c.from_z + first[1] * c.from_y + first[0];
  for (int d = 0; d < 3; d++) c.n[d] = (uint8_t)s->n[d];
  return c;
}
