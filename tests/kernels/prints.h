// tests/kernels/prints.h: what rt_printf must print as a C library does.
#ifndef TESTS_PRINTS_H
#define TESTS_PRINTS_H

#define PRINTS(P)                                                                                  \
  P("plain, %%, %c and %s\n", 'x', "text")                                                         \
  P("%d %i %d %d\n", 0, -1, 2147483647, -2147483647 - 1)                                           \
  P("%u %u %x %X %08x\n", 0u, 4294967295u, 0xbeefu, 0xbeefu, 0xbeefu)                              \
  P("[%5d] [%-5d] [%05d] [%5d] [%-5d] [%05d]\n", 42, 42, 42, -42, -42, -42)                        \
  P("[%1d] [%2d] [%12u] [%-12u]\n", 12345, -12345, 7u, 7u)                                         \
  P("[%6s] [%-6s] [%2s] [%3c] [%-3c]\n", "abc", "abc", "abc", 'q', 'q')                            \
  P("%ld %lu %lx\n", -5l, 5ul, 255ul)

#endif
