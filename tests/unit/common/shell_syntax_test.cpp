#include "common/shell_syntax.h"

#include <doctest/doctest.h>

namespace mstune {
namespace {

TEST_CASE("shell syntax: what only splits words needs no shell") {
  for (const char* plain :
       {"", "  ", "/opt/infer --om {om} --loop 30", "a 'b|c' \"d;e\" f\\&g", "a '$HOME' \\$x \\`",
        "a --env=X=1 b~c x=1 'cd'", "a \"~\" '~'", "python3 -c 'print(1)'", "a \"b*\" \\*",
        "cdrom x", "=x", "1A=2 b", "a -- cd"}) {
    CAPTURE(plain);
    CHECK_FALSE(shell_syntax_in(plain));
  }
}

TEST_CASE("shell syntax: everything that only a shell understands is found and shown") {
  const auto finds = [](const char* command, const char* what) {
    CAPTURE(command);
    CHECK(shell_syntax_in(command) == std::string(what));
  };
  finds("a | b", "|");
  finds("a && b", "&");
  finds("a; b", ";");
  finds("a < b", "<");
  finds("a 2>&1", ">");
  finds("(a)", "(");
  finds("a $HOME", "$");
  finds("a \"$HOME\"", "$");
  finds("a `b`", "`");
  finds("a \"`b`\"", "`");
  finds("a *.om", "*");
  finds("a b?", "?");
  finds("a [ab]", "[");
  finds("~/a", "~");
  finds("a ~/b", "~");
  finds("LD_LIBRARY_PATH=/x ./a", "LD_LIBRARY_PATH=");
  finds("  A= b", "A=");
  finds("cd /x", "cd");
  finds("cd", "cd");
  finds("a 'b' | c", "|");
  finds("a \\\\| c", "|");
}

}  // namespace
}  // namespace mstune
