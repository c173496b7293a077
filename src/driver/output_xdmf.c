/* XDMF 2 for ParaView: a temporal collection of spatial collections, one grid an octant. */
#include "driver/output_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define SIDE (TX_N + 1)

/* What ends the file; the next time is written over it. */
static const char tail[] = "</Grid>\n</Domain>\n</Xdmf>\n";

static void add_head(tx_text *text, const char *name) {
  tx_text_add(
      text,
      "<?xml version=\"1.0\" ?>\n<!DOCTYPE Xdmf SYSTEM \"Xdmf.dtd\" []>\n<Xdmf Version=\"2.0\">\n"
      "<Domain>\n<Grid Name=\"%s\" GridType=\"Collection\" CollectionType=\"Temporal\">\n",
      name);
}

/* Dimensions, origins and spacings are listed in the order z, y, x. */
static void add_octant(tx_text *text, const char *data, const char *group, const tx_piece *p,
                       int64_t b) {
  int side[3] = {SIDE, SIDE, SIDE};
  if (p->normal >= 0) side[p->normal] = 1;
  const double *x = &p->origin[3 * b], h = p->spacing[b];
  tx_text_add(text,
              "<Grid Name=\"%s%lld\" GridType=\"Uniform\">\n"
              "<Topology TopologyType=\"3DCoRectMesh\" Dimensions=\"%d %d %d\"/>\n"
              "<Geometry GeometryType=\"ORIGIN_DXDYDZ\">"
              "<DataItem Dimensions=\"3\" NumberType=\"Float\" Precision=\"8\" Format=\"XML\">"
              "%.17g %.17g %.17g</DataItem>"
              "<DataItem Dimensions=\"3\" NumberType=\"Float\" Precision=\"8\" Format=\"XML\">"
              "%.17g %.17g %.17g</DataItem></Geometry>\n",
              group + 1, (long long)b, side[2], side[1], side[0], x[2], x[1], x[0], h, h, h);
  for (int v = 0; v < TX_VARS; v++) {
    if (!((p->variables >> v) & 1)) continue;
    char one[64], all[128], select[256];
    if (p->normal < 0) {
      snprintf(one, sizeof one, "%d %d %d", SIDE, SIDE, SIDE);
      snprintf(select, sizeof select, "%lld 0 0 0 1 1 1 1 1 %s", (long long)b, one);
    } else {
      snprintf(one, sizeof one, "%d %d", SIDE, SIDE);
      snprintf(select, sizeof select, "%lld 0 0 1 1 1 1 %s", (long long)b, one);
    }
    snprintf(all, sizeof all, "%lld %s", (long long)p->n, one);
    tx_text_add(text,
                "<Attribute Name=\"%s\" AttributeType=\"Scalar\" Center=\"Node\">"
                "<DataItem ItemType=\"HyperSlab\" Dimensions=\"%d %d %d\" Type=\"HyperSlab\">"
                "<DataItem Dimensions=\"3 %d\" Format=\"XML\">%s</DataItem>"
                "<DataItem Dimensions=\"%s\" NumberType=\"Float\" Precision=\"8\" Format=\"HDF\">"
                "%s:%s%s%s</DataItem></DataItem></Attribute>\n",
                tx_variables[v].name, side[2], side[1], side[0], p->normal < 0 ? 4 : 3, select, all,
                data, group, strcmp(group, "/") == 0 ? "" : "/", tx_variables[v].name);
  }
  tx_text_add(text, "</Grid>\n");
}

/* Write over the tail; a disk that fills up leaves the tail as it was. */
static int write_over_tail(int fd, const tx_text *text) {
  off_t end = lseek(fd, 0, SEEK_END);
  off_t at = end - (off_t)(sizeof tail - 1);
  if (end < 0) return errno;
  if (end == 0) at = 0;
  if (at < 0) return EINVAL;
  size_t done = 0;
  int bad = 0;
  while (done < text->length && !bad) {
    ssize_t n = pwrite(fd, text->data + done, text->length - done, at + (off_t)done);
    if (n < 0 && errno != EINTR) bad = errno;
    if (n == 0) bad = ENOSPC;
    if (n > 0) done += (size_t)n;
  }
  if (!bad) return 0;
  if (end > 0 && pwrite(fd, tail, sizeof tail - 1, at) < 0) return bad;
  return ftruncate(fd, end) == 0 ? bad : errno;
}

tx_status tx_xdmf_append(const char *path, const char *name, double t, const char *data, int n,
                         const char *const *groups, const tx_piece *pieces) {
  tx_text text = {0};
  struct stat st;
  if (stat(path, &st) != 0 || st.st_size == 0) add_head(&text, name);
  tx_text_add(&text,
              "<Grid Name=\"%s\" GridType=\"Collection\" CollectionType=\"Spatial\">\n"
              "<Time Value=\"%.17g\"/>\n",
              name, t);
  for (int i = 0; i < n; i++)
    for (int64_t b = 0; b < pieces[i].n; b++) add_octant(&text, data, groups[i], &pieces[i], b);
  tx_text_add(&text, "</Grid>\n%s", tail);
  tx_status status = text.status;
  if (status == TX_OK) {
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    int bad = fd < 0 ? errno : write_over_tail(fd, &text);
    if (fd >= 0 && close(fd) != 0 && !bad) bad = errno;
    if (bad) status = tx_file_failed(path, strerror(bad));
  }
  tx_text_free(&text);
  return status;
}
