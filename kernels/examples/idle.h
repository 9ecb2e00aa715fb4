// kernels/examples/idle.h: what idle.c and idle_start.S share.
#ifndef IDLE_H
#define IDLE_H

#define IDLE_WORDS 512 // of the table

#endif
