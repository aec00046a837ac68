// The folders that GE scans for custom passes, and our pass in them.
//
// GE loads $ASCEND_OPP_PATH/vendors/<any>/custom_fusion_passes/*.so. It passes over a
// custom_fusion_passes that is a symbolic link; a linked vendor, or a linked vendors/, is followed.
// Names come in the order of strcoll. That is byte order, as here, unless the program that loads GE
// has set a locale. With the pass in place every step is recorded and waited for, which must never
// reach production: whoever needs it for a while holds it (HeldPass), and what a crash leaves
// behind is recognised by the lock that its holder no longer has.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/box_facts.h"
#include "common/message.h"
#include "common/os/descriptor.h"

namespace mstune::os {

class PassFolder {
 public:
  explicit PassFolder(std::filesystem::path opp_path) : opp_path_(std::move(opp_path)) {}

  // Where our pass belongs.
  [[nodiscard]] std::filesystem::path library() const;
  [[nodiscard]] bool is_installed() const;

  // What GE would load, in its order. `search` are the directories of LD_LIBRARY_PATH.
  [[nodiscard]] std::vector<PassLibrary> list(const std::vector<std::string>& search) const;
  // Our pass and the sample's below vendors/ where GE does not look,
  // those that a linked custom_fusion_passes hides among them.
  [[nodiscard]] std::vector<std::string> strays() const;
  [[nodiscard]] std::vector<PassLease> leases() const;

  // Puts the bytes of a library there, to stay; a reader sees the old one or the new one. Throws
  // an environment error that says what to do, while somebody holds it as well.
  void install(std::string_view bytes) const;
  // False when it was not there. Throws while somebody holds it.
  [[nodiscard]] bool remove() const;
  // Removes the sample's library wherever GE would load it, and tells where that was.
  [[nodiscard]] std::vector<std::string> remove_samples() const;

 private:
  friend class HeldPass;

  [[nodiscard]] std::filesystem::path vendors() const { return opp_path_ / "vendors"; }
  [[nodiscard]] std::filesystem::path vendor() const;
  [[nodiscard]] UniqueFd lock() const;
  void refuse_link() const;
  void refuse_held() const;
  void put(std::string_view bytes) const;
  void take_away() const;
  void remove_dead_leases() const;
  [[nodiscard]] bool is_held_by_others() const;

  std::filesystem::path opp_path_;
};

// Keeps the pass installed while it lives. Several holders share one; one that somebody installed
// to stay is left alone.
class HeldPass {
 public:
  // `owner` names the holder for people. Throws as PassFolder::install() does.
  HeldPass(PassFolder folder, std::string_view bytes, std::string_view owner);
  // Goes on holding a pass that a former life of `owner` held. Nothing where nobody has a lease, so
  // that it stays or is away; leases without a pass are removed.
  static std::unique_ptr<HeldPass> take_over(PassFolder folder, std::string_view owner);
  ~HeldPass();
  HeldPass(const HeldPass&) = delete;
  HeldPass& operator=(const HeldPass&) = delete;

  // Removes the pass unless others hold it. What went wrong, or nothing; once.
  std::optional<Message> release();

  // False when it was there before, to stay.
  [[nodiscard]] bool is_managed() const { return managed_; }
  // True when a former holder had left it behind.
  [[nodiscard]] bool took_over() const { return took_over_; }

 private:
  explicit HeldPass(PassFolder folder) : folder_(std::move(folder)) {}
  void hold(std::string_view owner);

  PassFolder folder_;
  std::filesystem::path lease_;
  UniqueFd lease_lock_;
  bool managed_ = false;
  bool took_over_ = false;
};

}  // namespace mstune::os
