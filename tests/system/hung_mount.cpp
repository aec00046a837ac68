#include "tests/system/hung_mount.h"

#include <fcntl.h>
#include <linux/fuse.h>
#include <poll.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <string>
#include <vector>

namespace mstune::test {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kRequestBytesMax = 256 * 1024;

template <typename Body>
std::string bytes_of(const Body& body) {
  return {reinterpret_cast<const char*>(&body), sizeof body};
}

}  // namespace

std::unique_ptr<HungMount> HungMount::make(const fs::path& directory) {
  os::UniqueFd device(::open("/dev/fuse", O_RDWR | O_CLOEXEC | O_NONBLOCK));
  if (!device.valid()) {
    return nullptr;
  }
  fs::create_directories(directory);
  const std::string options =
      "fd=" + std::to_string(device.value()) + ",rootmode=40000,user_id=0,group_id=0";
  if (::mount("hung", directory.c_str(), "fuse", MS_NOSUID | MS_NODEV, options.c_str()) != 0) {
    return nullptr;
  }
  return std::unique_ptr<HungMount>(new HungMount(directory, std::move(device)));
}

HungMount::HungMount(fs::path directory, os::UniqueFd device)
    : directory_(std::move(directory)), device_(std::move(device)), thread_([this] { serve(); }) {}

HungMount::~HungMount() {
  stop_ = true;
  thread_.join();
  device_ = os::UniqueFd();  // every request fails now
  ::umount2(directory_.c_str(), MNT_DETACH);
}

void HungMount::serve() const {
  std::vector<char> request(kRequestBytesMax);
  while (!stop_) {
    pollfd polled{device_.value(), POLLIN, 0};
    ::poll(&polled, 1, 20);
    if (::read(device_.value(), request.data(), request.size()) > 0) {
      answer(request.data());
    }
  }
}

// Of the root it tells all, so that only those hang who want a file in it.
void HungMount::answer(const char* request) const {
  fuse_in_header head{};
  std::memcpy(&head, request, sizeof head);
  std::string body;
  int error = 0;
  if (head.opcode == FUSE_INIT) {
    fuse_init_out out{};
    out.major = FUSE_KERNEL_VERSION;
    out.minor = FUSE_KERNEL_MINOR_VERSION;
    out.max_write = 4096;
    body = bytes_of(out);
  } else if (head.opcode == FUSE_GETATTR && head.nodeid == FUSE_ROOT_ID) {
    fuse_attr_out out{};
    out.attr.ino = FUSE_ROOT_ID;
    out.attr.mode = S_IFDIR | 0755;
    out.attr.nlink = 2;
    body = bytes_of(out);
  } else if (head.opcode == FUSE_LOOKUP || head.opcode == FUSE_FORGET ||
             head.opcode == FUSE_BATCH_FORGET || head.opcode == FUSE_INTERRUPT) {
    return;
  } else {
    error = -ENOSYS;
  }
  const fuse_out_header answer{static_cast<std::uint32_t>(sizeof(fuse_out_header) + body.size()),
                               error, head.unique};
  const std::string message = bytes_of(answer) + body;
  static_cast<void>(::write(device_.value(), message.data(), message.size()) > 0);
}

}  // namespace mstune::test
