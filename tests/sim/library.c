// tests/sim/library.c: the program of docs/library.md, against what `make install` puts there, in C
// and, as far as it goes, in C++.
#include <check.h>
#include <stdio.h>
#include <string.h>

#include "tests/observe/tool.h"

Suite *library_suite(void);

#ifdef __clang__
#define CC "clang"
#else
#define CC "gcc"
#endif
#ifdef __SANITIZE_ADDRESS__
#define CC_FLAGS "-fsanitize=address,undefined"
#else
#define CC_FLAGS ""
#endif

static const char *install(void) {
  const char *dir = tool_directory();
  tool(NULL,
       "mkdir -p %s/include/pulpsim %s/lib && cp sim/pulpsim.h %s/include/pulpsim && "
       "cp " TEST_BUILD_DIR "/libpulpsim.a %s/lib",
       dir, dir, dir, dir);
  tool(NULL, "sed -e '1,/^```c$/d' -e '/^```$/,$d' docs/library.md >%s/sweep.c", dir);
  return dir;
}

START_TEST(the_documented_program_runs) {
  const char *dir = install();
  const char *libraries = tool(
      NULL,
      "sed -n 's/^    gcc -o sweep .* -lpulpsim \\(.*\\)/\\1/p' docs/library.md | tr -d '\\n'");
  ck_assert_ptr_nonnull(strstr(libraries, "-lyaml"));
  char link[128];
  snprintf(link, sizeof link, "%s", libraries);
  tool(NULL,
       CC " -Wall -Wextra -Werror " CC_FLAGS " -o %s/sweep %s/sweep.c -I%s/include -L%s/lib "
          "-lpulpsim %s",
       dir, dir, dir, dir, link);
  const char *text = tool(NULL, "%s/sweep " KERNEL("lab_banks"), dir);
  unsigned cycles[4];
  ck_assert_msg(sscanf(text,
                       "1 cores: %u cycles\n2 cores: %u cycles\n4 cores: %u cycles\n"
                       "8 cores: %u cycles",
                       &cycles[0], &cycles[1], &cycles[2], &cycles[3]) == 4,
                "%s", text);
  ck_assert_uint_gt(cycles[0], 5 * cycles[3]);
  int status;
  text = tool(&status, "%s/sweep %s/sweep.c", dir, dir);
  ck_assert_int_eq(status, 1);
  ck_assert_ptr_nonnull(strstr(text, "not an ELF file"));
}
END_TEST

// Where there is a C++ compiler: the header's declarations have C linkage.
START_TEST(the_header_is_cxx_too) {
  const char *dir = install();
  int status;
  tool(&status, "command -v g++");
  if (status != 0)
    return;
  tool(NULL, "g++ -Wall -Wextra -Werror -I%s/include -x c++ -c -o %s/sweep.o %s/sweep.c", dir, dir,
       dir);
  ck_assert_ptr_nonnull(strstr(tool(NULL, "nm %s/sweep.o", dir), " U pulpsim_run\n"));
}
END_TEST

Suite *library_suite(void) {
  Suite *suite = suite_create("library");
  TCase *tc = tcase_create("library");
  tcase_set_timeout(tc, 60);
  tcase_add_test(tc, the_documented_program_runs);
  tcase_add_test(tc, the_header_is_cxx_too);
  suite_add_tcase(suite, tc);
  return suite;
}
