#include "common/digest.h"

#include <string>

#include <doctest/doctest.h>

namespace mstune {
namespace {

TEST_CASE("digest: the published examples of SHA-256 come out") {
  CHECK(hex(digest_of("")) == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  CHECK(hex(digest_of("abc")) ==
        "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

TEST_CASE("digest: bytes in parts have the digest of the whole, again and again") {
  Hasher hasher;
  for (int round = 0; round < 2; ++round) {
    hasher.update("a");
    hasher.update("");
    hasher.update("bc");
    CHECK(hasher.finish() == digest_of("abc"));
  }
}

TEST_CASE("digest: both of its texts are read back, and nothing else is") {
  const Digest digest = digest_of("abc");
  CHECK(parse_hex_digest(hex(digest)) == digest);
  CHECK(parse_raw_digest(raw(digest)) == digest);
  CHECK_FALSE(parse_hex_digest(hex(digest) + "0"));
  CHECK_FALSE(parse_hex_digest(hex(digest).substr(1)));
  CHECK_FALSE(parse_hex_digest("B" + hex(digest).substr(1)));
  CHECK_FALSE(parse_hex_digest("../" + hex(digest).substr(3)));
  CHECK_FALSE(parse_raw_digest(raw(digest) + "0"));
  CHECK_FALSE(parse_raw_digest(""));
}

}  // namespace
}  // namespace mstune
