/* XDMF 2 for ParaView and VisIt: a temporal collection of unstructured grids; slices are three
 * grids a time. */
#include "output/internal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define SIDE (TX_N + 1)

/* End of the file; the next time is written over it. */
static const char tail[] = "</Grid>\n</Domain>\n</Xdmf>\n";

static void add_head(tx_text *text, const char *name) {
  tx_text_add(
      text,
      "<?xml version=\"1.0\" ?>\n<!DOCTYPE Xdmf SYSTEM \"Xdmf.dtd\" []>\n<Xdmf Version=\"2.0\">\n"
      "<Domain>\n<Grid Name=\"%s\" GridType=\"Collection\" CollectionType=\"Temporal\">\n",
      name);
}

/* One piece as an unstructured grid; its data sets are taken whole, as not every reader knows
 * hyperslabs. */
static void add_piece(tx_text *text, const char *name, const char *when, const char *data,
                      const tx_piece *p) {
  const bool plane = p->normal >= 0;
  const int corners = plane ? 4 : 8;
  const char *in = strcmp(p->group, "/") == 0 ? "" : p->group;
  const long long n = (long long)p->n, side = SIDE;
  const long long points = n * side * side * (plane ? 1 : side);
  const long long cells = n * TX_N * TX_N * (plane ? 1 : TX_N);
  char shape[128];
  snprintf(shape, sizeof shape, plane ? "%lld %d %d" : "%lld %d %d %d", n, SIDE, SIDE, SIDE);
  tx_text_add(text, "<Grid Name=\"%s\" GridType=\"Uniform\">\n%s", name, when);
  tx_text_add(text,
              "<Topology TopologyType=\"%s\" NumberOfElements=\"%lld\">\n"
              "<DataItem Dimensions=\"%lld %d\" NumberType=\"Int\" Precision=\"8\" Format=\"HDF\">"
              "%s:%s/cells</DataItem>\n</Topology>\n",
              plane ? "Quadrilateral" : "Hexahedron", cells, cells, corners, data, in);
  tx_text_add(text,
              "<Geometry GeometryType=\"XYZ\">\n"
              "<DataItem Dimensions=\"%lld 3\" NumberType=\"Float\" Precision=\"8\" Format=\"HDF\">"
              "%s:%s/points</DataItem>\n</Geometry>\n",
              points, data, in);
  for (int i = 0; i < p->n_sets; i++)
    tx_text_add(text,
                "<Attribute Name=\"%s\" AttributeType=\"Scalar\" Center=\"Node\">\n"
                "<DataItem Dimensions=\"%s\" NumberType=\"Float\" Precision=\"8\" Format=\"HDF\">"
                "%s:%s/%s</DataItem>\n</Attribute>\n",
                p->set[i], shape, data, in, p->set[i]);
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
                         const tx_piece *pieces) {
  tx_text text = {0};
  struct stat st;
  if (stat(path, &st) != 0 || st.st_size == 0) add_head(&text, name);
  char when[64];
  snprintf(when, sizeof when, "<Time Value=\"%.17g\"/>\n", t);
  if (n > 1)
    tx_text_add(&text, "<Grid Name=\"%s\" GridType=\"Collection\" CollectionType=\"Spatial\">\n%s",
                name, when);
  for (int i = 0; i < n; i++)
    add_piece(&text, n > 1 ? pieces[i].group + 1 : name, n > 1 ? "" : when, data, &pieces[i]);
  tx_text_add(&text, "%s%s", n > 1 ? "</Grid>\n" : "", tail);
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

off_t tx_xdmf_steady(off_t bytes) {
  const off_t end = (off_t)(sizeof tail - 1);
  return bytes > end ? bytes - end : 0;
}

tx_status tx_xdmf_cut(const char *path, off_t bytes) {
  const off_t at = bytes - (off_t)(sizeof tail - 1);
  TX_REQUIRE(at >= 0, TX_ERR_IO, "%s: %lld bytes are no collection of times", path,
             (long long)bytes);
  int fd = open(path, O_WRONLY | O_CLOEXEC);
  int bad = fd < 0 ? errno : 0;
  /* The file is not shorter than `bytes`: writing takes no room. */
  if (!bad && pwrite(fd, tail, sizeof tail - 1, at) != (ssize_t)sizeof tail - 1) bad = errno;
  if (!bad && ftruncate(fd, bytes) != 0) bad = errno;
  if (fd >= 0 && close(fd) != 0 && !bad) bad = errno;
  return bad ? tx_file_failed(path, strerror(bad)) : TX_OK;
}
