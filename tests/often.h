// tests/often.h: an assertion for loops of many thousands. Check's own tell its parent process of
// themselves each time, not only when they fail; that took most of such tests' time.
#ifndef OFTEN_H
#define OFTEN_H

#include <check.h>

#define check_often(condition, ...)                                                                \
  do {                                                                                             \
    if (!(condition))                                                                              \
      ck_abort_msg(__VA_ARGS__);                                                                   \
  } while (0)

#endif
