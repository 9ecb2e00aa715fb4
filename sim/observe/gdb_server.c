// The connection to a debugger: a TCP port or this process's own stdin and stdout.
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "observe/gdb_commands.h"

static bool fail(struct pulpsim_error *error, const char *where, const char *what) {
  snprintf(error->text, sizeof error->text, "--gdb %s: %s", where, what);
  return false;
}

static bool send_all(struct gdb *g, const char *bytes, size_t count) {
  while (count > 0) {
    ssize_t n = write(g->out, bytes, count);
    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0) {
      g->finished = true;
      return false;
    }
    bytes += n;
    count -= (size_t)n;
  }
  return true;
}

// A Ctrl-C of the debugger, or the end of the connection, while the machine runs.
bool gdb_interrupted(struct gdb *g) {
  struct pollfd p = {.fd = g->in, .events = POLLIN};
  uint8_t byte;
  if (g->in < 0) // nobody there to interrupt: do not run for ever
    return true;
  if (poll(&p, 1, 0) <= 0)
    return false;
  if (read(g->in, &byte, 1) != 1) {
    g->finished = true;
    return true;
  }
  return gdb_reader_feed(&g->reader, byte) == GDB_INTERRUPT;
}

// ---- listening

static void no_port(struct pulpsim_error *error, const char *where) {
  char text[160];
  const char *remedy = errno == EADDRINUSE ? "; choose another port"
                       : errno == EACCES   ? "; choose a port above 1023"
                                           : "";
  snprintf(text, sizeof text, "%s%s", strerror(errno), remedy);
  fail(error, where, text);
}

static int listen_on(const char *where, struct pulpsim_error *error) {
  char host[128] = "127.0.0.1";
  const char *colon = strrchr(where, ':'), *port = colon ? colon + 1 : where;
  if (colon && colon != where)
    snprintf(host, sizeof host, "%.*s", (int)(colon - where), where);
  if (!*port || port[strspn(port, "0123456789")] || atoi(port) > 65535)
    return fail(error, where, "takes [HOST:]PORT or stdio, e.g. --gdb 3333"), -1;
  struct addrinfo hints = {.ai_socktype = SOCK_STREAM}, *list = NULL;
  int failed = getaddrinfo(host, port, &hints, &list), fd = -1;
  if (failed)
    return fail(error, where, gai_strerror(failed)), -1;
  for (struct addrinfo *a = list; a && fd < 0; a = a->ai_next) {
    int one = 1;
    fd = socket(a->ai_family, a->ai_socktype, a->ai_protocol);
    if (fd < 0)
      continue;
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
    if (bind(fd, a->ai_addr, a->ai_addrlen) != 0 || listen(fd, 1) != 0) {
      close(fd);
      fd = -1;
    }
  }
  freeaddrinfo(list);
  if (fd < 0)
    no_port(error, where);
  return fd;
}

static unsigned port_of(int fd) {
  union {
    struct sockaddr any;
    struct sockaddr_in v4;
    struct sockaddr_in6 v6;
  } address = {0};
  socklen_t size = sizeof address;
  if (getsockname(fd, &address.any, &size) != 0)
    return 0;
  return ntohs(address.any.sa_family == AF_INET6 ? address.v6.sin6_port : address.v4.sin_port);
}

static bool connect_to(struct gdb *g, const char *where, struct pulpsim_error *error) {
  if (strcmp(where, "stdio") == 0) {
    g->in = STDIN_FILENO;
    g->out = STDOUT_FILENO;
    return true;
  }
  int fd = listen_on(where, error);
  if (fd < 0)
    return false;
  fprintf(stderr, "pulpsim: waiting for gdb on port %u: target remote :%u\n", port_of(fd),
          port_of(fd));
  g->in = g->out = accept(fd, NULL, NULL);
  int reason = errno;
  close(fd);
  return g->in >= 0 || fail(error, where, strerror(reason));
}

// ---- guest output

static void on_output(void *user, int fd, const char *bytes, size_t count) {
  struct gdb *g = user;
  if (!history_output_is_new(&g->history))
    return;
  if (g->out != STDOUT_FILENO) {
    FILE *out = fd == 2 ? stderr : stdout;
    fwrite(bytes, 1, count, out);
    fflush(out);
    return;
  }
  gdb_begin(&g->notice);
  gdb_text(&g->notice, "O");
  gdb_hex(&g->notice, bytes, count < GDB_PACKET_MOST ? count : GDB_PACKET_MOST);
  gdb_end(&g->notice);
  send_all(g, g->notice.text, g->notice.length);
}

// ---- serving

static void answer(struct gdb *g) {
  if (!g->no_ack)
    send_all(g, "+", 1);
  gdb_handle(g, g->reader.text, g->reader.length);
  if (g->watching_output)
    send_all(g, g->notice.text, g->notice.length);
  g->watching_output = false;
  if (g->end != GDB_END_KILLED || g->reader.text[0] == 'v')
    send_all(g, g->writer.text, g->writer.length);
}

static void serve(struct gdb *g) {
  while (!g->finished) {
    uint8_t byte;
    ssize_t n = read(g->in, &byte, 1);
    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0)
      return;
    switch (gdb_reader_feed(&g->reader, byte)) {
    case GDB_PACKET:
      answer(g);
      break;
    case GDB_DAMAGED:
      send_all(g, "-", 1);
      break;
    case GDB_NACK:
      send_all(g, g->writer.text, g->writer.length);
      break;
    default:
      break;
    }
  }
}

enum gdb_end gdb_serve(struct pulpsim *sim, const char *where, struct pulpsim_error *error) {
  struct gdb *g = calloc(1, sizeof *g);
  if (!g) {
    fail(error, where, "out of memory");
    return GDB_END_FAILED;
  }
  gdb_init(g, sim);
  enum gdb_end end = GDB_END_FAILED;
  if (connect_to(g, where, error)) {
    void (*old)(int) = signal(SIGPIPE, SIG_IGN);
    pulpsim_on_output(sim, on_output, g);
    serve(g);
    signal(SIGPIPE, old);
    pulpsim_on_output(sim, NULL, NULL);
    pulpsim_debugging(sim, false);
    end = g->end;
    if (g->in > STDERR_FILENO)
      close(g->in);
  }
  gdb_release(g);
  free(g);
  return end;
}
