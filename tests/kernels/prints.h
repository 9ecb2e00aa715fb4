// tests/kernels/prints.h: what rt_printf must print as a C library does.
#ifndef TESTS_PRINTS_H
#define TESTS_PRINTS_H

#include <float.h>

#define PRINTS(P)                                                                                  \
  P("plain, %%, %c and %s\n", 'x', "text")                                                         \
  P("%d %i %d %d\n", 0, -1, 2147483647, -2147483647 - 1)                                           \
  P("%u %u %x %X %08x\n", 0u, 4294967295u, 0xbeefu, 0xbeefu, 0xbeefu)                              \
  P("[%5d] [%-5d] [%05d] [%5d] [%-5d] [%05d]\n", 42, 42, 42, -42, -42, -42)                        \
  P("[%1d] [%2d] [%12u] [%-12u]\n", 12345, -12345, 7u, 7u)                                         \
  P("[%6s] [%-6s] [%2s] [%3c] [%-3c]\n", "abc", "abc", "abc", 'q', 'q')                            \
  P("%ld %lu %lx\n", -5l, 5ul, 255ul)                                                              \
  P("%lld %llu %llx %lld\n", -5000000000ll, 18446744073709551615ull, 255ull, -1ll)                 \
  P("[%+d] [% d] [%+5d] [%#x] [%#010X] [%o] [%hhu] [%hd]\n", 5, 5, 5, 255u, 255u, 8u,              \
    (unsigned char)44, (short)4464)                                                                \
  P("[%*d] [%-*d] [%.3d] [%8.3d] [%.0d] [%.2s] [%.*s]\n", 5, 1, 5, 2, 7, -7, 0, "abc", 1, "xyz")   \
  P("%f %f %f %f\n", 0., -0., 1. / 3, -2. / 3)                                                     \
  P("%f %.0f %.0f %.0f %.1f %.3f\n", 1e15, .5, 1.5, 2.5, .25, 1e-300)                              \
  P("[%10.2f] [%-10.2f] [%010.2f] [%+.1f] [% .1f] [%#.0f] [%08.1f]\n", 3.14159, 3.14159, -3.14159, \
    1., 1., 1., -0.04)                                                                             \
  P("%.2f %.2f %.1f %.3f %.0f\n", 9.995, .995, 99.95, 999.9995, 9.5)                               \
  P("%f\n", DBL_MAX)                                                                               \
  P("%.50f %.3f\n", 1e-40, 123456789012345680.)                                                    \
  P("%.17g %.17g %.17g %g\n", .1, DBL_TRUE_MIN, DBL_MAX, DBL_TRUE_MIN)                             \
  P("%e %e %.0e %#.0e %E %.12e\n", 0., 12345.678, 15., 25., 1e-100, 2. / 3)                        \
  P("%e %e [%15e] [%-15e] [%015e]\n", 9.9999999e9, 9.9999994e-5, 1., 1., -1.)                      \
  P("%g %g %g %g %g %g\n", 0., 100000., 1000000., 1e-4, 1e-5, 123456789.)                          \
  P("%g %g %g %g %#g %.3g\n", 999999.5, 999999.4, .00099999996, 1. / 3, 1., 1e10)                  \
  P("%.0g %.1g %.10g %G [%12g] [%-12g]\n", 25., .096, 1. / 7, 1e-20, 2.5, 2.5)                     \
  P("%f %F [%6f] [%-6f] [%06f] %+g %e\n", __builtin_inf(), -__builtin_inf(), __builtin_nan(""),    \
    __builtin_nan(""), __builtin_inf(), __builtin_inf(), __builtin_nan(""))                        \
  P("%d %f %d %s %.1f\n", 1, 2.5, 3, "four", 5.)

#endif
