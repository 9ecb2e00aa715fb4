// sim/cluster/tcdm_wide.h: the TCDM's port for an accelerator (HWPE), of several words.
//
// On the LIC (hci, 2a5a508: hci_router_reorder, hci_arbiter) it is one port that asks for
// consecutive words, each in a bank of its own, and is granted when it has all these banks in one
// cycle. Behind the tree of the other ports, one decision for all banks: the side that wins has
// each bank that it asks for, the other side the rest. The tree wins, or, if inverted, the
// accelerator. In each cycle in which both ask for anything, the other side counts a stall; having
// counted `most_stalls` of them, unless that is 0, it has all banks for a cycle, whether it still
// asks or not. What the tree's winner is denied so, its pointer does not move for. Measured on the
// RTL (tests/cluster/rtl/wide.sh).
//
// On the XBAR (pulp_cluster v1.3) it is one port per word beside the cores', in their tree. The
// accelerator goes on when all have been served. Read in the RTL, not run.
#ifndef PULPSIM_TCDM_WIDE_H
#define PULPSIM_TCDM_WIDE_H

#include "cluster/tcdm.h"

// `granted` is called, with no ports, in the cycle in which all words are served.
void tcdm_wide_attach(struct tcdm *t, tcdm_granted *granted, void *self);

// Asks for its words from byte `offset` (a multiple of 4) on, in the current cycle and until
// granted. Rank UNITS.
void tcdm_wide_post(struct tcdm *t, uint32_t offset);

// LIC: bits 7:0 most stalls, bit 8 inverted.
void tcdm_wide_control(struct tcdm *t, uint32_t value);

// For the arbiter, on the LIC while `asks`: first, whether it is granted in cycle
// `now`; then bank by bank who else is, as tcdm_grant_bank().
bool tcdm_wide_decide(struct tcdm *t, cycle_t now);
uint32_t tcdm_wide_bank(struct tcdm *t, unsigned bank, cycle_t now);

#endif
