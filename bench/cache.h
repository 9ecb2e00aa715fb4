// bench/cache.h: results of earlier runs, by a hash of everything that decides them.
#ifndef BENCH_CACHE_H
#define BENCH_CACHE_H

#include "bench/case.h"

// FNV-1a, 64 bits, of more bytes, or of a file's; that is false, with a sentence, if it cannot be
// read.
#define CACHE_HASH_BASIS UINT64_C(0xcbf29ce484222325)
uint64_t cache_hash(uint64_t hash, const void *data, size_t size);
bool cache_hash_file(uint64_t *hash, const char *path, struct pulpsim_error *error);

// Hash of the simulator (this program's own file), the ELF's bytes, the whole configuration, the
// variables set and the region. False, with a sentence, when a file cannot be read or the
// configuration is wrong.
bool cache_key(const struct bench_job *job, uint64_t *key, struct pulpsim_error *error);

// False if there is none; a damaged file counts as none.
bool cache_get(const char *directory, uint64_t key, struct bench_result *result);

// Writes a file of another name first and renames it, so that an interrupted run leaves no half
// file.
bool cache_put(const char *directory, uint64_t key, const struct bench_result *result);

#endif
