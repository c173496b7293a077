/* Modes of Psi4 as text, one file a mode and radius. As there are hundreds of files, rows are buffered and written
 * together. */
#include "output/internal.h"

#include "base/memory.h"

/* Rows of a file that are buffered at most. */
#define ROWS_MOST 256

static tx_status begin(tx_mode_buffer *rows, const tx_gw_info *gw) {
  size_t n = (size_t)gw->n_radii * (size_t)gw->n_modes;
  TX_TRY(tx_alloc(n, sizeof *rows->text, "mode buffer", &rows->text));
  rows->n_radii = gw->n_radii;
  rows->n_modes = gw->n_modes;
  for (int r = 0; r < gw->n_radii; r++) rows->radius[r] = gw->radii[r];
  return TX_OK;
}

tx_status tx_mode_buffer_add(tx_output *out, double t, const tx_gw_info *gw,
                             const double (*psi4)[2]) {
  tx_mode_buffer *rows = &out->mode_buffer;
  if (!rows->text) TX_TRY(begin(rows, gw));
  for (int i = 0; i < rows->n_radii * rows->n_modes; i++) {
    tx_text_add(&rows->text[i], "%.16e %.16e %.16e\n", t, psi4[i][0], psi4[i][1]);
    TX_TRY(rows->text[i].status);
  }
  rows->n_rows++;
  return rows->n_rows < ROWS_MOST ? TX_OK : tx_mode_buffer_flush(out);
}

tx_status tx_mode_buffer_flush(tx_output *out) {
  tx_mode_buffer *rows = &out->mode_buffer;
  if (rows->n_rows == 0) return TX_OK;
  for (int r = 0; r < rows->n_radii; r++)
    for (int i = 0; i < rows->n_modes; i++) {
      char path[PATH_MAX];
      int l, m;
      tx_text *text = &rows->text[r * rows->n_modes + i];
      tx_gw_mode(i, &l, &m);
      tx_output_path(out, path, "waves/mp_psi4_l%d_m%d_r%.2f.asc", l, m, rows->radius[r]);
      TX_TRY(tx_text_append(text, path));
      text->length = 0; /* the room is used again */
    }
  rows->n_rows = 0;
  return TX_OK;
}

void tx_mode_buffer_free(tx_mode_buffer *rows) {
  for (int i = 0; rows->text && i < rows->n_radii * rows->n_modes; i++)
    tx_text_free(&rows->text[i]);
  tx_free(rows->text);
  *rows = (tx_mode_buffer){0};
}
