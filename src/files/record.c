/* Records in memory. */
#include "files/record.h"

#include <stdio.h>
#include <string.h>
#include "base/memory.h"

static tx_status grow(tx_record_list *list) {
  if (list->n < list->room) return TX_OK;
  const int room = 2 * list->room + 32;
  TX_TRY(tx_realloc((size_t)room, sizeof *list->at, "records", &list->at));
  list->room = room;
  return TX_OK;
}

static tx_status add(tx_record_list *list, const char *prefix, const char *name,
                     const tx_record *record) {
  TX_TRY(grow(list));
  tx_record *own = &list->at[list->n];
  *own = *record;
  const int length = snprintf(own->name, sizeof own->name, "%s%s%s",
                              list->prefix ? list->prefix : "", prefix, name);
  TX_REQUIRE(length < TX_RECORD_NAME, TX_ERR_IO, "record '%s%s': its name is too long", prefix,
             name);
  list->n++;
  return TX_OK;
}

void tx_records_add(tx_record_list *list, const char *name, char kind, size_t n, void *data) {
  TX_THEN(list->status, add(list, "", name, &(tx_record){.kind = kind, .n = n, .data = data}));
}

void tx_records_add_members(tx_record_list *list, const char *prefix, const tx_members *members,
                            void *base, size_t count) {
  for (int i = 0; i < members->n; i++) {
    const tx_member *m = &members->at[i];
    const tx_record record = {.kind = m->kind,
                              .n = m->n,
                              .data = (char *)base + m->offset,
                              .count = count,
                              .stride = members->stride};
    TX_THEN(list->status, add(list, prefix, m->name, &record));
  }
}

void tx_records_free(tx_record_list *list) {
  tx_free(list->at);
  *list = (tx_record_list){0};
}

size_t tx_record_items(const tx_record *r) {
  return r->stride > 0 ? r->count * r->n : r->n;
}

/* Bytes of a packed item. */
static size_t item_bytes(char kind) {
  return kind == 't' ? 1 : sizeof(int64_t);
}

size_t tx_record_bytes(const tx_record *r) {
  return (tx_record_items(r) * item_bytes(r->kind) + 7) / 8 * 8;
}

static void pack(char kind, size_t n, const void *items, void *packed) {
  int64_t *number = packed;
  if (kind == 'n')
    for (size_t i = 0; i < n; i++) number[i] = ((const int *)items)[i];
  else if (kind == 'b')
    for (size_t i = 0; i < n; i++) number[i] = ((const bool *)items)[i];
  else if (n > 0)
    memcpy(packed, items, n * item_bytes(kind));
}

static void unpack(char kind, size_t n, const void *packed, void *items) {
  const int64_t *number = packed;
  if (kind == 'n')
    for (size_t i = 0; i < n; i++) ((int *)items)[i] = (int)number[i];
  else if (kind == 'b')
    for (size_t i = 0; i < n; i++) ((bool *)items)[i] = number[i] != 0;
  else if (n > 0)
    memcpy(items, packed, n * item_bytes(kind));
}

void tx_record_pack(const tx_record *r, void *packed) {
  const size_t structs = r->stride > 0 ? r->count : 1, bytes = r->n * item_bytes(r->kind);
  for (size_t s = 0; s < structs; s++)
    pack(r->kind, r->n, (const char *)r->data + s * r->stride, (char *)packed + s * bytes);
}

void tx_record_unpack(const tx_record *r, const void *packed) {
  const size_t structs = r->stride > 0 ? r->count : 1, bytes = r->n * item_bytes(r->kind);
  for (size_t s = 0; s < structs; s++)
    unpack(r->kind, r->n, (const char *)packed + s * bytes, (char *)r->data + s * r->stride);
}

size_t tx_records_packed_bytes(const tx_record_list *list) {
  size_t bytes = 0;
  for (int i = 0; i < list->n; i++) bytes += tx_record_bytes(&list->at[i]);
  return bytes;
}

void tx_records_pack(const tx_record_list *list, void *packed) {
  char *at = packed;
  for (int i = 0; i < list->n; at += tx_record_bytes(&list->at[i++]))
    tx_record_pack(&list->at[i], at);
}

void tx_records_unpack(const tx_record_list *list, const void *packed) {
  const char *at = packed;
  for (int i = 0; i < list->n; at += tx_record_bytes(&list->at[i++]))
    tx_record_unpack(&list->at[i], at);
}

void tx_records_add_packed(tx_record_list *list, const tx_record_list *of, void *packed) {
  char *at = packed;
  TX_KEEP(list->status, of->status);
  for (int i = 0; i < of->n; at += tx_record_bytes(&of->at[i++])) {
    const tx_record *r = &of->at[i];
    const char kind = (char)(r->kind == 'n' || r->kind == 'b' ? 'i' : r->kind);
    tx_records_add(list, r->name, kind, tx_record_items(r), at);
  }
}
