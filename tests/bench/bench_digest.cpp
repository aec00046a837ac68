// Which digest is the fastest sound one here? Prints MiB/s of one core, and the ratio to SHA-256.
#include <array>
#include <memory>
#include <string>

#include <fmt/format.h>
#include <openssl/evp.h>

#include "common/digest.h"
#include "tests/bench/bench.h"

namespace {

constexpr std::size_t kSize = std::size_t{64} << 20;
constexpr std::size_t kPart = std::size_t{64} * 1024;

void digest_parts(const std::string& bytes, const EVP_MD* algorithm) {
  const std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context(EVP_MD_CTX_new(),
                                                                        &EVP_MD_CTX_free);
  std::array<unsigned char, EVP_MAX_MD_SIZE> result{};
  for (std::size_t at = 0; at < bytes.size(); at += kPart) {
    EVP_DigestInit_ex(context.get(), algorithm, nullptr);
    EVP_DigestUpdate(context.get(), bytes.data() + at, kPart);
    EVP_DigestFinal_ex(context.get(), result.data(), nullptr);
  }
}

}  // namespace

int main() {
  const std::string bytes = mstune::bench::random_bytes(kSize, 1);
  const double ours = mstune::bench::best_mib_per_s(kSize, 5, [&] {
    for (std::size_t at = 0; at < kSize; at += kPart) {
      mstune::digest_of(std::string_view(bytes).substr(at, kPart));
    }
  });
  const auto print = [&](const char* name, double speed) {
    fmt::print("{:<12} {:7.0f} MiB/s  {:.2f}x\n", name, speed, speed / ours);
  };
  print("digest_of", ours);
  print("SHA-256",
        mstune::bench::best_mib_per_s(kSize, 5, [&] { digest_parts(bytes, EVP_sha256()); }));
  print("BLAKE2b-512",
        mstune::bench::best_mib_per_s(kSize, 5, [&] { digest_parts(bytes, EVP_blake2b512()); }));
  print("SHA-512",
        mstune::bench::best_mib_per_s(kSize, 5, [&] { digest_parts(bytes, EVP_sha512()); }));
}
