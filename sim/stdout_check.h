// sim/stdout_check.h: a program whose stdout is lost (a full disk, a closed descriptor) must not
// end as if all were well.
#ifndef PULPSIM_STDOUT_CHECK_H
#define PULPSIM_STDOUT_CHECK_H

// At the start of a program: a closed stdin, stdout or stderr stays no file that the program opens.
// At the end of the process: if its stdout could not be written, that is said in the name of
// `program`, unless stdout_check_told(), and the status is 73 (EX_CANTCREAT) instead.
void stdout_check_at_exit(const char *program);

// The loss has been said already.
void stdout_check_told(void);

#endif
