#include "family.h"

#include <stdlib.h>
#include <string.h>
#include <sysexits.h>

#include "mobilenet.h"
#include "tiny.h"

typedef struct net *build_scaled(const char *name, uint32_t resolution, double alpha,
                                 uint32_t classes);

struct member {
  const char *name;
  build_scaled *scaled;                   // takes :RES:ALPHA
  struct net *(*fixed)(const char *name); // takes nothing
};

static struct net *vww(const char *name) {
  return mobilenet_v1(name, 96, 0.25, 2);
}

static const struct member members[] = {
    {"mobilenet_v1", mobilenet_v1, NULL},
    {"mobilenet_v2", mobilenet_v2, NULL},
    {"vww", NULL, vww},
    {"ds_cnn", NULL, tiny_ds_cnn},
    {"resnet8", NULL, tiny_resnet8},
    {"autoencoder", NULL, tiny_autoencoder},
};
enum { MEMBERS = sizeof members / sizeof *members, CLASSES = 1000 };

static const struct member *find(const char *name) {
  size_t length = strcspn(name, ":");
  for (unsigned i = 0; i < MEMBERS; i++) {
    if (strlen(members[i].name) == length && strncmp(members[i].name, name, length) == 0)
      return &members[i];
  }
  return NULL;
}

bool family_named(const char *name) {
  return find(name) != NULL;
}

static bool is_width(double alpha) {
  return alpha == 0.25 || alpha == 0.5 || alpha == 0.75 || alpha == 1.0;
}

static struct net *refuse(struct net_error *error, const char *name, const char *text) {
  net_fail(error, "%.100s: %s", name, text);
  if (error)
    error->status = EX_USAGE;
  return NULL;
}

static struct net *scaled(const struct member *m, const char *name, struct net_error *error) {
  const char *numbers = name + strlen(m->name);
  char *end = NULL;
  unsigned long resolution = *numbers == ':' ? strtoul(numbers + 1, &end, 10) : 0;
  double alpha = end && *end == ':' ? strtod(end + 1, &end) : 0;
  if (end && *end == 0 && resolution >= 32 && resolution <= 224 && resolution % 32 == 0 &&
      is_width(alpha))
    return m->scaled(name, (uint32_t)resolution, alpha, CLASSES);
  return refuse(error, name,
                "give NAME:RESOLUTION:WIDTH, with a multiple of 32 up to 224, and 0.25, 0.5, 0.75 "
                "or 1.0");
}

struct net *family_build(const char *name, struct net_error *error) {
  const struct member *m = find(name);
  if (m && m->scaled)
    return scaled(m, name, error);
  if (m && strcmp(name, m->name) == 0)
    return m->fixed(name);
  return refuse(error, name,
                m ? "this network takes no numbers behind its name"
                  : "no network of that name; there are mobilenet_v1, mobilenet_v2, vww, ds_cnn, "
                    "resnet8 and autoencoder");
}
