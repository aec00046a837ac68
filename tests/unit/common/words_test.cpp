#include "common/words.h"

#include <chrono>

#include <doctest/doctest.h>

#include "common/error.h"

namespace mstune {
namespace {

using Words = std::vector<std::string>;

TEST_CASE("words: a command is split as a shell splits it, and nothing is expanded") {
  CHECK(split_words("  python3  infer.py\t--om {om}\n", "x") ==
        Words{"python3", "infer.py", "--om", "{om}"});
  CHECK(split_words("", "x").empty());
  CHECK(split_words("a '' \"\"", "x") == Words{"a", "", ""});
  CHECK(split_words("--shape='x:1,3' \"two words\"tail", "x") ==
        Words{"--shape=x:1,3", "two wordstail"});
  CHECK(split_words(R"(a\ b "q\"\\\$\n" 'c\d')", "x") == Words{"a b", R"(q"\$\n)", R"(c\d)"});
  CHECK(split_words("$HOME *.py ~ `x`", "x") == Words{"$HOME", "*.py", "~", "`x`"});
  CHECK(split_words("a\\\nb", "x") == Words{"ab"});
}

TEST_CASE("words: an open quote and a last backslash are errors that name the option") {
  CHECK_THROWS_WITH_AS(split_words("a 'b", "--run-command"),
                       "--run-command: a quote (') is opened and never closed", Error);
  CHECK_THROWS_WITH_AS(split_words("a\\", "--run-command"),
                       "--run-command: nothing follows the last backslash", Error);
}

TEST_CASE("words: joined words split into themselves again") {
  const Words words{"python3", "two words", "", "it's", "$x", "a\"b", "LoadBalance:4"};
  CHECK(split_words(join_words(words), "x") == words);
  CHECK(join_words({"a", "b=c"}) == "a b=c");
}

TEST_CASE("words: a placeholder is replaced wherever it stands, other braces are left alone") {
  CHECK(replace_placeholder({"--om={om}", "{\"a\":1}", "{om}{om}", "{omx}"}, "{om}", "/x/{om}") ==
        Words{"--om=/x/{om}", "{\"a\":1}", "/x/{om}/x/{om}", "{omx}"});
  CHECK(holds_placeholder({"a", "b{om}"}, "{om}"));
  CHECK_FALSE(holds_placeholder({"a", "{om_prefix}"}, "{om}"));
}

TEST_CASE(
    "words: replacing takes time in proportion to what comes of it, and that is told before") {
  std::string many;
  for (int i = 0; i < 200'000; ++i) {
    many += "{om}";
  }
  const std::string value(250, 'v');
  CHECK(bytes_after_replacing({many, "x"}, "{om}", value.size()) == 200'000 * 250 + 1 + 2);
  const auto begun = std::chrono::steady_clock::now();
  CHECK(replace_placeholder({many}, "{om}", value).front().size() == 200'000 * 250);
  CHECK(std::chrono::steady_clock::now() - begun < std::chrono::seconds(2));
  CHECK(bytes_after_replacing({"{om}"}, "{om}", 1) >= 2);
}

}  // namespace
}  // namespace mstune
