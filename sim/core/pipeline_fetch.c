// The fetch port, and what IF hands to ID.
#include <assert.h>
#include <string.h>

#include "core/pipeline_stages.h"

bool fetch_arrives(const struct pipeline *p, cycle_t now, uint32_t *word) {
  *word = p->answer[0].word;
  return p->answers > 0 && p->answer[0].at == now;
}

uint32_t fetch_word_elsewhere(struct pipeline *p, uint32_t address) {
  uint32_t left = 0, word;
  const uint8_t *bytes = p->code.bytes(p->code.self, address, &left);
  if (!bytes || left < sizeof word)
    return 0;
  p->code_at = bytes;
  p->code_base = address;
  p->code_size = left - (uint32_t)sizeof word + 1;
  memcpy(&word, bytes, sizeof word);
  return word;
}

uint32_t pipeline_fetch_address(const struct pipeline *p) {
  return p->fetch.port.request_address & ~UINT32_C(3);
}

bool pipeline_fetch_answered(const struct pipeline *p, cycle_t now) {
  uint32_t word;
  return fetch_arrives(p, now, &word);
}

void pipeline_fetch_grant(struct pipeline *p) {
  p->fetch_granted = true;
}

static void add_answer(struct pipeline *p, uint32_t word, cycle_t at) {
  if (p->answers > 0 && p->answer[p->answers - 1].at >= at)
    at = p->answer[p->answers - 1].at + 1;
  if (p->answers < FETCHES)
    p->answer[p->answers++] = (struct fetch_answer){word, at};
}

void pipeline_fetch_data(struct pipeline *p, uint32_t address, cycle_t valid) {
  memo_catch_up(p);
  assert(valid >= p->fetch_from);
  add_answer(p, fetch_word(p, address), valid);
}

enum fetch_grant fetch_ask_elsewhere(struct pipeline *p, uint32_t address, cycle_t now) {
  if (!p->fetch_posted)
    p->fetch_since = now;
  if (p->code.request)
    return p->code.request(p->code.self, p, address, now);
  return now - p->fetch_since >= p->config.fetch_grant_delay ? FETCH_HITS : FETCH_REFUSED;
}

void fetch_latch(struct pipeline *p, uint32_t address, enum fetch_grant grant, cycle_t now) {
  p->fetch_posted = true;
  p->fetch_hits = grant == FETCH_HITS;
  p->fetch_granted = grant <= FETCH_MISSES;
  p->fetch_open = grant == FETCH_OPEN;
  if (grant == FETCH_HITS) // read before this cycle's store: as in a memory with two ports
    p->fetch_word = fetch_word(p, address);
  p->fetch_from = grant == FETCH_MISSES ? now + p->code.miss_cycles : 0;
}

void fetch_put(struct pipeline *p, uint32_t address, cycle_t now) {
  fetch_latch(p, address, fetch_ask(p, address, now), now);
}

void fetch_present(struct pipeline *p, cycle_t now) {
  if (p->walk.requested)
    return;
  p->fetch_granted = p->fetch_open = false;
  if (p->fetch.port.request)
    fetch_put(p, pipeline_fetch_address(p), now);
}

// The cached decoding of an instruction. That of 0 has been there from the beginning.
static const struct id_insn *decoded(struct pipeline *p, uint32_t word) {
  unsigned slot = word * UINT32_C(0x9e3779b1) >> (32 - DECODED_BITS); // Fibonacci hashing
  if (p->decoded[slot].word != word) {
    p->decoded[slot].word = word;
    id_insn_fill(&p->decoded[slot].insn, word, p->decoder, &p->config.id);
  }
  return &p->decoded[slot].insn;
}

static void latch(struct pipeline *p) {
  const struct fetch_port *f = &p->fetch.port;
  p->id.word = (f->instruction & 3) == 3 ? f->instruction : f->instruction & 0xffff;
  p->id.insn = *decoded(p, p->id.word);
  p->id.pc = f->pc;
  p->id.valid = true;
  p->id.loop_round = p->config.id.model == CORE_RI5CY && p->fetch.ri.from_loop;
  p->id.loop_decrement = p->id.loop_round ? p->loop_decrement_if : 0;
}

void fetch_port_edge(struct pipeline *p, cycle_t now) {
  if (pipeline_fetch_answered(p, now)) {
    p->answers--;
    for (unsigned i = 0; i < p->answers; i++)
      p->answer[i] = p->answer[i + 1];
  }
  if (!p->fetch_granted)
    return;
  p->fetch_posted = false;
  if (p->fetch_hits)
    add_answer(p, p->fetch_word, now + 1 + p->config.fetch_data_delay);
}

void fetch_edge(struct pipeline *p, cycle_t now) {
  struct pipeline_signals *s = &p->now;
  bool latches = s->if_taken && s->offered;
  if (latches)
    latch(p);
  else if (s->id_ready || s->out.halt_id || s->in.branch_taken)
    p->id.valid = false;
  fetch_port_edge(p, now);
  if (p->config.id.model == CORE_CV32E40P) {
    prefetch_edge(&p->fetch.cv, &s->out.fetch, p->fetch_granted, s->if_taken);
    return;
  }
  if (p->fetch.ri.loop_seen)
    p->loop_decrement_if = p->fetch.ri.loop_seen;
  prefetch_ri5cy_edge(&p->fetch.ri, &s->out.fetch, p->fetch_granted, latches);
  if (!prefetch_ri5cy_follows_loop(&p->fetch.ri))
    p->loop_decrement_if = 0;
}

cycle_t fetch_next(const struct pipeline *p, cycle_t now) {
  cycle_t answer = p->answers > 0 ? p->answer[0].at : CYCLE_NEVER;
  if (!p->fetch_posted || p->code.request)
    return answer;
  cycle_t grant = p->fetch_since + p->config.fetch_grant_delay;
  return first_of_two(answer, grant <= now ? now + 1 : grant);
}
