#include "common/key.h"

#include <doctest/doctest.h>

#include "common/error.h"

namespace mstune {
namespace {

KeyPair some_pair() {
  KeyPair pair{"ann", {}, {}};
  for (std::size_t i = 0; i < pair.public_key.size(); ++i) {
    pair.public_key[i] = static_cast<unsigned char>(i * 7);
    pair.secret_key[i] = static_cast<unsigned char>(255 - i);
  }
  return pair;
}

std::string id_of_secret_file(const std::string& text) {
  try {
    parse_secret_file(text, "f.key");
  } catch (const Error& error) {
    CHECK(std::string(error.what()).find("f.key") != std::string::npos);
    return error.message().id;
  }
  return "none";
}

TEST_CASE("key: what was written is read") {
  const KeyPair pair = some_pair();
  const KeyPair read = parse_secret_file(secret_file_text(pair), "f.key");
  CHECK(read.name == pair.name);
  CHECK(read.public_key == pair.public_key);
  CHECK(read.secret_key == pair.secret_key);
  CHECK(parse_key(key_text(pair.public_key), "k") == pair.public_key);
}

TEST_CASE("key: the public part does not hold the secret one") {
  const KeyPair pair = some_pair();
  CHECK(public_file_text(pair).find(key_text(pair.secret_key)) == std::string::npos);
}

TEST_CASE("key: what is no key is refused") {
  for (const std::string& bad : {std::string(), std::string(63, 'a'), std::string(65, 'a'),
                                 std::string(63, 'a') + "g", std::string(63, 'a') + "\n"}) {
    CAPTURE(bad);
    CHECK_THROWS_AS(parse_key(bad, "k"), Error);
  }
  CHECK(parse_key(std::string(64, 'A'), "k") == parse_key(std::string(64, 'a'), "k"));
}

TEST_CASE("key: an ssh key is told from other things that are no key file") {
  CHECK(id_of_secret_file("-----BEGIN OPENSSH PRIVATE KEY-----\nx\n") == "key.ssh_key");
  CHECK(id_of_secret_file("-----BEGIN RSA PRIVATE KEY-----\nx\n") == "key.ssh_key");
  CHECK(id_of_secret_file("") == "key.not_a_key_file");
  CHECK(id_of_secret_file("mstune secret key 1\nname ann\n") == "key.damaged");
}

TEST_CASE("key: a name is short and plain") {
  CHECK_NOTHROW(check_key_name("ann.b_c@host-1"));
  CHECK_NOTHROW(check_key_name(std::string(64, 'a')));
  for (const std::string& bad : {std::string(), std::string(65, 'a'), std::string(".a"),
                                 std::string("a b"), std::string("a/b"), std::string("a\n")}) {
    CAPTURE(bad);
    CHECK_THROWS_AS(check_key_name(bad), Error);
  }
}

TEST_CASE("key: a list passes over a bad line, says which, and keeps the others") {
  const KeyPair pair = some_pair();
  AuthorizedList list;
  read_authorized("# who may\n\n" + public_file_text(pair) + "bob 1234\n", "list", list);
  CHECK(list.names.size() == 1);
  CHECK(list.names.at(pair.public_key) == "ann");
  REQUIRE(list.mistakes.size() == 1);
  CHECK(list.mistakes[0].text.find("list:4") != std::string::npos);
}

}  // namespace
}  // namespace mstune
