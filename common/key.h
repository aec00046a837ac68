// Keys of agents and their clients as text: what is in key files and in lists of those who may.
//
// A key is 32 bytes of Curve25519, written as 64 hexadecimal digits. Making keys needs ZeroMQ and
// reading files needs the system: see common/os/curve.h and common/os/key_file.h.
#pragma once

#include <array>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "common/message.h"

namespace mstune {

using Key = std::array<unsigned char, 32>;

struct KeyPair {
  std::string name;  // of whom it stands for: shows in logs, ties trials to their client
  Key public_key{};
  Key secret_key{};
};

std::string key_text(const Key& key);
// `what` names the field or file for the usage error "key.not_a_key".
Key parse_key(std::string_view text, std::string_view what);

// 1 to 64 of A-Z a-z 0-9 . _ @ - and no "." in front. Throws a usage error "key.bad_name".
void check_key_name(std::string_view name);

// The two files of a pair. The public one is one line of a list of those who may.
std::string secret_file_text(const KeyPair& pair);
std::string public_file_text(const KeyPair& pair);
// Throws a usage error that names `file`: not one of ours, or an ssh key.
KeyPair parse_secret_file(std::string_view text, const std::string& file);

// Those who may, by key.
struct AuthorizedList {
  std::map<Key, std::string> names;
  std::vector<Message> mistakes;  // lines that were passed over
};
// Adds the lines "NAME KEY" of one file; empty ones and those that begin with # mean nothing.
void read_authorized(std::string_view text, const std::string& file, AuthorizedList& list);

}  // namespace mstune
