// tests/fuzz/fuzz_net.c: any text as an integer network.
#include <stdlib.h>
#include <string.h>

#include "deploy/net/net.h"
#include "tests/fuzz/fuzz.h"

static struct net *read_text(const char *text, size_t size, struct net_error *error) {
  FILE *in = fmemopen((void *)text, size, "r");
  if (!in)
    return NULL;
  struct net *net = net_read_stream(in, "input", error);
  fclose(in);
  return net;
}

static char *text_of(const struct net *net, size_t *size) {
  char *text = NULL;
  FILE *out = open_memstream(&text, size);
  if (!out)
    abort();
  net_write(net, out);
  fclose(out);
  return text;
}

int fuzz_net(const uint8_t *data, size_t size) {
  struct net_error error = {.text = ""};
  if (!size)
    return 0;
  struct net *net = read_text((const char *)data, size, &error);
  if (!net && !*error.text)
    abort(); // a refusal has a reason
  if (!net)
    return 0;
  size_t lengths[2];
  char *first = text_of(net, &lengths[0]);
  struct net *again = read_text(first, lengths[0], &error);
  char *second = again ? text_of(again, &lengths[1]) : NULL;
  if (!second || lengths[0] != lengths[1] || memcmp(first, second, lengths[0]) != 0)
    abort(); // what is written reads back to the same
  free(first);
  free(second);
  net_free(net);
  net_free(again);
  return 0;
}
