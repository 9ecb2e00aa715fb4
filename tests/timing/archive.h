// tests/timing/archive.h: files out of a .tar.gz of tests/data/timing, or out of a folder.
#ifndef TESTS_TIMING_ARCHIVE_H
#define TESTS_TIMING_ARCHIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct archive;

// Fails the running test if there is no such file.
struct archive *archive_open(const char *path);

// A folder on disk; NULL if it is not there.
struct archive *archive_folder(const char *path);
void archive_close(struct archive *a);

// Bytes of a member, followed by a zero byte, valid until the archive is closed; NULL if there is
// none.
const uint8_t *archive_member(struct archive *a, const char *name, size_t *size);

// Tables: a header line, then lines of the same columns, separated by tabs.
struct table;
struct table *table_open(struct archive *a, const char *name);
void table_close(struct table *t);
bool table_next(struct table *t);
// A field of the current row; fails the test if there is no such column.
const char *table_text(const struct table *t, const char *column);
uint64_t table_number(const struct table *t, const char *column);

#endif
