/* Slices, whole fields, and the surroundings of a bad value: HDF5 with XDMF beside it. */
#include "output/internal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "base/log.h"
#include "base/memory.h"
#include "base/version.h"

static const char *const plane_names[3] = {"/x", "/y", "/z"};

/* A state of the fields, and the kind of files that it goes into. */
typedef struct snapshot {
  const char *kind;
  int64_t step;
  double t;
  tx_field_source from;
} snapshot;

/* Rank 0: begin <folder>/fields/<kind>.<step>.h5 as a .part file. */
static tx_status open_file(const tx_output *out, const snapshot *s, char *path, hid_t *file) {
  char folder[PATH_MAX];
  tx_output_path(out, folder, "fields");
  TX_TRY(tx_folder_create(folder));
  tx_output_path(out, path, "fields/%s.%07lld.h5.part", s->kind, (long long)s->step);
  TX_TRY(tx_h5_begin(path, 0, file));
  TX_TRY(tx_file_reserve(path, 65536));
  TX_TRY(tx_h5_text(*file, path, "code_version", tx_version()));
  TX_TRY(tx_h5_int(*file, path, "octant_points", TX_N));
  TX_TRY(tx_h5_int(*file, path, "iteration", s->step));
  return tx_h5_real(*file, path, "time", s->t);
}

/* Rank 0: finish the file and give it its name, or remove it; path "": it was not begun. */
static tx_status close_file(tx_status status, char *path, hid_t file) {
  char final[PATH_MAX];
  if (path[0] == '\0') return status;
  if (file >= 0 && H5Fclose(file) < 0) TX_KEEP(status, tx_h5_failed(path, "closing it"));
  TX_THEN(status, tx_file_sync(path));
  snprintf(final, sizeof final, "%.*s", (int)(strlen(path) - strlen(".part")), path);
  if (status == TX_OK && rename(path, final) == 0) return TX_OK;
  unlink(path);
  return status != TX_OK ? status : tx_file_failed(final, "cannot rename its .part file to it");
}

/* One file with n selections, each in a group, and its part of the XDMF file <kind>.xmf. */
static tx_status write_file(tx_output *out, const snapshot *s, int n,
                            const tx_selection *selections, const char *const *groups) {
  char path[PATH_MAX] = "", data[64];
  hid_t file = H5I_INVALID_HID;
  tx_piece pieces[3];
  tx_status status = TX_OK;
  memset(pieces, 0, sizeof pieces);
  if (out->rank == 0) status = open_file(out, s, path, &file);
  for (int i = 0; i < n; i++) { /* collective; goes through all of them */
    pieces[i].group = groups[i];
    pieces[i].system = out->system;
    status = tx_octants_write(out->comm, status, (tx_h5_target){file, path}, s->from,
                              &selections[i], &pieces[i]);
  }
  if (out->rank == 0) {
    status = close_file(status, path, file);
    snprintf(data, sizeof data, "%s.%07lld.h5", s->kind, (long long)s->step);
    if (status == TX_OK) {
      tx_output_path(out, path, "fields/%s.xmf", s->kind);
      status = tx_xdmf_append(path, s->kind, s->t, data, n, pieces);
    }
  }
  return tx_agree(out->comm, status);
}

static bool all_octants(const tx_mesh *mesh, tx_lidx b, const void *what) {
  (void)mesh, (void)b, (void)what;
  return true;
}

/* Octants whose lowest points lie in the plane through 0 across dimension *what. */
static bool on_plane(const tx_mesh *mesh, tx_lidx b, const void *what) {
  double low[3];
  tx_mesh_origin(mesh, b, low);
  return low[*(const int *)what] == 0.0;
}

typedef struct box {
  double low[3], size;
} box;

/* Octants that touch a box. */
static bool touches(const tx_mesh *mesh, tx_lidx b, const void *what) {
  const box *w = what;
  double low[3], size = tx_mesh_size(mesh, mesh->octant[b].level);
  tx_mesh_origin(mesh, b, low);
  for (int d = 0; d < 3; d++)
    if (low[d] > w->low[d] + w->size || low[d] + size < w->low[d]) return false;
  return true;
}

static tx_status select_octants(const tx_mesh *mesh,
                                bool (*chosen)(const tx_mesh *, tx_lidx, const void *),
                                const void *what, tx_selection *sel, tx_lidx **octants) {
  TX_TRY(tx_alloc((size_t)mesh->n_local, sizeof **octants, "output of octants", octants));
  sel->n = 0;
  for (tx_lidx b = 0; b < mesh->n_local; b++)
    if (chosen(mesh, b, what)) (*octants)[sel->n++] = b;
  sel->octant = *octants;
  return TX_OK;
}

bool tx_output_has_quantities(const tx_output *out) {
  return out->quantities != 0;
}

/* Analysis quantities of n selections, and the ghosts of the state again. Collective. */
static tx_status take_quantities(const tx_output *out, tx_field_source from, const tx_field *of,
                                 int n, tx_selection *sel, double **values) {
  if (!out->quantities) return TX_OK;
  tx_status status = TX_OK;
  TX_KEEP(status, tx_ghosts_fill(from.exec, of));
  for (int i = 0; i < n; i++) {
    sel[i].quantities = out->quantities;
    TX_THEN(status, tx_quantities_take((tx_field_source){from.exec, of}, &sel[i], &values[i]));
  }
  TX_KEEP(status, tx_ghosts_fill(from.exec, from.u));
  return tx_agree(out->comm, status);
}

tx_status tx_output_slices(tx_output *out, int64_t step, double t, tx_exec *exec, tx_field *u,
                           const tx_field *quantities) {
  const snapshot now = {"slices", step, t, {exec, u}};
  tx_selection sel[3];
  tx_lidx *octants[3] = {NULL};
  double(*psi4[3])[TX_PSI4_COLUMNS] = {NULL}, *values[3] = {NULL};
  tx_status status = TX_OK;
  for (int d = 0; d < 3; d++) {
    sel[d] = (tx_selection){.normal = d, .variables = out->variables};
    TX_KEEP(status, select_octants(tx_exec_mesh(exec), on_plane, &d, &sel[d], &octants[d]));
  }
  status = tx_agree(out->comm, status);
  for (int d = 0; d < 3 && out->params->output_slices_psi4; d++) {
    size_t first = 0;
    TX_THEN(status, tx_planes_psi4(out->comm, now.from, &sel[d], &psi4[d], &first));
    if (psi4[d]) sel[d].psi4 = (const double(*)[TX_PSI4_COLUMNS])psi4[d] + first;
  }
  TX_THEN(status, take_quantities(out, now.from, quantities, 3, sel, values));
  TX_THEN(status, write_file(out, &now, 3, sel, plane_names));
  for (int d = 0; d < 3; d++) {
    tx_free(octants[d]);
    tx_free(psi4[d]);
    tx_free(values[d]);
  }
  return status;
}

static tx_status write_volume(tx_output *out, const snapshot *s,
                              bool (*chosen)(const tx_mesh *, tx_lidx, const void *),
                              const void *what, const tx_field *quantities) {
  static const char *const root[1] = {"/"};
  const uint32_t all = (uint32_t)((UINT64_C(1) << out->system->n_vars) - 1);
  tx_selection sel = {.normal = -1, .variables = chosen == all_octants ? out->variables : all};
  tx_lidx *octants = NULL;
  double *values = NULL;
  tx_status status =
      tx_agree(out->comm, select_octants(tx_exec_mesh(s->from.exec), chosen, what, &sel, &octants));
  if (chosen == all_octants)
    TX_THEN(status, take_quantities(out, s->from, quantities, 1, &sel, &values));
  TX_THEN(status, write_file(out, s, 1, &sel, root));
  tx_free(octants);
  tx_free(values);
  return status;
}

tx_status tx_output_fields(tx_output *out, int64_t step, double t, tx_exec *exec, tx_field *u,
                           const tx_field *quantities) {
  const snapshot now = {"fields", step, t, {exec, u}};
  return write_volume(out, &now, all_octants, NULL, quantities);
}

static bool is_bad(const tx_system *system, const double *values) {
  for (int v = 0; v < system->n_vars; v++)
    for (int p = 0; p < TX_N3; p++) {
      double value = values[(size_t)v * TX_N3 + (size_t)p];
      if (!isfinite(value)) return true;
      if (system->variable[v].positive && !(value > 0.0)) return true;
    }
  return false;
}

/* The first octant of all with a bad value; index -1 if there is none. */
static tx_status find_bad(MPI_Comm comm, const tx_mesh *mesh, tx_field *u, int64_t *index,
                          box *where) {
  int64_t mine = INT64_MAX, first = INT64_MAX;
  tx_status status = TX_OK;
  double found[4] = {0.0};
  for (tx_lidx b = 0; b < mesh->n_local && mine == INT64_MAX && status == TX_OK; b++) {
    const double *values = NULL;
    status = tx_field_view(u, b, &values);
    if (status != TX_OK || !is_bad(tx_field_system(u), values)) continue;
    mine = mesh->first + b;
    tx_mesh_origin(mesh, b, found);
    found[3] = tx_mesh_size(mesh, mesh->octant[b].level);
  }
  TX_TRY(tx_agree(comm, status));
  TX_MPI(MPI_Allreduce(&mine, &first, 1, MPI_INT64_T, MPI_MIN, comm));
  if (mine != first) memset(found, 0, sizeof found);
  TX_MPI(MPI_Allreduce(MPI_IN_PLACE, found, 4, MPI_DOUBLE, MPI_SUM, comm));
  *index = first == INT64_MAX ? -1 : first;
  memcpy(where->low, found, sizeof where->low);
  where->size = found[3];
  return TX_OK;
}

tx_status tx_output_bad_place(tx_output *out, int64_t step, double t, tx_exec *exec, tx_field *u) {
  int64_t index = -1;
  box where;
  TX_TRY(find_bad(out->comm, tx_exec_mesh(exec), u, &index, &where));
  if (index < 0) return TX_OK;
  TX_TRY(tx_agree(out->comm, tx_ghosts_fill(exec, u)));
  const snapshot now = {"bad", step, t, {exec, u}};
  TX_TRY(write_volume(out, &now, touches, &where, NULL));
  tx_log("step %lld, t = %g M: all variables of the octants around the bad point are in "
         "%s/fields/bad.%07lld.h5; open bad.xmf in ParaView",
         (long long)step, t, out->folder, (long long)step);
  return TX_OK;
}
