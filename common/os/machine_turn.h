// What is measured on a machine, and what would disturb that, take turns, whoever runs them: a
// trial of any agent there, or builds and uploads of any coordinator there, never both.
//
// The programs find each other by locks of the kernel on one file of the machine, so that none that
// was killed keeps its turn. Several may measure together, and several may move files together.
// Where the file cannot be used, nobody waits for anybody.
#pragma once

#include <filesystem>

#include "common/os/descriptor.h"

namespace mstune::os {

enum class Activity { measuring, moving };

inline constexpr const char* kTurnFile = "mstune-turns";

// /tmp, or what MSTUNE_TURN_DIRECTORY says: all programs of a machine have to agree.
std::filesystem::path turn_directory();

class MachineTurn {
 public:
  MachineTurn(Activity activity, const std::filesystem::path& directory);

  // Takes the turn, or keeps it; may be asked as often as wanted. False while the other activity
  // has its turn, and then this one is known to wait. Who wants to move files goes before who wants
  // to measure, also where something is measured already, or it would wait for ever: it has to
  // leave the others a pause.
  bool take();
  // Others may have it.
  void release();
  // Does not wait any more.
  void withdraw();

  [[nodiscard]] bool is_held() const { return held_; }
  // Whether somebody waits for this one to end.
  [[nodiscard]] bool others_wait() const;
  // Whether others do the same as this one.
  [[nodiscard]] bool is_shared() const;
  // False where the file cannot be used, as far as is known from the last take().
  [[nodiscard]] bool works() const { return works_; }

 private:
  void open_file();
  bool lock(int place);
  void unlock(int place);
  [[nodiscard]] bool others_have(int place) const;

  Activity activity_;
  std::filesystem::path path_;
  UniqueFd file_;
  bool held_ = false;
  bool waits_ = false;
  bool works_ = true;
};

}  // namespace mstune::os
