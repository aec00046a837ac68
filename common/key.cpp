#include "common/key.h"

#include <algorithm>

#include <fmt/format.h>

#include "common/error.h"

namespace mstune {
namespace {

constexpr std::string_view kFirstLine = "mstune secret key 1";
constexpr std::size_t kNameMax = 64;

int hex_value(char c) {
  if (c >= '0' && c <= '9') {
    return c - '0';
  }
  const char lower = static_cast<char>(c | 0x20);
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

bool may_stand_in_name(char c) {
  constexpr std::string_view kOthers = "._@-";
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         kOthers.find(c) != std::string_view::npos;
}

bool is_key_name(std::string_view name) {
  return !name.empty() && name.size() <= kNameMax && name.front() != '.' &&
         std::all_of(name.begin(), name.end(), may_stand_in_name);
}

// Takes the next line from the front, without its end.
std::string_view take_line(std::string_view& text) {
  const auto end = std::min(text.find('\n'), text.size());
  std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  if (line.ends_with('\r')) {
    line.remove_suffix(1);
  }
  return line;
}

std::string_view take_field(std::string_view& text, std::string_view field,
                            const std::string& file) {
  const std::string_view line = take_line(text);
  if (!line.starts_with(field) || line.size() <= field.size() + 1 || line[field.size()] != ' ') {
    throw usage_error("key.damaged", "{}: the line \"{} …\" of the key file is missing", file,
                      field);
  }
  return line.substr(field.size() + 1);
}

}  // namespace

std::string key_text(const Key& key) {
  std::string text;
  for (const unsigned char byte : key) {
    text += fmt::format("{:02x}", byte);
  }
  return text;
}

Key parse_key(std::string_view text, std::string_view what) {
  Key key{};
  bool right = text.size() == key.size() * 2;
  for (std::size_t i = 0; right && i < key.size(); ++i) {
    const int high = hex_value(text[2 * i]);
    const int low = hex_value(text[2 * i + 1]);
    right = high >= 0 && low >= 0;
    key[i] = static_cast<unsigned char>(right ? high * 16 + low : 0);
  }
  if (!right) {
    throw usage_error("key.not_a_key",
                      "{} is not a key: a key has 64 hexadecimal digits, as in the .pub file that "
                      "\"mstune keygen\" wrote",
                      what);
  }
  return key;
}

void check_key_name(std::string_view name) {
  if (!is_key_name(name)) {
    throw usage_error("key.bad_name",
                      "\"{}\" cannot be the name of a key: 1 to {} letters, digits, \".\", \"_\", "
                      "\"@\" and \"-\", no \".\" in front",
                      name, kNameMax);
  }
}

std::string secret_file_text(const KeyPair& pair) {
  return fmt::format("{}\nname {}\npublic {}\nsecret {}\n", kFirstLine, pair.name,
                     key_text(pair.public_key), key_text(pair.secret_key));
}

std::string public_file_text(const KeyPair& pair) {
  return fmt::format("{} {}\n", pair.name, key_text(pair.public_key));
}

KeyPair parse_secret_file(std::string_view text, const std::string& file) {
  const std::string_view first = take_line(text);
  if (first.starts_with("-----BEGIN ") && first.find("PRIVATE KEY") != std::string_view::npos) {
    throw usage_error("key.ssh_key",
                      "{} is an ssh private key, and ssh is not used: make a key with \"mstune "
                      "keygen NAME\", give its .pub file to the agent's owner, and name the .key "
                      "file here (or leave it out for the default)",
                      file);
  }
  if (first != kFirstLine) {
    throw usage_error("key.not_a_key_file",
                      "{} is not a secret key of mstune: make one with \"mstune keygen NAME\"",
                      file);
  }
  KeyPair pair;
  pair.name = take_field(text, "name", file);
  check_key_name(pair.name);
  pair.public_key = parse_key(take_field(text, "public", file), file + ": the public key");
  pair.secret_key = parse_key(take_field(text, "secret", file), file + ": the secret key");
  return pair;
}

void read_authorized(std::string_view text, const std::string& file, AuthorizedList& list) {
  for (int number = 1; !text.empty(); ++number) {
    const std::string_view line = take_line(text);
    if (line.empty() || line.front() == '#') {
      continue;
    }
    const auto blank = line.find(' ');
    const std::string_view name = line.substr(0, blank);
    try {
      check_key_name(name);
      const std::string_view key =
          blank == std::string_view::npos ? std::string_view() : line.substr(blank + 1);
      list.names.insert_or_assign(parse_key(key, fmt::format("{}:{}", file, number)),
                                  std::string(name));
    } catch (const Error& error) {
      list.mistakes.push_back(message("key.line_passed_over", "{}:{} is passed over: {}", file,
                                      number, std::string(error.what())));
    }
  }
}

}  // namespace mstune
