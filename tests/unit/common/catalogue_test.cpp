#include "common/catalogue.h"

#include <doctest/doctest.h>

#include "common/display_width.h"
#include "common/error.h"
#include "common/language.h"

namespace mstune {
namespace {

TEST_CASE("catalogue: a message is told in its language, arguments in its order") {
  const auto catalogue = Catalogue::parse(
      "# a comment\n"
      "\n"
      "a.plain = 你好，{}！\n"
      "a.turned = {1} 比 {0} 快\n"
      "a.braces = {{om}} 换成 {}\n");
  CHECK(catalogue.text_of(message("a.plain", "hello, {}!", "x")) == "你好，x！");
  CHECK(catalogue.text_of(message("a.turned", "{} is slower than {}", "A", 7)) == "7 比 A 快");
  CHECK(catalogue.text_of(message("a.braces", "{{om}} becomes {}", "p")) == "{om} 换成 p");
  CHECK(catalogue.text_of(message("a.unknown", "as it is: {}", 3)) == "as it is: 3");
}

TEST_CASE("catalogue: of an id with several English texts the one that was said is found") {
  const auto catalogue = Catalogue::parse(
      "a.tool | tool is {} = 工具为 {}\n"
      "a.tool | no tool in {{}} = {{}} 中没有工具\n");
  CHECK(catalogue.text_of(message("a.tool", "tool is {}", "x")) == "工具为 x");
  CHECK(catalogue.text_of(message("a.tool", "no tool in {{}}")) == "{} 中没有工具");
  CHECK(catalogue.text_of(message("a.tool", "tool was {}", "x")) == "tool was x");
}

TEST_CASE("catalogue: a message inside a message is translated, too") {
  const auto catalogue = Catalogue::parse("out.side = 外：{}\nin.side = 内 {}\n");
  const Message inner = message("in.side", "inside {}", 4);
  const Message outer = message("out.side", "outside: {}", inner);
  CHECK(outer.text == "outside: inside 4");
  CHECK(catalogue.text_of(outer) == "外：内 4");
}

TEST_CASE("catalogue: a message of another program may hold fewer arguments than its text") {
  const auto catalogue = Catalogue::parse("a.b = {}/{}\n");
  CHECK(catalogue.text_of({"a.b", "x", {"1"}}) == "1/?");
}

TEST_CASE("catalogue: what is no line, and what stands there twice, is refused") {
  CHECK_THROWS_AS(Catalogue::parse("a.b 你好\n"), Error);
  CHECK_THROWS_AS(Catalogue::parse("a.b = 1\na.b = 2\n"), Error);
}

TEST_CASE("language: the option wins over the locale, and LC_ALL over LANG") {
  const auto chosen = [](std::vector<std::string> arguments, std::vector<std::string> environment) {
    return chosen_language(arguments, environment);
  };
  CHECK(chosen({}, {}) == Language::english);
  CHECK(chosen({}, {"LANG=zh_CN.UTF-8"}) == Language::chinese);
  CHECK(chosen({}, {"LANG=zh_CN.UTF-8", "LC_ALL=C"}) == Language::english);
  CHECK(chosen({}, {"LC_ALL=", "LC_MESSAGES=zh_TW", "LANG=C"}) == Language::chinese);
  CHECK(chosen({"tune", "--lang", "en"}, {"LANG=zh_CN"}) == Language::english);
  CHECK(chosen({"--lang=zh", "tune"}, {"LANG=C"}) == Language::chinese);
  CHECK(chosen({"--lang"}, {"LANG=C"}) == Language::english);
}

TEST_CASE("display width: Chinese takes two columns, what is no UTF-8 one each") {
  CHECK(display_width("") == 0);
  CHECK(display_width("median(ms)") == 10);
  CHECK(display_width("中位数(ms)") == 10);
  CHECK(display_width("：") == 2);
  CHECK(display_width("e\u0301") == 1);
  CHECK(display_width("\xff\xe4") == 2);
  CHECK(padded_right("候选", 6) == "候选  ");
  CHECK(padded_left("候选", 6) == "  候选");
  CHECK(padded_left("候选", 3) == "候选");
  CHECK(cut_to_width("候选x", 3) == "候");
  CHECK(cut_to_width("候选x", 4) == "候选");
  CHECK(cut_to_width("候选x", 9) == "候选x");
}

}  // namespace
}  // namespace mstune
