// tests/isa/reference.h: tables measured on assemblers and on the RTL, read by column name.
//
// The compact copies under tests/data/isa/ keep the column names of the full set, which is
// looked for in $PULPSIM_REFERENCE or ../shared/reference and read by the same tests.
#ifndef PULPSIM_TESTS_REFERENCE_H
#define PULPSIM_TESTS_REFERENCE_H

#include <stdbool.h>
#include <zlib.h>

enum { REFERENCE_COLUMNS = 8, REFERENCE_LINE = 512 };

struct reference {
  gzFile file;
  int count; // columns asked for
  int column[REFERENCE_COLUMNS];
  char line[REFERENCE_LINE];
  const char *field[REFERENCE_COLUMNS]; // of the current row, in the order asked for
};

// Opens `path`, plain or gzip, whose first line names the columns. A name may stand for
// several spellings: "word|word_hex". Fails the running test if a column is missing.
void reference_open(struct reference *r, const char *path, const char *const names[], int count);
bool reference_next(struct reference *r);
void reference_close(struct reference *r);

// The path of `name` in the full set; NULL if it is not there. Static storage.
const char *reference_full(const char *name);

#endif
