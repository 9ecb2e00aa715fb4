// bench/json.h: writing JSON.
#ifndef BENCH_JSON_H
#define BENCH_JSON_H

#include <stdio.h>

// `text` in quotes; bytes outside ASCII as they are (UTF-8).
void json_string(FILE *out, const char *text);

#endif
