// kernels/libc/host.h: what the C library asks of the simulator: host calls, see
// docs/memory-map.md.
#ifndef LIBC_HOST_H
#define LIBC_HOST_H

// The result of host call `number`, or -errno.
int host_call(int number, int a, int b, int c);

// Shows what this core has written to stdout and stderr without ending the line.
void host_flush(void);

#endif
