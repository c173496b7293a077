/* Modes of Psi4 on their way to the files: an HDF5 file of hundreds of data sets, and hundreds of text files. Rows are buffered
 * and written together, which costs a tenth. */
#include "output/internal.h"

#include "base/memory.h"

/* Rows that are buffered at most. */
#define ROWS_MOST 256

static size_t modes_of(const tx_gw_info *gw) {
  return (size_t)gw->n_radii * (size_t)gw->n_modes;
}

tx_status tx_output_modes(tx_output *out, double t, const tx_gw_info *gw, const double (*psi4)[2]) {
  tx_mode_buffer *rows = &out->mode_buffer;
  if (!rows->row)
    TX_TRY(tx_alloc(modes_of(gw) * ROWS_MOST, sizeof *rows->row, "mode buffer", &rows->row));
  if (rows->n_rows == ROWS_MOST) TX_TRY(tx_mode_buffer_flush(out)); /* it failed before */
  rows->gw = gw;
  for (size_t i = 0; i < modes_of(gw); i++) {
    double *row = rows->row[i * ROWS_MOST + (size_t)rows->n_rows];
    row[0] = t;
    row[1] = psi4[i][0];
    row[2] = psi4[i][1];
  }
  rows->n_rows++;
  return rows->n_rows < ROWS_MOST ? TX_OK : tx_mode_buffer_flush(out);
}

/* The text file of mode i of all. */
static tx_status append_text(const tx_output *out, size_t i, const double (*row)[3]) {
  const tx_mode_buffer *rows = &out->mode_buffer;
  const size_t n_modes = (size_t)rows->gw->n_modes;
  char path[PATH_MAX];
  tx_text text = {0};
  int l, m;
  tx_gw_mode((int)(i % n_modes), &l, &m);
  tx_output_path(out, path, "waves/mp_psi4_l%d_m%d_r%.2f.asc", l, m, rows->gw->radii[i / n_modes]);
  for (int n = 0; n < rows->n_rows; n++)
    tx_text_add(&text, "%.16e %.16e %.16e\n", row[n][0], row[n][1], row[n][2]);
  tx_status status = tx_text_append(&text, path);
  tx_text_free(&text);
  return status;
}

tx_status tx_mode_buffer_flush(tx_output *out) {
  tx_mode_buffer *rows = &out->mode_buffer;
  if (rows->n_rows == 0) return TX_OK;
  const size_t files = out->params->waves_text ? 1 + modes_of(rows->gw) : 1;
  for (; rows->n_written < files; rows->n_written++) {
    const size_t i = rows->n_written;
    if (i == 0)
      TX_TRY(
          tx_modes_append(out, rows->gw, rows->n_rows, (const double(*)[3])rows->row, ROWS_MOST));
    else
      TX_TRY(append_text(out, i - 1, (const double(*)[3])rows->row + (i - 1) * ROWS_MOST));
  }
  rows->n_rows = 0;
  rows->n_written = 0;
  return TX_OK;
}

void tx_mode_buffer_free(tx_mode_buffer *rows) {
  tx_free(rows->row);
  *rows = (tx_mode_buffer){0};
}
