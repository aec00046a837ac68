// A program that logs as its arguments tell it, for the tests of the log library.
//
//   log_driver VERB [VALUE] VERB [VALUE] ...
// The verbs are in the table at the end. They are carried out in their order.
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "tests/standin/plog/dlog_pub.h"

namespace {

long thread_id() {
  return syscall(SYS_gettid);
}

void log_line(int module, int level, const char* text) {
  DlogRecord(module, level, "[driver.cc:1]%ld Record:%s", thread_id(), text);
}

// As GE logs an event: always to run/, and once more to debug/ unless the old variable asks for
// stdout.
void log_event_as_ge(const char* text) {
  log_line(RUN_LOG_MASK | GE, DLOG_INFO, text);
  const char* const to_stdout = getenv("ASCEND_SLOG_PRINT_TO_STDOUT");
  if (to_stdout == nullptr || std::string_view(to_stdout) != "1") {
    log_line(GE, DLOG_INFO, text);
  }
}

// `count` numbered lines of nearly 1000 bytes, as fast as they can be made.
void flood(const char* count) {
  const std::string filler(900, 'x');
  for (long number = 0; number < atol(count); ++number) {
    DlogRecord(RUN_LOG_MASK | GE, DLOG_INFO, "flood=%ld %s", number, filler.c_str());
  }
}

// As flood, but slow enough that nothing is dropped.
void stream(const char* count) {
  const std::string filler(900, 'x');
  constexpr long lines_between_flushes = 900;
  for (long number = 0; number < atol(count); ++number) {
    DlogRecord(RUN_LOG_MASK | GE, DLOG_INFO, "stream=%ld %s", number, filler.c_str());
    if (number % lines_between_flushes == 0) {
      DlogFlush();
    }
  }
  DlogFlush();
}

// The child carries out what follows, the parent waits for it and is done.
void continue_in_child(const char* /*unused*/) {
  const pid_t child = fork();
  if (child > 0) {
    int status = 0;
    waitpid(child, &status, 0);
    exit(WIFEXITED(status) ? WEXITSTATUS(status) : 1);
  }
}

char* program_name = nullptr;  // argv[0]

// What setproctitle does, within the room that the old name has.
void rename_program(const char* name) {
  const std::size_t room = strlen(program_name);
  std::fill_n(program_name, room, '\0');
  strncpy(program_name, name, room);
  program_invocation_short_name = program_name;
}

void set_variable(const char* assignment) {
  const std::string text = assignment;
  const auto equals = text.find('=');
  setenv(text.substr(0, equals).c_str(), text.substr(equals + 1).c_str(), 1);
}

void print(const char* text) {
  std::fputs(text, stdout);
  std::fflush(stdout);
}

// Until the test sends a byte.
void wait_for_byte(const char* /*unused*/) {
  print("waiting\n");
  char byte = 0;
  if (read(STDIN_FILENO, &byte, 1) != 1) {
    exit(2);
  }
}

struct Verb {
  bool has_value;
  std::function<void(const char*)> act;
};

const std::map<std::string_view, Verb>& verbs() {
  static const std::map<std::string_view, Verb> kTable{
      {"run", {true, [](auto* text) { log_line(RUN_LOG_MASK | GE, DLOG_INFO, text); }}},
      {"error", {true, [](auto* text) { log_line(GE, DLOG_ERROR, text); }}},
      {"info", {true, [](auto* text) { log_line(GE, DLOG_INFO, text); }}},
      {"old-event", {true, [](auto* text) { log_line(GE, DLOG_EVENT, text); }}},
      {"event", {true, log_event_as_ge}},
      {"security", {true, [](auto* text) { log_line(SECURITY_LOG_MASK | GE, DLOG_INFO, text); }}},
      {"flood", {true, flood}},
      {"stream", {true, stream}},
      {"finalize", {false, [](auto*) { DlogReportFinalize(); }}},
      {"flush", {false, [](auto*) { DlogFlush(); }}},
      {"fork", {false, continue_in_child}},
      {"name", {true, rename_program}},
      {"set", {true, set_variable}},
      {"print", {true, print}},
      {"wait", {false, wait_for_byte}},
      {"_exit", {false, [](auto*) { _exit(0); }}},
      {"kill", {false, [](auto*) { kill(getpid(), SIGKILL); }}},
  };
  return kTable;
}

}  // namespace

int main(int argc, char** argv) {
  program_name = argv[0];
  for (int index = 1; index < argc; ++index) {
    const auto verb = verbs().find(argv[index]);
    if (verb == verbs().end() || (verb->second.has_value && index + 1 == argc)) {
      std::fprintf(stderr, "log_driver: cannot do '%s'\n", argv[index]);
      return 2;
    }
    verb->second.act(verb->second.has_value ? argv[++index] : nullptr);
  }
  return 0;
}
