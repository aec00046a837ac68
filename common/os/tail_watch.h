// Watches directories for changes with inotify and tells what changed, by path. Part of LogTail.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "common/os/descriptor.h"

struct inotify_event;

namespace mstune::os {

enum class ChangeKind {
  written,    // the content of a file changed
  appeared,   // a file was made or moved here
  removed,    // a file was removed
  moved,      // a file was moved away
  directory,  // a directory was made or moved here: watch it, then look into it
  overflow,   // changes were lost: look at everything
};

struct Change {
  ChangeKind kind = ChangeKind::overflow;
  std::string path;  // as the directories were given, plus the name
};

class TailWatch {
 public:
  // Where the system gives no inotify instance (a user has 128 of them as a rule), nothing can be
  // watched: add() says so each time.
  TailWatch();

  // -1 where nothing can be watched.
  [[nodiscard]] int descriptor() const { return inotify_.value(); }

  // Watches one directory, not what is below it. Again is harmless, under another path renames
  // it. False, with errno set, when the system refuses or there is no such directory.
  bool add(const std::string& directory);

  // Everything that has happened, in order, up to a bound: the rest stays readable.
  std::vector<Change> take();

 private:
  void translate(const inotify_event& event, const char* name, std::vector<Change>& changes);

  UniqueFd inotify_;
  std::unordered_map<int, std::string> directories_;  // by watch descriptor
};

}  // namespace mstune::os
