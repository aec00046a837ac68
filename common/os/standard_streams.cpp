#include "common/os/standard_streams.h"

#include <ext/stdio_sync_filebuf.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <iostream>
#include <utility>

#include "common/charset.h"
#include "common/os/descriptor.h"
#include "common/os/failure.h"

namespace mstune::os {
namespace {

using StreamBuffer = __gnu_cxx::stdio_sync_filebuf<char>;

// Lives as long as the process: the C library writes out what waits at the very end.
struct Stream {
  int descriptor;
  CharsetWriter writer;
  int failure = 0;  // the first errno
};

Stream* standard_output = nullptr;

ssize_t write_to(void* cookie, const char* bytes, std::size_t size) {
  auto& stream = *static_cast<Stream*>(cookie);
  if (stream.failure == 0 &&
      !write_fully(stream.descriptor, stream.writer.convert({bytes, size}))) {
    stream.failure = errno;
  }
  if (stream.failure != 0) {
    errno = stream.failure;
    return 0;  // fopencookie(3): an error
  }
  return static_cast<ssize_t>(size);
}

// So that no file that is opened later gets its number, and writing to it fails as it should.
void keep_closed(int descriptor) {
  if (::fcntl(descriptor, F_GETFD) < 0 && errno == EBADF) {
    static_cast<void>(::open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY));
  }
}

Charset charset_for(int descriptor, Charset locale) {
  struct stat status {};
  const bool is_file = ::fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode);
  return is_file ? Charset::utf8 : locale;
}

Stream* convert(Stream made, FILE*& stream, std::ostream& out, int buffering) {
  auto* state = new Stream(std::move(made));
  cookie_io_functions_t functions{};
  functions.write = write_to;
  FILE* file = ::fopencookie(state, "w", functions);
  if (file == nullptr) {
    delete state;
    return nullptr;
  }
  std::setvbuf(file, nullptr, buffering, BUFSIZ);
  stream = file;
  out.rdbuf(new StreamBuffer(file));
  return state;
}

}  // namespace

void set_up_standard_streams(std::span<const std::string> environment, bool is_json) {
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    keep_closed(descriptor);
  }
  const Charset locale = charset_of(environment);
  const Charset of_output = charset_for(STDOUT_FILENO, locale);
  standard_output = convert({STDOUT_FILENO, CharsetWriter(of_output, is_json)}, stdout, std::cout,
                            ::isatty(STDOUT_FILENO) == 1 ? _IOLBF : _IOFBF);
  const Charset of_errors = charset_for(STDERR_FILENO, locale);
  convert({STDERR_FILENO, CharsetWriter(of_errors)}, stderr, std::cerr, _IONBF);
}

std::optional<Message> standard_output_failure() {
  std::cout.flush();
  std::fflush(stdout);
  if (standard_output == nullptr || standard_output->failure == 0) {
    return std::nullopt;
  }
  return message("output.cannot_write",
                 "not all of the output could be written to standard output: {}",
                 reason(standard_output->failure));
}

}  // namespace mstune::os
