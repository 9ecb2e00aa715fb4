#include "library.h"

#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sysexits.h>

#include "deploy/memory.h"

static bool is_newer(const struct timespec *a, const struct timespec *b) {
  return a->tv_sec > b->tv_sec || (a->tv_sec == b->tv_sec && a->tv_nsec > b->tv_nsec);
}

// Whether the compiler's list of what an object was made of names a file that is newer than `made`:
// into `name`. The first of the list is the source; if that is gone, so is the object.
static bool lists_newer(const char *root, const char *list, const struct timespec *made,
                        char name[256]) {
  FILE *f = fopen(list, "r");
  bool newer = false, first = true;
  while (f && !newer && fscanf(f, "%255s", name) == 1) {
    struct stat now;
    if (name[strlen(name) - 1] == ':' || strcmp(name, "\\") == 0)
      continue;
    char *path = memory_format("%s%s%s", *name == '/' ? "" : root, *name == '/' ? "" : "/", name);
    bool there = stat(path, &now) == 0;
    free(path);
    if (first && !there)
      break;
    first = false;
    newer = there && is_newer(&now.st_mtim, made);
  }
  if (f)
    fclose(f);
  return newer;
}

// The library's objects have their lists beside them; those of other programs are not asked.
static bool is_old(const char *root, const struct timespec *made, char name[256]) {
  char *lists =
      memory_format("%s/build/kernels-gap8/obj/{rt,mm,nn,train,vec,ref,tile,data}/*.d", root);
  glob_t found = {0};
  bool old = false;
  if (glob(lists, GLOB_BRACE, NULL, &found) == 0) {
    for (size_t i = 0; i < found.gl_pathc && !old; i++)
      old = lists_newer(root, found.gl_pathv[i], made, name);
    globfree(&found);
  }
  free(lists);
  return old;
}

bool library_is_there(const char *root, struct net_error *error) {
  static const char *const how = "`make KMACHINE=gap8 build/kernels-gap8/libkernels.a` in the "
                                 "project's folder makes it";
  char *library = memory_format("%s/build/kernels-gap8/libkernels.a", root), newer[256];
  struct stat now;
  bool good = true;
  if (stat(library, &now) != 0)
    good = net_fail(error, "%.300s is not there: %s", library, how);
  else if (is_old(root, &now.st_mtim, newer))
    good = net_fail(error, "%.300s is older than %s: %s anew", library, newer, how);
  if (!good && error)
    error->status = EX_NOINPUT;
  free(library);
  return good;
}
