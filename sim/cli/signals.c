#include "sim/cli/signals.h"

#include <signal.h>
#include <string.h>
#include <time.h>

static struct pulpsim *interrupted;
static volatile sig_atomic_t caught;
static volatile time_t caught_at; // the second behind that of the first signal

// Those of the first second are one: timeout(1) sends its signal twice, to the program and to its
// process group. Of a broken pipe each further write tells, and what else there is to write is
// still written.
static void on_signal(int number) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  if (!caught) {
    caught = number;
    caught_at = now.tv_sec + 1;
    pulpsim_interrupt(interrupted);
  } else if (number != SIGPIPE && now.tv_sec > caught_at) {
    signal(number, SIG_DFL);
    raise(number);
  }
}

static void catch (int number) {
  struct sigaction action, before;
  memset(&action, 0, sizeof action);
  action.sa_handler = on_signal;
  sigemptyset(&action.sa_mask);
  sigaction(number, NULL, &before);
  if (before.sa_handler != SIG_IGN) // as a shell does for what runs in the background, and nohup
    sigaction(number, &action, NULL);
}

void signals_catch(struct pulpsim *sim) {
  interrupted = sim;
  catch (SIGINT);
  catch (SIGTERM);
  catch (SIGHUP);
  catch (SIGPIPE);
}

int signals_caught(void) {
  return caught;
}
