// tests/sim/install.c: what `make install` brings, used from outside the tree: programs for the
// machine, programs over the library, manual pages, completion, the Python module.
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/observe/tool.h"

Suite *install_suite(void);

#ifdef __SANITIZE_ADDRESS__ // others than this program cannot load the library then
enum { SHARES = 0 };
#else
enum { SHARES = 1 };
#endif
#define PYTHON "PYTHONDONTWRITEBYTECODE=1 /usr/bin/python3"

static char root[256], outside[256], here[256];

// Into a prefix of its own; of the chips only the one that other suites need as well.
static void install(void) {
  snprintf(root, sizeof root, "%s/usr", tool_directory());
  snprintf(outside, sizeof outside, "%s/outside", tool_directory());
  ck_assert_ptr_nonnull(getcwd(here, sizeof here));
  tool(NULL, "mkdir %s && " MAKE "install CHIPS=gap8 PREFIX=%s", outside, root);
}

// A shell command in another directory, with the installed commands and pkg-config's files.
#define OUTSIDE                                                                                    \
  "cd %s && export PATH=%s/bin:$PATH PKG_CONFIG_PATH=%s/lib/pkgconfig LD_LIBRARY_PATH=%s/lib && "
#define OUTSIDE_ARGUMENTS outside, root, root, root

START_TEST(nothing_of_the_tree_is_needed) {
  const char *text = tool(NULL, "grep -rIl '%s[/ ]' %s/lib %s/share || true", here, root, root);
  ck_assert_str_eq(text, "");
  text = tool(NULL, "readelf -S %s/bin/pulpsim %s/lib/libpulpsim.so | grep -c debug_info || true",
              root, root);
  ck_assert_str_eq(text, "0\n");
}
END_TEST

START_TEST(a_kernel_builds_and_runs) {
  tool(NULL, "sed -e '1,/^```c$/d' -e '/^```$/,$d' docs/first-kernel.md >%s/dot.c", outside);
  static const char *const machines[][2] = {{"kernels", ""}, {"kernels-gap8", "-c gap8"}};
  for (int i = 0; i < 2; i++) {
    const char *text = tool(NULL,
                            OUTSIDE "riscv64-unknown-elf-gcc --specs=$(pkg-config "
                                    "--variable=target pulpsim)/build/%s/kernels.specs -O3 dot.c "
                                    "-o dot && pulpsim -q %s dot",
                            OUTSIDE_ARGUMENTS, machines[i][0], machines[i][1]);
    ck_assert_str_eq(text, "dot = 1695744\n");
  }
}
END_TEST

START_TEST(an_ordinary_program_calls_kernels) {
  tool(NULL, "cp tests/programs/libc/kernels.c %s", outside);
  const char *text =
      tool(NULL,
           OUTSIDE "riscv64-unknown-elf-gcc --specs=$(pkg-config --variable=specs pulpsim) -O2 "
                   "-Wl,--defsym=rt_stack_size=2048 kernels.c -lkernels -o kernels && pulpsim -q "
                   "kernels && riscv64-unknown-elf-nm kernels | grep __stack_size",
           OUTSIDE_ARGUMENTS);
  ck_assert_str_eq(text, "4 190\n00000800 A __stack_size\n");
}
END_TEST

START_TEST(a_network_builds_and_runs) {
  int status;
  const char *text = tool(&status,
                          OUTSIDE "pulpsim-deploy %s/tests/data/networks/kws_int8.tflite -o net "
                                  "--tiles estimate --run 2>&1",
                          OUTSIDE_ARGUMENTS, here);
  ck_assert_msg(status == 0, "%s", text);
  ck_assert_ptr_nonnull(strstr(text, "MAC/clk"));
}
END_TEST

// The program of docs/library.md.
START_TEST(a_program_links_the_library) {
  tool(NULL, "sed -e '1,/^```c$/d' -e '/^```$/,$d' docs/library.md >%s/sweep.c", outside);
  static const char *const ways[] = {"", "--static"};
  for (int i = 0; i < 2; i++) {
    const char *text =
        tool(NULL,
             OUTSIDE TOOL_CC " -Wall -Werror sweep.c -o sweep $(pkg-config --cflags %s --libs "
                             "pulpsim) && ./sweep %s/" KERNEL("lab_banks"),
             OUTSIDE_ARGUMENTS, ways[i], here);
    ck_assert_msg(strncmp(text, "1 cores: ", 9) == 0 && strstr(text, "\n8 cores: "), "%s", text);
  }
}
END_TEST

// Every option that a command's help names is in its manual page, and is completed.
START_TEST(pages_and_completions_are_whole) {
  const char *text = tool(NULL, "tests/programs/install/pages.sh %s", root);
  ck_assert_str_eq(text, "");
}
END_TEST

static bool python_has(const char *modules) {
  int status;
  tool(&status, PYTHON " -c 'import %s' 2>/dev/null", modules);
  return status == 0;
}

START_TEST(the_python_module_is_typed) {
  int status;
  tool(&status, "command -v mypy");
  if (status)
    return;
  const char *text = tool(NULL,
                          "cd sim/python && mypy --strict --follow-imports=silent "
                          "--cache-dir=%s/mypy pulpsim",
                          tool_directory());
  ck_assert_ptr_nonnull(strstr(text, "Success: no issues found in 5 source files"));
}
END_TEST

// pip installs the module from the tree, without a network; it is used far from there.
START_TEST(the_python_module_installs) {
  if (!python_has("venv, ensurepip, numpy, setuptools, wheel"))
    return;
  tool(NULL,
       OUTSIDE PYTHON
       " -m venv --system-site-packages venv && cp -r %s/sim/python source && "
       "PULPSIM_LIBRARY=%s/" TEST_BUILD_DIR "/libpulpsim.so venv/bin/pip -q "
       "--disable-pip-version-check install --no-index --no-build-isolation ./source",
       OUTSIDE_ARGUMENTS, here, here);
  tool(NULL, "cp tests/programs/python/*.py %s", outside);
  const char *text = tool(NULL, "cd %s && venv/bin/python machine.py %s/" TEST_BUILD_DIR "/kernels",
                          outside, here);
  ck_assert_str_eq(text, "all of the Python module\n");
  tool(NULL,
       OUTSIDE "venv/bin/python layout.py >layout.c && " TOOL_CC " -Wno-address layout.c -o layout "
               "$(pkg-config --cflags --libs pulpsim) && ./layout",
       OUTSIDE_ARGUMENTS);
}
END_TEST

START_TEST(the_notebook_plots) {
  if (!python_has("numpy, matplotlib"))
    return;
  const char *text =
      tool(NULL,
           "cd %s && PYTHONPATH=%s/sim/python PULPSIM_LIBRARY=%s/" TEST_BUILD_DIR
           "/libpulpsim.so PULPSIM_KERNELS=%s/" TEST_BUILD_DIR
           "/kernels PULPSIM_FIGURE=roofline.svg MPLBACKEND=Agg " PYTHON " -c \"import json; "
           "exec('\\n'.join(''.join(c['source']) for c in "
           "json.load(open('%s/sim/python/roofline.ipynb'))['cells'] if c['cell_type'] == "
           "'code'))\"",
           outside, here, here, here, here);
  ck_assert_ptr_nonnull(strstr(text, "MAC/clk"));
  ck_assert_ptr_nonnull(strstr(text, "mm_f32_6x4"));
  tool(NULL, "grep -q '<svg' %s/roofline.svg", outside);
}
END_TEST

// The source package has what is committed, and its description of itself is Debian's.
START_TEST(a_source_package_is_made) {
  int status;
  tool(&status, "command -v dpkg-source && command -v lintian && git rev-parse HEAD");
  if (status)
    return;
  const char *dir = tool_directory();
  tool(NULL,
       MAKE "deb-source && dpkg-source -q --no-check -x " TEST_BUILD_DIR
            "/deb-source/*.dsc %s/source 2>&1",
       dir);
  const char *text = tool(NULL, "cd %s/source && ls debian/control debian/rules Makefile", dir);
  ck_assert_str_eq(text, "Makefile\ndebian/control\ndebian/rules\n");
}
END_TEST

START_TEST(uninstall_takes_all_away) {
  tool(NULL, MAKE "uninstall PREFIX=%s", root);
  ck_assert_str_eq(tool(NULL, "find %s -not -type d", root), "");
}
END_TEST

Suite *install_suite(void) {
  Suite *suite = suite_create("install");
  TCase *tests = tcase_create("install");
  tcase_set_timeout(tests, 120);
  tcase_add_unchecked_fixture(tests, install, NULL);
  if (SHARES) {
    tcase_add_test(tests, a_program_links_the_library);
    tcase_add_test(tests, the_python_module_installs);
    tcase_add_test(tests, the_notebook_plots);
  }
  tcase_add_test(tests, the_python_module_is_typed);
  tcase_add_test(tests, nothing_of_the_tree_is_needed);
  tcase_add_test(tests, a_kernel_builds_and_runs);
  tcase_add_test(tests, an_ordinary_program_calls_kernels);
  tcase_add_test(tests, a_network_builds_and_runs);
  tcase_add_test(tests, pages_and_completions_are_whole);
  tcase_add_test(tests, a_source_package_is_made);
  tcase_add_test(tests, uninstall_takes_all_away);
  suite_add_tcase(suite, tests);
  return suite;
}
