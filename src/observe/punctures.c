/* Positions of the punctures, in the format of a puncture tracker of the Einstein Toolkit. */
#include "observe/observers.h"

/* Slots of a puncture tracker's file, used or not. */
#define TRACKER_SLOTS 10

/* Column heads, as the Einstein Toolkit writes them: kuibit takes the names from these two
 * lines. */
static void puncture_head(tx_text *text) {
  static const char *const names[4] = {"t", "x", "y", "z"};
  tx_text_add(text, "# column format: 1:it\t2:tl\t3:rl 4:c 5:ml\t6:ix 7:iy 8:iz\t9:time\t10:x 11:y "
                    "12:z\t13:data\n# data columns:");
  for (int c = 0; c < 4 * TRACKER_SLOTS; c++)
    tx_text_add(text, " %d:pt_loc_%s[%d]", 13 + c, names[c / TRACKER_SLOTS], c % TRACKER_SLOTS);
  tx_text_add(text, "\n");
}

static int steps_between(const tx_scene *scene) {
  return tx_params_punctures(scene->params) > 0 ? scene->params->output_track_every : 0;
}

static tx_status append_row(tx_output *out, const tx_sim *sim, void *state) {
  const tx_tracker *tracker = &sim->tracker;
  tx_rows rows;
  (void)state;
  if (tx_rows_begin(&rows, out, "puncturetracker-pt_loc..asc")) puncture_head(&rows.text);
  tx_text_add(&rows.text, "%lld\t0\t0 0 0\t0 0 0\t%.16e\t0 0 0\t", (long long)sim->step, sim->t);
  for (int c = 0; c < 4; c++)
    for (int a = 0; a < TRACKER_SLOTS; a++) {
      double value = a >= tracker->n ? 0.0 : c == 0 ? sim->t : tracker->at[a].x[c - 1];
      tx_text_add(&rows.text, "%s%.16e", c == 0 && a == 0 ? "" : " ", value);
    }
  tx_text_add(&rows.text, "\n");
  return tx_rows_end(&rows);
}

static tx_status write_track(const tx_scene *scene, void *state) {
  return tx_observe_rows(scene, append_row, state);
}

static const tx_run_file files[] = {{"", "puncturetracker-pt_loc..asc", TX_FILE_ROWS},
                                    {NULL, NULL, 0}};

const tx_observer tx_punctures_observer = {
    .every = steps_between,
    .deferral = TX_DEFERRED,
    .act = write_track,
    .files = files,
};
