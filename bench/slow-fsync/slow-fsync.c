/*
 * A disk that is slow to confirm: with this library in LD_PRELOAD, every fsync and fdatasync first takes
 * SLOW_FSYNC_MS milliseconds (read once, at the first call) and then does its work.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

typedef int (*sync_call)(int);

static pthread_once_t once = PTHREAD_ONCE_INIT;
static sync_call real_fsync, real_fdatasync;
static struct timespec pause_time;

static void prepare(void) {
  const char *text = getenv("SLOW_FSYNC_MS");
  long ms = text == NULL ? 0 : strtol(text, NULL, 10);
  if (ms > 0) {
    pause_time.tv_sec = ms / 1000;
    pause_time.tv_nsec = ms % 1000 * 1000000;
  }
  real_fsync = (sync_call)dlsym(RTLD_NEXT, "fsync");
  real_fdatasync = (sync_call)dlsym(RTLD_NEXT, "fdatasync");
}

static int slowly(sync_call *call, int fd) {
  pthread_once(&once, prepare);
  struct timespec rest = pause_time;
  while (nanosleep(&rest, &rest) != 0 && errno == EINTR) {
  }
  return (*call)(fd);
}

int fsync(int fd) { return slowly(&real_fsync, fd); }
int fdatasync(int fd) { return slowly(&real_fdatasync, fd); }
