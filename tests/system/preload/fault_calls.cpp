// Preloaded into a program: counts its calls that change the file system, and lets one of them fail
// or kill the program. What it is to do stands in the environment:
//
//   MSTUNE_SWEEP=PROGRAM:NUMBER:WHAT   NUMBER from 1, 0: only count. WHAT is kill, eio (that call
//                                      alone), enospc or edquot (from that call on, whatever needs
//                                      room), erofs (from that call on, whatever changes anything)
//   MSTUNE_SWEEP_COUNTER=FILE          of 8 bytes, shared by all processes of that program
//
// Writes to pipes, sockets and terminals are no such calls.
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

enum class What { count, kill, eio, enospc, edquot, erofs };

std::atomic<unsigned long>* counter = nullptr;
unsigned long chosen = 0;
What what = What::count;

template <typename Function>
Function real(const char* name) {
  return reinterpret_cast<Function>(::dlsym(RTLD_NEXT, name));
}

__attribute__((constructor)) void begin() {
  const char* const sweep = std::getenv("MSTUNE_SWEEP");
  const char* const file = std::getenv("MSTUNE_SWEEP_COUNTER");
  const char* const colon = sweep == nullptr ? nullptr : std::strchr(sweep, ':');
  if (file == nullptr || colon == nullptr ||
      std::strlen(program_invocation_short_name) != static_cast<std::size_t>(colon - sweep) ||
      std::strncmp(sweep, program_invocation_short_name, static_cast<std::size_t>(colon - sweep)) !=
          0) {
    return;
  }
  char* end = nullptr;
  chosen = std::strtoul(colon + 1, &end, 10);
  const char* const kind = *end == ':' ? end + 1 : "";
  what = std::strcmp(kind, "kill") == 0     ? What::kill
         : std::strcmp(kind, "eio") == 0    ? What::eio
         : std::strcmp(kind, "enospc") == 0 ? What::enospc
         : std::strcmp(kind, "edquot") == 0 ? What::edquot
         : std::strcmp(kind, "erofs") == 0  ? What::erofs
                                            : What::count;
  const int descriptor = real<int (*)(const char*, int, ...)>("open")(file, O_RDWR | O_CLOEXEC);
  if (descriptor < 0) {
    return;
  }
  void* const memory =
      ::mmap(nullptr, sizeof *counter, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
  ::close(descriptor);
  if (memory != MAP_FAILED) {
    counter = static_cast<std::atomic<unsigned long>*>(memory);
  }
}

// True: the call fails, and errno is set.
bool fails(bool needs_room) {
  if (counter == nullptr) {
    return false;
  }
  const unsigned long number = ++*counter;
  if (chosen == 0 || number < chosen) {
    return false;
  }
  if (what == What::kill && number == chosen) {
    ::kill(::getpid(), SIGKILL);
  }
  if (what == What::eio && number == chosen) {
    errno = EIO;
    return true;
  }
  if ((what == What::enospc || what == What::edquot) && needs_room) {
    errno = what == What::enospc ? ENOSPC : EDQUOT;
    return true;
  }
  if (what == What::erofs) {
    errno = EROFS;
    return true;
  }
  return false;
}

bool is_file(int descriptor) {
  struct stat info {};
  return ::fstat(descriptor, &info) == 0 && S_ISREG(info.st_mode);
}

bool makes(int flags) {
  return (flags & O_CREAT) != 0 || (flags & O_TRUNC) != 0;
}

mode_t mode_of(int flags, va_list arguments) {
  return (flags & O_CREAT) != 0 ? va_arg(arguments, mode_t) : 0;
}

}  // namespace

extern "C" {

#define MSTUNE_OPEN(name)                                                        \
  int name(const char* path, int flags, ...) {                                   \
    va_list arguments;                                                           \
    va_start(arguments, flags);                                                  \
    const mode_t mode = mode_of(flags, arguments);                               \
    va_end(arguments);                                                           \
    return makes(flags) && fails(true)                                           \
               ? -1                                                              \
               : real<int (*)(const char*, int, ...)>(#name)(path, flags, mode); \
  }
MSTUNE_OPEN(open)
MSTUNE_OPEN(open64)

#define MSTUNE_OPENAT(name)                                                                      \
  int name(int directory, const char* path, int flags, ...) {                                    \
    va_list arguments;                                                                           \
    va_start(arguments, flags);                                                                  \
    const mode_t mode = mode_of(flags, arguments);                                               \
    va_end(arguments);                                                                           \
    return makes(flags) && fails(true)                                                           \
               ? -1                                                                              \
               : real<int (*)(int, const char*, int, ...)>(#name)(directory, path, flags, mode); \
  }
MSTUNE_OPENAT(openat)
MSTUNE_OPENAT(openat64)

ssize_t write(int descriptor, const void* bytes, size_t size) {
  return is_file(descriptor) && fails(true)
             ? -1
             : real<ssize_t (*)(int, const void*, size_t)>("write")(descriptor, bytes, size);
}

int fsync(int descriptor) {
  return fails(true) ? -1 : real<int (*)(int)>("fsync")(descriptor);
}
int fdatasync(int descriptor) {
  return fails(true) ? -1 : real<int (*)(int)>("fdatasync")(descriptor);
}
int ftruncate(int descriptor, off_t size) {
  return fails(false) ? -1 : real<int (*)(int, off_t)>("ftruncate")(descriptor, size);
}
int ftruncate64(int descriptor, off64_t size) {
  return fails(false) ? -1 : real<int (*)(int, off64_t)>("ftruncate64")(descriptor, size);
}
int truncate(const char* path, off_t size) {
  return fails(false) ? -1 : real<int (*)(const char*, off_t)>("truncate")(path, size);
}
int truncate64(const char* path, off64_t size) {
  return fails(false) ? -1 : real<int (*)(const char*, off64_t)>("truncate64")(path, size);
}
int rename(const char* from, const char* to) {
  return fails(false) ? -1 : real<int (*)(const char*, const char*)>("rename")(from, to);
}
int renameat(int from_directory, const char* from, int to_directory, const char* to) {
  return fails(false) ? -1
                      : real<int (*)(int, const char*, int, const char*)>("renameat")(
                            from_directory, from, to_directory, to);
}
int unlink(const char* path) {
  return fails(false) ? -1 : real<int (*)(const char*)>("unlink")(path);
}
int unlinkat(int directory, const char* path, int flags) {
  return fails(false) ? -1
                      : real<int (*)(int, const char*, int)>("unlinkat")(directory, path, flags);
}
int remove(const char* path) {
  return fails(false) ? -1 : real<int (*)(const char*)>("remove")(path);
}
int rmdir(const char* path) {
  return fails(false) ? -1 : real<int (*)(const char*)>("rmdir")(path);
}
int mkdir(const char* path, mode_t mode) {
  return fails(true) ? -1 : real<int (*)(const char*, mode_t)>("mkdir")(path, mode);
}
int mkdirat(int directory, const char* path, mode_t mode) {
  return fails(true) ? -1
                     : real<int (*)(int, const char*, mode_t)>("mkdirat")(directory, path, mode);
}
int link(const char* from, const char* to) {
  return fails(true) ? -1 : real<int (*)(const char*, const char*)>("link")(from, to);
}
int linkat(int from_directory, const char* from, int to_directory, const char* to, int flags) {
  return fails(true) ? -1
                     : real<int (*)(int, const char*, int, const char*, int)>("linkat")(
                           from_directory, from, to_directory, to, flags);
}

}  // extern "C"
