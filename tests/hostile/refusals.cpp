// Preloaded into an agent: refuses descriptors, processes and watches as a system does that has
// none left, one call in so many, while a file is there.
//
//   MSTUNE_REFUSE=N         one in N of the calls below fails: EMFILE, ENFILE or ENOMEM in turn
//   MSTUNE_REFUSE_WHILE=F   while the file F exists
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/inotify.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstdint>
#include <cstdlib>
#include <cstring>

namespace {

template <typename Function>
Function real(const char* name) {
  return reinterpret_cast<Function>(::dlsym(RTLD_NEXT, name));
}

// True: the call fails, and errno is set.
bool refuses() {
  static const bool is_agent = std::strcmp(program_invocation_short_name, "mstune-agent") == 0;
  static const char* const every = std::getenv("MSTUNE_REFUSE");
  static const char* const file = std::getenv("MSTUNE_REFUSE_WHILE");
  static std::atomic<unsigned long> calls{0};
  if (!is_agent || every == nullptr || file == nullptr || ::access(file, F_OK) != 0) {
    return false;
  }
  const unsigned long call = ++calls;
  if (call % std::strtoul(every, nullptr, 10) != 0) {
    return false;
  }
  constexpr int kErrors[] = {EMFILE, ENFILE, ENOMEM};
  errno = kErrors[call % 3];
  return true;
}

unsigned mode_of(int flags, va_list arguments) {
  return (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(arguments, unsigned) : 0;
}

}  // namespace

extern "C" {

int open(const char* path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const unsigned mode = mode_of(flags, arguments);
  va_end(arguments);
  return refuses() ? -1 : real<int (*)(const char*, int, ...)>("open")(path, flags, mode);
}

int open64(const char* path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const unsigned mode = mode_of(flags, arguments);
  va_end(arguments);
  return refuses() ? -1 : real<int (*)(const char*, int, ...)>("open64")(path, flags, mode);
}

int openat(int directory, const char* path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const unsigned mode = mode_of(flags, arguments);
  va_end(arguments);
  return refuses()
             ? -1
             : real<int (*)(int, const char*, int, ...)>("openat")(directory, path, flags, mode);
}

DIR* opendir(const char* path) {
  return refuses() ? nullptr : real<DIR* (*)(const char*)>("opendir")(path);
}

int pipe2(int ends[2], int flags) {
  return refuses() ? -1 : real<int (*)(int*, int)>("pipe2")(ends, flags);
}

pid_t fork() {
  return refuses() ? -1 : real<pid_t (*)()>("fork")();
}

int inotify_init1(int flags) {
  return refuses() ? -1 : real<int (*)(int)>("inotify_init1")(flags);
}

int inotify_add_watch(int descriptor, const char* path, uint32_t mask) {
  return refuses() ? -1
                   : real<int (*)(int, const char*, uint32_t)>("inotify_add_watch")(descriptor,
                                                                                    path, mask);
}

int accept4(int descriptor, struct sockaddr* address, socklen_t* length, int flags) {
  return refuses() ? -1
                   : real<int (*)(int, struct sockaddr*, socklen_t*, int)>("accept4")(
                         descriptor, address, length, flags);
}

}  // extern "C"
