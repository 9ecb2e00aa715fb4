// sim/observe/site.h: the instructions of a program as the log shows them, numbered. One thread
// finds them, another may read those whose numbers it has been given.
#ifndef PULPSIM_SITE_H
#define PULPSIM_SITE_H

#include <stdint.h>

enum { SITE_STORES = 0x80 };
struct site {
  uint32_t pc, word;
  uint8_t writes, number[2]; // how many registers it writes, and which (others are 0)
  uint8_t access;            // 0: none; else the bytes of its access, and SITE_STORES
};

struct sites;
struct sites *sites_new(void);
void sites_free(struct sites *sites);

// Its number, which is not 0.
uint32_t sites_find(struct sites *sites, const struct site *site);

struct site sites_at(const struct sites *sites, uint32_t number);

#endif
