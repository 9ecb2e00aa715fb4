// tests/observe/tool.h: running the simulator and the tools that read what it writes.
#ifndef TESTS_TOOL_H
#define TESTS_TOOL_H

#include <stdbool.h>

// Runs a shell command; returns what it wrote to stdout and stderr (valid until the next call) and
// sets `status` to its exit status, -1 if it was killed. `status` may be NULL: it must be 0 then.
const char *tool(int *status, const char *format, ...) __attribute__((format(printf, 2, 3)));

// A scratch directory of this process, made on first use and removed at exit.
const char *tool_directory(void);

// The contents of a file; NULL if it cannot be read. To be freed.
char *tool_file(const char *path);

// Whether every line of `text` matches the extended regular expression; `*bad` is the first that
// does not (valid until the next call).
bool tool_lines_match(const char *text, const char *expression, const char **bad);

// make, with the settings that this program was built with.
#ifdef __clang__
#define TOOL_CC "clang"
#else
#define TOOL_CC "gcc"
#endif
#ifdef __SANITIZE_ADDRESS__
#define TOOL_SANITIZE "SANITIZE=1"
#else
#define TOOL_SANITIZE ""
#endif
#define MAKE                                                                                       \
  "make -s --no-print-directory CC=" TOOL_CC " " TOOL_SANITIZE " BUILD=" TEST_BUILD_DIR " "

#define PULPSIM      TEST_BUILD_DIR "/pulpsim"
#define KERNEL(name) TEST_BUILD_DIR "/kernels/" name ".elf"

#endif
