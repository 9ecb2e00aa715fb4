// deploy/net/net_text.h: what the writer and the reader of the text form share.
#ifndef NET_TEXT_H
#define NET_TEXT_H

#include "net.h"

enum { NET_FORMAT = 1, NET_ARRAYS = 7 };

// An array of a layer: `count` integers of `size` bytes.
struct net_array {
  const char *key;
  void **member; // of the layer
  void *data;    // *member
  size_t count;
  uint8_t size;
  bool base64;
};

void net_layer_arrays(const struct net *net, struct net_layer *layer,
                      struct net_array arrays[NET_ARRAYS]);

const char *net_requant_name(enum net_requant_kind kind);

#endif
