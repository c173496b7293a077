/* Small pieces of state, each under a name: where they are in memory, and how they are packed. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/status.h"

#define TX_RECORD_NAME 64

/** A small piece of state, the same on all ranks, that a file keeps under a name: items one after the other, or a member
 *  of each struct of an array. Packed, and in files, 'n' and 'b' are 64-bit integers as 'i'. */
typedef struct tx_record {
  char name[TX_RECORD_NAME]; /**< "fluxes/state"; a path of the file's groups */
  char kind;     /**< 'd': double, 'i': int64_t, 'n': int, 'b': bool, 't': byte of a text */
  size_t n;      /**< items; of each struct, if there are structs */
  void *data;    /**< borrowed; the first item: written from, read into */
  size_t count;  /**< structs */
  size_t stride; /**< bytes from one struct to the next; 0: there are no structs */
} tx_record;

/** A member of a struct: a number, or an array of n numbers in all. */
typedef struct tx_member {
  const char *name;
  char kind; /**< as that of a record */
  size_t offset, n;
} tx_member;

/** The members of a struct that files keep. */
typedef struct tx_members {
  int n;
  const tx_member *at;
  size_t stride; /**< bytes of the struct */
} tx_members;

#define TX_MEMBER_KIND(x)                                                                          \
  _Generic((x), double: 'd', double *: 'd', double(*)[3]: 'd', int64_t: 'i', int64_t *: 'i',       \
           size_t: 'i', int: 'n', int *: 'n', unsigned: 'n', unsigned *: 'n', bool: 'b')
#define TX_MEMBER_BYTES(kind) ((kind) == 'b' ? sizeof(bool) : (kind) == 'n' ? sizeof(int) : 8)

/** Member `path`, "x" or "surface.centre", of a struct: an initializer of tx_member. Enumerations count as int. */
#define TX_MEMBER(type, path)                                                                      \
  {                                                                                                \
    .name = #path, .kind = TX_MEMBER_KIND(((type *)0)->path), .offset = offsetof(type, path),      \
    .n = sizeof(((type *)0)->path) / TX_MEMBER_BYTES(TX_MEMBER_KIND(((type *)0)->path))            \
  }

/** All members in `table`, an array of tx_member, of a struct: an initializer of tx_members. */
#define TX_MEMBERS(type, table)                                                                    \
  { (int)(sizeof(table) / sizeof(table)[0]), table, sizeof(type) }

/** Records of a file. Start from {0}; owns `at`. */
typedef struct tx_record_list {
  int n, room;
  const char *prefix; /**< of the names of records that are added; NULL: none */
  tx_record *at;
  tx_status status; /**< the first failure to add one */
} tx_record_list;

/** Add `n` items at `data`, which stays the owner's, under a name. Failures go to list->status: TX_ERR_MEMORY, TX_ERR_IO
 *  for a name that is too long. Local. */
void tx_records_add(tx_record_list *list, const char *name, char kind, size_t n, void *data);

/** Add each member of `count` structs at `base`, under its name behind `prefix`. Local. */
void tx_records_add_members(tx_record_list *list, const char *prefix, const tx_members *members,
                            void *base, size_t count);
void tx_records_free(tx_record_list *list);

/** Items of a record, and the bytes that they take when packed, a multiple of 8. Local. */
size_t tx_record_items(const tx_record *record);
size_t tx_record_bytes(const tx_record *record);

/** Copy the items of a record to `packed`, of tx_record_bytes and aligned as int64_t, or back. Local. */
void tx_record_pack(const tx_record *record, void *packed);
void tx_record_unpack(const tx_record *record, const void *packed);

/** Pack, or unpack, all records of a list, one after the other. Local. */
size_t tx_records_packed_bytes(const tx_record_list *list);
void tx_records_pack(const tx_record_list *list, void *packed);
void tx_records_unpack(const tx_record_list *list, const void *packed);

/** Add records as those in `of`, but with their items in `packed`, which stays the owner's. Local. */
void tx_records_add_packed(tx_record_list *list, const tx_record_list *of, void *packed);
