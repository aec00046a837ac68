// A network of two: this machine and a network namespace, with a cable between them that can be
// pulled and made slow. Everything goes through the kernel's own network, so that nobody is told of
// what happens to the cable.
#pragma once

#include <memory>
#include <string>
#include <vector>

namespace mstune::test {

class NetPair {
 public:
  // Nothing where this process may not make one, or iproute2 is not there.
  static std::unique_ptr<NetPair> make();
  ~NetPair();
  NetPair(const NetPair&) = delete;
  NetPair& operator=(const NetPair&) = delete;

  // Begins a command that is to run at the far end.
  [[nodiscard]] std::vector<std::string> prefix() const;
  [[nodiscard]] const std::string& far_address() const { return far_address_; }

  void pull_cable() const;
  void plug_in() const;
  // At most so many bits a second towards the far end and back; false where the kernel cannot.
  [[nodiscard]] bool limit_rate(unsigned kilobits_per_second) const;

 private:
  NetPair();

  std::string name_;
  std::string near_;  // interfaces
  std::string far_;
  std::string far_address_;
};

}  // namespace mstune::test
