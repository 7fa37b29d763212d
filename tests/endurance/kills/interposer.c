/* Counts the calls by which a process changes files below a folder, or talks to a socket, and
 * kills it before a chosen one. Loaded by LD_PRELOAD; `interposer.py` maps the same control block.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

#define SLOTS 8192
#define SLOT 248

/* The layout is that of `interposer.py`. */
struct control {
  volatile int64_t made;     /* calls so far */
  volatile int64_t kill_at;  /* the number of the call before which the process dies; -1 for none */
  volatile int64_t torn;     /* whether half of a write is carried out first */
  volatile int64_t group;    /* whether its process group dies with it */
  volatile int64_t sockets;  /* whether calls on sockets count */
  char folder[1024];         /* calls below it count; nothing does while it is empty */
  char calls[SLOTS][SLOT];   /* what each call was */
};

static struct control *control;

__attribute__((constructor)) static void map_control(void) {
  const char *name = getenv("PUREDELTA_KILL_CONTROL");
  int handle = name ? open(name, O_RDWR | O_CLOEXEC) : -1;
  if (handle < 0) return;
  void *found = mmap(NULL, sizeof(struct control), PROT_READ | PROT_WRITE, MAP_SHARED, handle, 0);
  if (found != MAP_FAILED) control = found;
  close(handle);
}

static void die(void) {
  kill(control->group ? 0 : getpid(), SIGKILL);
  for (;;) pause();
}

/* Returns whether this call is the chosen one and half of it is to be carried out first. */
static int count(const char *call, const char *path, int can_tear) {
  int64_t number = __sync_fetch_and_add(&control->made, 1);
  if (number < SLOTS) snprintf(control->calls[number], SLOT, "%s %s", call, path);
  if (number != control->kill_at) return 0;
  if (can_tear && control->torn) return 1;
  die();
  return 0;
}

static int is_counted(const char *path) {
  if (!control || !control->folder[0] || !path) return 0;
  size_t length = strlen(control->folder);
  return strncmp(path, control->folder, length) == 0;
}

static const char *below(const char *path) {
  size_t length = strlen(control->folder);
  return strlen(path) > length ? path + length : ".";
}

static int see(const char *call, const char *path) {
  return is_counted(path) && count(call, below(path), 0);
}

static void see_at(const char *call, int folder, const char *path) {
  if (!control || !control->folder[0] || !path) return;
  if (path[0] == '/' || folder == AT_FDCWD) { see(call, path); return; }
  char link[64], whole[PATH_MAX * 2];
  snprintf(link, sizeof link, "/proc/self/fd/%d", folder);
  ssize_t size = readlink(link, whole, PATH_MAX);
  if (size <= 0) return;
  snprintf(whole + size, sizeof whole - size, "/%s", path);
  see(call, whole);
}

/* Names a call on a socket by the first line that it sends: the request of HTTP. */
static int count_socket(const char *call, int handle, const struct iovec *sent) {
  struct sockaddr_storage peer;
  socklen_t length = sizeof peer;
  if (getpeername(handle, (struct sockaddr *)&peer, &length) || peer.ss_family == AF_UNIX) return 0;
  char line[160] = "";
  size_t size = 0;
  const char *data = sent ? sent->iov_base : NULL;
  while (data && size < sent->iov_len && size < sizeof line - 1 && data[size] >= ' ') {
    line[size] = data[size];
    size++;
  }
  line[size] = 0;
  return count(call, line, sent != NULL);
}

static int see_handle(const char *call, int handle, const struct iovec *sent) {
  if (!control || !control->folder[0]) return 0;
  char link[64], path[PATH_MAX];
  snprintf(link, sizeof link, "/proc/self/fd/%d", handle);
  ssize_t size = readlink(link, path, sizeof path - 1);
  if (size <= 0) return 0;
  path[size] = 0;
  if (control->sockets && strncmp(path, "socket:", 7) == 0) return count_socket(call, handle, sent);
  return is_counted(path) && count(call, below(path), sent != NULL);
}

/* A call of the next library with this name. */
#define NEXT(result, name, types)                                   \
  static result (*next) types;                                      \
  if (!next) next = (result (*) types)dlsym(RTLD_NEXT, name);

#define CHANGES (O_CREAT | O_TRUNC | O_WRONLY | O_RDWR)

#define OPEN(name)                                                  \
  int name(const char *path, int flags, ...) {                      \
    NEXT(int, #name, (const char *, int, ...))                      \
    va_list more;                                                   \
    va_start(more, flags);                                          \
    mode_t mode = va_arg(more, mode_t);                             \
    va_end(more);                                                   \
    if (flags & CHANGES) see("open", path);                         \
    return next(path, flags, mode);                                 \
  }
OPEN(open)
OPEN(open64)

#define OPENAT(name)                                                \
  int name(int folder, const char *path, int flags, ...) {          \
    NEXT(int, #name, (int, const char *, int, ...))                 \
    va_list more;                                                   \
    va_start(more, flags);                                          \
    mode_t mode = va_arg(more, mode_t);                             \
    va_end(more);                                                   \
    if (flags & CHANGES) see_at("open", folder, path);              \
    return next(folder, path, flags, mode);                         \
  }
OPENAT(openat)
OPENAT(openat64)

#define ONE_PATH(result, name, call)                                \
  result name(const char *path) {                                   \
    NEXT(result, #name, (const char *))                             \
    see(call, path);                                                \
    return next(path);                                              \
  }
ONE_PATH(int, unlink, "unlink")
ONE_PATH(int, rmdir, "rmdir")
ONE_PATH(int, remove, "unlink")

int mkdir(const char *path, mode_t mode) {
  NEXT(int, "mkdir", (const char *, mode_t))
  see("mkdir", path);
  return next(path, mode);
}

int mkdirat(int folder, const char *path, mode_t mode) {
  NEXT(int, "mkdirat", (int, const char *, mode_t))
  see_at("mkdir", folder, path);
  return next(folder, path, mode);
}

int unlinkat(int folder, const char *path, int flags) {
  NEXT(int, "unlinkat", (int, const char *, int))
  see_at("unlink", folder, path);
  return next(folder, path, flags);
}

#define TWO_PATHS(name)                                             \
  int name(const char *from, const char *to) {                      \
    NEXT(int, #name, (const char *, const char *))                  \
    see(#name, to);                                                 \
    return next(from, to);                                          \
  }
TWO_PATHS(rename)
TWO_PATHS(link)

int renameat(int a, const char *from, int b, const char *to) {
  NEXT(int, "renameat", (int, const char *, int, const char *))
  see_at("rename", b, to);
  return next(a, from, b, to);
}

int linkat(int a, const char *from, int b, const char *to, int flags) {
  NEXT(int, "linkat", (int, const char *, int, const char *, int))
  see_at("link", b, to);
  return next(a, from, b, to, flags);
}

ssize_t write(int handle, const void *data, size_t size) {
  NEXT(ssize_t, "write", (int, const void *, size_t))
  struct iovec sent = {(void *)data, size};
  if (see_handle("write", handle, &sent)) { next(handle, data, size / 2); die(); }
  return next(handle, data, size);
}

#define PWRITE(name, offset_type)                                   \
  ssize_t name(int handle, const void *data, size_t size, offset_type at) { \
    NEXT(ssize_t, #name, (int, const void *, size_t, offset_type))  \
    struct iovec sent = {(void *)data, size};                       \
    if (see_handle("write", handle, &sent)) { next(handle, data, size / 2, at); die(); } \
    return next(handle, data, size, at);                            \
  }
PWRITE(pwrite, off_t)
PWRITE(pwrite64, off64_t)

ssize_t writev(int handle, const struct iovec *parts, int number) {
  NEXT(ssize_t, "writev", (int, const struct iovec *, int))
  if (see_handle("write", handle, parts)) { next(handle, parts, (number + 1) / 2); die(); }
  return next(handle, parts, number);
}

ssize_t send(int handle, const void *data, size_t size, int flags) {
  NEXT(ssize_t, "send", (int, const void *, size_t, int))
  struct iovec sent = {(void *)data, size};
  if (see_handle("send", handle, &sent)) { next(handle, data, size / 2, flags); die(); }
  return next(handle, data, size, flags);
}

ssize_t recv(int handle, void *data, size_t size, int flags) {
  NEXT(ssize_t, "recv", (int, void *, size_t, int))
  ssize_t got = next(handle, data, size, flags);
  /* A socket is asked again and again; what counts is that an answer has come. */
  if (got > 0 && !(flags & MSG_PEEK)) see_handle("recv", handle, NULL);
  return got;
}

#define HANDLE(name)                                                \
  int name(int handle) {                                            \
    NEXT(int, #name, (int))                                         \
    see_handle(#name, handle, NULL);                                   \
    return next(handle);                                            \
  }
HANDLE(fsync)
HANDLE(fdatasync)

#define TRUNCATE(name, size_type)                                   \
  int name(int handle, size_type size) {                            \
    NEXT(int, #name, (int, size_type))                              \
    see_handle("truncate", handle, NULL);                              \
    return next(handle, size);                                      \
  }
TRUNCATE(ftruncate, off_t)
TRUNCATE(ftruncate64, off64_t)

#define SEND_FILE(name, offset_type)                                \
  ssize_t name(int to, int from, offset_type *at, size_t size) {    \
    NEXT(ssize_t, #name, (int, int, offset_type *, size_t))         \
    struct iovec sent = {NULL, 0};                                  \
    if (see_handle("write", to, &sent)) { next(to, from, at, size / 2); die(); } \
    return next(to, from, at, size);                                \
  }
SEND_FILE(sendfile, off_t)
SEND_FILE(sendfile64, off64_t)

/* The program itself says that it is about to tell its caller of success. */
void puredelta_before_reply(void) {
  if (control && control->folder[0]) count("reply", ".", 0);
}
