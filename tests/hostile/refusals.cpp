// Preloaded into an agent: refuses calls as a system does that has no descriptors, processes or
// memory left, one call in so many, while a file is there.
//
//   MSTUNE_REFUSE=N         one in N of the calls below fails: EMFILE, ENFILE or ENOMEM in turn
//   MSTUNE_REFUSE_CALL=C    of the calls named C only
//   MSTUNE_REFUSE_WHILE=F   while the file F exists; it gets a byte for each call that failed
//
// What libzmq asks for itself it is given, but for the connections that it accepts: it ends the
// process where it does not expect a failure, and nothing outside of it can help that.
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/inotify.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <type_traits>

namespace {

template <typename Function>
Function real(const char* name) {
  return reinterpret_cast<Function>(::dlsym(RTLD_NEXT, name));
}

bool is_of_libzmq(const void* caller) {
  Dl_info info{};
  return ::dladdr(caller, &info) != 0 && info.dli_fname != nullptr &&
         std::strstr(info.dli_fname, "libzmq") != nullptr;
}

// True: the call fails, and errno is set.
bool refuses(const char* name, const void* caller) {
  static const bool is_agent = std::strcmp(program_invocation_short_name, "mstune-agent") == 0;
  static const char* const every = std::getenv("MSTUNE_REFUSE");
  static const char* const file = std::getenv("MSTUNE_REFUSE_WHILE");
  static const char* const only = std::getenv("MSTUNE_REFUSE_CALL");
  static std::atomic<unsigned long> calls{0};
  if (!is_agent || every == nullptr || file == nullptr ||
      (only != nullptr && std::strcmp(only, name) != 0) ||
      (std::strcmp(name, "accept4") != 0 && is_of_libzmq(caller))) {
    return false;
  }
  const int armed = real<int (*)(const char*, int, ...)>("open")(file, O_WRONLY | O_APPEND);
  if (armed < 0) {
    return false;
  }
  const unsigned long call = ++calls;
  const bool refused = call % std::strtoul(every, nullptr, 10) == 0;
  if (refused) {
    static_cast<void>(::write(armed, "x", 1) == 1);
  }
  ::close(armed);
  constexpr int kErrors[] = {EMFILE, ENFILE, ENOMEM};
  errno = kErrors[call % 3];
  return refused;
}

unsigned mode_of(int flags, va_list arguments) {
  return (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(arguments, unsigned) : 0;
}

template <typename Result>
constexpr Result failure() {
  if constexpr (std::is_pointer_v<Result>) {
    return nullptr;
  } else {
    return -1;
  }
}

}  // namespace

// One call that can be refused, with its parameters as they are declared and as they are passed on.
#define REFUSABLE(result, name, parameters, arguments)                                     \
  result name parameters {                                                                 \
    return refuses(#name, __builtin_return_address(0)) ? failure<result>()                 \
                                                       : real<result(*) parameters>(#name) \
                                                             arguments;                    \
  }

extern "C" {

int open(const char* path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const unsigned mode = mode_of(flags, arguments);
  va_end(arguments);
  return refuses("open", __builtin_return_address(0))
             ? -1
             : real<int (*)(const char*, int, ...)>("open")(path, flags, mode);
}

int openat(int directory, const char* path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const unsigned mode = mode_of(flags, arguments);
  va_end(arguments);
  return refuses("openat", __builtin_return_address(0))
             ? -1
             : real<int (*)(int, const char*, int, ...)>("openat")(directory, path, flags, mode);
}

REFUSABLE(DIR*, opendir, (const char* path), (path))
REFUSABLE(DIR*, fdopendir, (int directory), (directory))
REFUSABLE(int, pipe2, (int* ends, int flags), (ends, flags))
REFUSABLE(int, socketpair, (int domain, int type, int protocol, int* pair),
          (domain, type, protocol, pair))
REFUSABLE(int, accept4, (int listening, struct sockaddr* address, socklen_t* length, int flags),
          (listening, address, length, flags))
REFUSABLE(int, signalfd, (int descriptor, const sigset_t* mask, int flags),
          (descriptor, mask, flags))
REFUSABLE(int, inotify_init1, (int flags), (flags))
REFUSABLE(int, inotify_add_watch, (int descriptor, const char* path, uint32_t mask),
          (descriptor, path, mask))
REFUSABLE(pid_t, fork, (), ())
REFUSABLE(int, poll, (struct pollfd * polled, nfds_t count, int wait), (polled, count, wait))
REFUSABLE(int, stat, (const char* path, struct stat* info), (path, info))
REFUSABLE(int, lstat, (const char* path, struct stat* info), (path, info))
REFUSABLE(int, fstat, (int descriptor, struct stat* info), (descriptor, info))
REFUSABLE(int, mkdir, (const char* path, mode_t mode), (path, mode))
REFUSABLE(int, renameat, (int from_in, const char* from, int to_in, const char* to),
          (from_in, from, to_in, to))
REFUSABLE(int, linkat, (int from_in, const char* from, int to_in, const char* to, int flags),
          (from_in, from, to_in, to, flags))
REFUSABLE(int, unlinkat, (int directory, const char* path, int flags), (directory, path, flags))
REFUSABLE(int, ftruncate, (int descriptor, off_t length), (descriptor, length))

}  // extern "C"
