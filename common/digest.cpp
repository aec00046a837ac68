#include "common/digest.h"

#include <algorithm>
#include <cstring>

#include <openssl/evp.h>

#include "common/error.h"

namespace mstune {
namespace {

constexpr std::string_view kHexDigits = "0123456789abcdef";

EVP_MD_CTX* context_of(void* context) {
  return static_cast<EVP_MD_CTX*>(context);
}

// libcrypto refuses only when it is out of memory or was built without the algorithm.
void require_success(int success) {
  if (success != 1) {
    throw environment_error("digest.unavailable",
                            "OpenSSL cannot compute SHA-256: is a restricted provider configured "
                            "(OPENSSL_CONF)?");
  }
}

}  // namespace

std::string hex(const Digest& digest) {
  std::string text;
  text.reserve(2 * kDigestSize);
  for (const std::uint8_t byte : digest.bytes) {
    text += kHexDigits[byte >> 4U];
    text += kHexDigits[byte & 15U];
  }
  return text;
}

std::optional<Digest> parse_hex_digest(std::string_view text) {
  if (text.size() != 2 * kDigestSize) {
    return std::nullopt;
  }
  Digest digest;
  for (std::size_t i = 0; i < kDigestSize; ++i) {
    const auto high = kHexDigits.find(text[2 * i]);
    const auto low = kHexDigits.find(text[2 * i + 1]);
    if (high == std::string_view::npos || low == std::string_view::npos) {
      return std::nullopt;
    }
    digest.bytes.at(i) = static_cast<std::uint8_t>(high << 4U | low);
  }
  return digest;
}

std::string raw(const Digest& digest) {
  return {digest.bytes.begin(), digest.bytes.end()};
}

std::optional<Digest> parse_raw_digest(std::string_view bytes) {
  if (bytes.size() != kDigestSize) {
    return std::nullopt;
  }
  Digest digest;
  std::memcpy(digest.bytes.data(), bytes.data(), kDigestSize);
  return digest;
}

std::size_t DigestHash::operator()(const Digest& digest) const {
  std::size_t value = 0;
  std::memcpy(&value, digest.bytes.data(), sizeof value);
  return value;
}

Hasher::Hasher() : context_(EVP_MD_CTX_new()) {
  require_success(context_ == nullptr ? 0 : 1);
  require_success(EVP_DigestInit_ex(context_of(context_.get()), EVP_sha256(), nullptr));
}

void Hasher::Free::operator()(void* context) const {
  EVP_MD_CTX_free(context_of(context));
}

void Hasher::update(std::string_view bytes) {
  require_success(EVP_DigestUpdate(context_of(context_.get()), bytes.data(), bytes.size()));
}

Digest Hasher::finish() {
  Digest digest;
  require_success(EVP_DigestFinal_ex(context_of(context_.get()), digest.bytes.data(), nullptr));
  // Without a type the context keeps its algorithm and is merely reset, which saves a look-up.
  require_success(EVP_DigestInit_ex(context_of(context_.get()), nullptr, nullptr));
  return digest;
}

Digest digest_of(std::string_view bytes) {
  thread_local Hasher hasher;
  hasher.update(bytes);
  return hasher.finish();
}

}  // namespace mstune
