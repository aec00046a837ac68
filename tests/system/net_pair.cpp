#include "tests/system/net_pair.h"

#include <unistd.h>

#include <cstdlib>

#include "tests/system/campaign.h"

namespace mstune::test {
namespace {

bool ran(std::vector<std::string> command) {
  try {
    return Running(command, "/tmp", {{"PATH", "/usr/sbin:/usr/bin:/sbin:/bin"}}).wait().status == 0;
  } catch (const std::exception&) {
    return false;  // there is no such program
  }
}

}  // namespace

// Names and addresses by this process's number, so that others on this machine have theirs.
NetPair::NetPair() : name_("mstune-" + std::to_string(::getpid())) {
  const int number = ::getpid();
  near_ = "mst" + std::to_string(number) + "a";
  far_ = "mst" + std::to_string(number) + "b";
  const std::string network =
      "10.213." + std::to_string(number / 64 % 256) + "." + std::to_string(number % 64 * 4);
  far_address_ = network.substr(0, network.rfind('.') + 1) + std::to_string(number % 64 * 4 + 2);
}

std::unique_ptr<NetPair> NetPair::make() {
  std::unique_ptr<NetPair> pair(new NetPair);
  const std::string& far_address = pair->far_address_;
  const auto dot = far_address.rfind('.') + 1;
  const std::string near_address =
      far_address.substr(0, dot) + std::to_string(std::stoi(far_address.substr(dot)) - 1);
  const std::string& name = pair->name_;
  const bool made =
      ran({"ip", "netns", "add", name}) &&
      ran({"ip", "link", "add", pair->near_, "type", "veth", "peer", "name", pair->far_, "netns",
           name}) &&
      ran({"ip", "addr", "add", near_address + "/30", "dev", pair->near_}) &&
      ran({"ip", "link", "set", pair->near_, "up"}) &&
      ran({"ip", "-n", name, "addr", "add", far_address + "/30", "dev", pair->far_}) &&
      ran({"ip", "-n", name, "link", "set", pair->far_, "up"}) &&
      ran({"ip", "-n", name, "link", "set", "lo", "up"}) &&
      ran({"ip", "netns", "exec", name, "true"});
  return made ? std::move(pair) : nullptr;
}

NetPair::~NetPair() {
  ran({"ip", "link", "del", near_});
  ran({"ip", "netns", "del", name_});
}

std::vector<std::string> NetPair::prefix() const {
  return {"ip", "netns", "exec", name_};
}

void NetPair::pull_cable() const {
  ran({"ip", "link", "set", near_, "down"});
}

void NetPair::plug_in() const {
  ran({"ip", "link", "set", near_, "up"});
}

bool NetPair::limit_rate(unsigned kilobits_per_second) const {
  const std::string rate = std::to_string(kilobits_per_second) + "kbit";
  return ran({"tc", "qdisc", "add", "dev", near_, "root", "tbf", "rate", rate, "burst", "16kb",
              "latency", "200ms"}) &&
         ran({"tc", "-n", name_, "qdisc", "add", "dev", far_, "root", "tbf", "rate", rate, "burst",
              "16kb", "latency", "200ms"});
}

}  // namespace mstune::test
