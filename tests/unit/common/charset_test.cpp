#include "common/charset.h"

#include <vector>

#include <doctest/doctest.h>

namespace mstune {
namespace {

Charset in(std::vector<std::string> environment) {
  return charset_of(environment);
}

std::string to(Charset charset, std::string_view text) {
  return CharsetWriter(charset).convert(text);
}

TEST_CASE("charset: the first variable that is set names the locale") {
  CHECK(in({"LANG=zh_CN.GBK"}) == Charset::gbk);
  CHECK(in({"LANG=zh_CN.GBK", "LC_CTYPE=zh_CN.UTF-8"}) == Charset::utf8);
  CHECK(in({"LANG=zh_CN.UTF-8", "LC_CTYPE=en_US.utf8", "LC_ALL=zh_CN.gb18030"}) ==
        Charset::gb18030);
  CHECK(in({"LANG=zh_CN.GBK", "LC_ALL="}) == Charset::gbk);
}

TEST_CASE("charset: names are known however they are written, and by what they leave out") {
  CHECK(in({"LANG=zh_CN.GB2312"}) == Charset::gb2312);
  CHECK(in({"LANG=zh_CN"}) == Charset::gb2312);
  CHECK(in({"LANG=zh_CN.GB-18030@pinyin"}) == Charset::gb18030);
  CHECK(in({"LANG=de_DE@euro"}) == Charset::latin1);
  CHECK(in({"LANG=en_US.ISO-8859-1"}) == Charset::latin1);
  CHECK(in({"LANG=zh_TW.Big5"}) == Charset::ascii);
  CHECK(in({"LANG=ja_JP"}) == Charset::ascii);
}

TEST_CASE("charset: what tells nothing of the terminal leaves UTF-8") {
  for (const char* silent : {"LANG=", "LANG=C", "LANG=POSIX", "LANG=C.UTF-8", "TERM=xterm"}) {
    CHECK(in({silent}) == Charset::utf8);
  }
}

// The bytes are those of the standards' own tables.
TEST_CASE("charset: characters of GB2312, GBK and GB18030 have their bytes") {
  CHECK(to(Charset::gb2312, "中文：a") == "\xd6\xd0\xce\xc4\xa3\xba\x61");
  CHECK(to(Charset::gbk, "中文：a") == "\xd6\xd0\xce\xc4\xa3\xba\x61");
  CHECK(to(Charset::gb18030, "中文：a") == "\xd6\xd0\xce\xc4\xa3\xba\x61");
  // In GBK, not in GB2312.
  CHECK(to(Charset::gbk, "鎔") == "\xe6\x67");
  CHECK(to(Charset::gb2312, "鎔") == "?");
  // Of four bytes.
  CHECK(to(Charset::gb18030, "é") == "\xa8\xa6");
  CHECK(to(Charset::gb18030, "ë") == std::string("\x81\x30\x8a\x35", 4));
  CHECK(to(Charset::gbk, "ë") == "?");
  CHECK(to(Charset::gb18030, "😀") == "\x94\x39\xfc\x36");
  CHECK(to(Charset::gbk, "😀") == "?");
}

TEST_CASE("charset: Latin-1 and ASCII have what they have") {
  CHECK(to(Charset::latin1, "é…x") == "\xe9?x");
  CHECK(to(Charset::ascii, "é…x\n") == "??x\n");
  CHECK(to(Charset::utf8, "é\xff") == "é\xff");
}

TEST_CASE("charset: text may come byte by byte, and bytes that are no UTF-8 become one mark each") {
  CharsetWriter writer(Charset::gbk);
  std::string out;
  for (const char byte : std::string("中a")) {
    out += writer.convert(std::string(1, byte));
  }
  CHECK(out == "\xd6\xd0\x61");
  CHECK(to(Charset::gbk, "\xffx\xe4\xb8y\x80") == "?x?y?");
}

TEST_CASE("charset: JSON escapes what another set than UTF-8 might not have") {
  CHECK(CharsetWriter(Charset::gbk, true).convert(R"({"a": "中😀"})") ==
        R"({"a": "\u4e2d\ud83d\ude00"})");
  CHECK(CharsetWriter(Charset::utf8, true).convert("中") == "中");
}

}  // namespace
}  // namespace mstune
