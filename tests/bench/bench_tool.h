// tests/bench/bench_tool.h: runs pulpsim-bench in a directory of its own, made by bench_setup().
#ifndef BENCH_TOOL_H
#define BENCH_TOOL_H

extern char bench_output[400000]; // of the last command, or the last file loaded

// A fixture: the directory, removed again at the end.
void bench_setup(void);
void bench_teardown(void);

// Runs a shell command within the directory; its output is kept, its status returned. $BENCH and
// $PULPSIM are the programs, $KERNELS the directory of the kernels, $ROOT that of the sources.
int bench_run(const char *command);

void bench_save(const char *name, const char *text);
void bench_load(const char *name);
void bench_says(const char *text); // asserts that `bench_output` contains it

#define CASE(name, program, more) "  - {name: \"" name "\", program: \"" program "\", " more "}\n"
#define MATMUL                    "cores: [1, 8], type: i8, layer: matmul 64 64 64"

#endif
