// tests/cluster/rtl/command.h: a tool that uses what the tests assert on the way.
#ifndef PULPSIM_TESTS_RTL_COMMAND_H
#define PULPSIM_TESTS_RTL_COMMAND_H

// Calls `run` as a test, because programs are put together with Check's assertions. Returns what it
// returns, or 70 where one failed.
int command_status(const char *name, int argc, char **argv, int (*run)(int argc, char **argv));

#endif
