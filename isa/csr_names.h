// isa/csr_names.h: names of the CSRs that the assembler knows. Those of the cores' own (hardware
// loops, performance counters of RI5CY, ...) print as numbers, as the stock tools print them.
// The RISC-V Instruction Set Manual, volume II, 20211203, tables 2.2 to 2.7.
#ifndef PULPSIM_CSR_NAMES_H
#define PULPSIM_CSR_NAMES_H

#include <stdint.h>

// `count` registers from `number` on. If there are several, their names end in consecutive
// numbers from `first` on, followed by `tail`.
static const struct {
  uint16_t number, count, first;
  const char *name, *tail;
} csr_names[] = {
    {0x001, 1, 0, "fflags", ""},        {0x002, 1, 0, "frm", ""},
    {0x003, 1, 0, "fcsr", ""},          {0x300, 1, 0, "mstatus", ""},
    {0x301, 1, 0, "misa", ""},          {0x302, 1, 0, "medeleg", ""},
    {0x303, 1, 0, "mideleg", ""},       {0x304, 1, 0, "mie", ""},
    {0x305, 1, 0, "mtvec", ""},         {0x306, 1, 0, "mcounteren", ""},
    {0x310, 1, 0, "mstatush", ""},      {0x320, 1, 0, "mcountinhibit", ""},
    {0x323, 29, 3, "mhpmevent", ""},    {0x340, 1, 0, "mscratch", ""},
    {0x341, 1, 0, "mepc", ""},          {0x342, 1, 0, "mcause", ""},
    {0x343, 1, 0, "mtval", ""},         {0x344, 1, 0, "mip", ""},
    {0x3a0, 16, 0, "pmpcfg", ""},       {0x3b0, 64, 0, "pmpaddr", ""},
    {0x7a0, 1, 0, "tselect", ""},       {0x7a1, 3, 1, "tdata", ""},
    {0x7a4, 1, 0, "tinfo", ""},         {0x7a5, 1, 0, "tcontrol", ""},
    {0x7a8, 1, 0, "mcontext", ""},      {0x7aa, 1, 0, "mscontext", ""},
    {0x7b0, 1, 0, "dcsr", ""},          {0x7b1, 1, 0, "dpc", ""},
    {0x7b2, 2, 0, "dscratch", ""},      {0xb00, 1, 0, "mcycle", ""},
    {0xb02, 1, 0, "minstret", ""},      {0xb03, 29, 3, "mhpmcounter", ""},
    {0xb80, 1, 0, "mcycleh", ""},       {0xb82, 1, 0, "minstreth", ""},
    {0xb83, 29, 3, "mhpmcounter", "h"}, {0xc00, 1, 0, "cycle", ""},
    {0xc01, 1, 0, "time", ""},          {0xc02, 1, 0, "instret", ""},
    {0xc03, 29, 3, "hpmcounter", ""},   {0xc80, 1, 0, "cycleh", ""},
    {0xc81, 1, 0, "timeh", ""},         {0xc82, 1, 0, "instreth", ""},
    {0xc83, 29, 3, "hpmcounter", "h"},  {0xf11, 1, 0, "mvendorid", ""},
    {0xf12, 1, 0, "marchid", ""},       {0xf13, 1, 0, "mimpid", ""},
    {0xf14, 1, 0, "mhartid", ""},       {0xf15, 1, 0, "mconfigptr", ""},
};

#endif
