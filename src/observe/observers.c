/* The list of observers, and the set of a run. */
#include "observe/observers.h"

#include <string.h>
#include "base/memory.h"

/* All observers, in the order in which they act. */
static const tx_observer *const entries[] = {
    &tx_punctures_observer, &tx_norms_observer,          &tx_named_norms_observer,
    &tx_modes_observer,     &tx_waves_observer,          &tx_worldtubes_observer,
    &tx_horizons_observer,  &tx_lapse_gradient_observer, &tx_slices_observer,
    &tx_fields_observer,    &tx_grid_observer,
};
#define ENTRIES ((int)(sizeof entries / sizeof entries[0]))
_Static_assert(sizeof entries / sizeof entries[0] <= 32, "a set has 32 bits");

struct tx_observers {
  const tx_scene *scene;
  void *state[ENTRIES];
};

tx_status tx_observe_rows(const tx_scene *scene, tx_append_rows *append, void *state) {
  tx_status status = TX_OK;
  tx_phase_begin(TX_PHASE_OUTPUT);
  if (tx_output_writes(scene->output)) status = append(scene->output, scene->sim, state);
  status = tx_agree(scene->comm, status);
  tx_phase_end(TX_PHASE_OUTPUT);
  return status;
}

static int every(const tx_observers *o, int i) {
  return entries[i]->every ? entries[i]->every(o->scene) : 0;
}

tx_status tx_observers_create(const tx_scene *scene, tx_observers **out) {
  tx_observers *o = NULL;
  tx_status status = tx_alloc(1, sizeof *o, "observers", &o);
  *out = o;
  if (status != TX_OK) return status;
  o->scene = scene;
  for (int i = 0; i < ENTRIES && status == TX_OK; i++)
    if (entries[i]->create && (!entries[i]->every || every(o, i) > 0))
      status = entries[i]->create(scene, &o->state[i]);
  return status;
}

void tx_observers_destroy(tx_observers *o) {
  if (!o) return;
  for (int i = 0; i < ENTRIES; i++)
    if (entries[i]->destroy) entries[i]->destroy(o->state[i]);
  tx_free(o);
}

const tx_manifest *tx_observers_files(void) {
  static const tx_run_file *lists[ENTRIES];
  static tx_manifest files = {.lists = lists};
  if (files.n == 0)
    for (int i = 0; i < ENTRIES; i++)
      if (entries[i]->files) lists[files.n++] = entries[i]->files;
  return &files;
}

/* Is something due at this step that is so every so many steps, and at the last one? Coarsest steps end at all of these. */
static bool is_due(int64_t step, int steps, bool last) {
  return steps > 0 && (last || step % steps == 0);
}

tx_observer_set tx_observers_due(const tx_observers *o, int64_t step, bool last) {
  tx_observer_set set = 0;
  for (int i = 0; i < ENTRIES; i++) set |= (tx_observer_set)is_due(step, every(o, i), last) << i;
  return set;
}

tx_observer_set tx_observers_deferred(bool first_only) {
  tx_observer_set set = 0;
  for (int i = 0; i < ENTRIES; i++) {
    const tx_deferral when = entries[i]->deferral;
    set |= (tx_observer_set)(when == TX_DEFERRED_FIRST || (when == TX_DEFERRED && !first_only))
           << i;
  }
  return set;
}

bool tx_observers_need_ghosts(tx_observer_set set) {
  for (int i = 0; i < ENTRIES; i++)
    if ((set >> i & 1) && entries[i]->needs_ghosts) return true;
  return false;
}

tx_status tx_observers_check(tx_observers *o) {
  tx_status status = TX_OK;
  for (int i = 0; i < ENTRIES; i++)
    if (entries[i]->check && o->state[i]) TX_THEN(status, entries[i]->check(o->scene, o->state[i]));
  return tx_agree(o->scene->comm, status);
}

tx_status tx_observers_describe(tx_observers *o) {
  for (int i = 0; i < ENTRIES; i++)
    if (entries[i]->describe && o->state[i]) TX_TRY(entries[i]->describe(o->scene, o->state[i]));
  return TX_OK;
}

tx_status tx_observers_act(tx_observers *o, tx_observer_set set) {
  for (int i = 0; i < ENTRIES; i++)
    if (set >> i & 1) TX_TRY(entries[i]->act(o->scene, o->state[i]));
  return TX_OK;
}

tx_status tx_observers_save(tx_observers *o) {
  for (int i = 0; i < ENTRIES; i++)
    if (entries[i]->save && o->state[i]) TX_TRY(entries[i]->save(o->scene, o->state[i]));
  return TX_OK;
}

tx_status tx_observers_resume(tx_observers *o, const char *checkpoint) {
  for (int i = 0; i < ENTRIES; i++)
    if (entries[i]->resume) TX_TRY(entries[i]->resume(o->scene, o->state[i], checkpoint));
  return TX_OK;
}

int tx_observers_count(void) {
  return ENTRIES;
}

void tx_observers_records(tx_observers *o, int i, tx_record_list *list) {
  if (entries[i]->records && o->state[i]) entries[i]->records(o->state[i], list);
}

int tx_observers_index(const tx_observer *observer) {
  int i = 0;
  while (i < ENTRIES && entries[i] != observer) i++;
  return i;
}

void *tx_observers_state(const tx_observers *o, const tx_observer *observer) {
  return o->state[tx_observers_index(observer)];
}

tx_status tx_observe_grid(tx_observers *o) {
  return tx_grid_observer.act(o->scene, tx_observers_state(o, &tx_grid_observer));
}
