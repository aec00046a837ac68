// Whether the GE of a CANN can record steps: the text of its record stands in a library of its
// runtime. Reads files only; loads and runs nothing.
#pragma once

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "common/box_facts.h"
#include "common/time.h"

namespace mstune::os {

// Looks through these libraries, some 100 MB, a piece at a time, so that a loop can do other things
// between two. Source: GE's step recorder is part of libdavinci_executor.so, and of
// libge_executor.so where that is linked statically.
class RecorderLook {
 public:
  // Only the first library of a name in `directories` counts: that one is loaded.
  explicit RecorderLook(const std::vector<std::string>& directories);

  // Reads the next MiB. True when it is over: then result() says what was seen.
  bool step();
  // kRecorderPresent, kRecorderAbsent, or empty: not known (yet), because there is no such library
  // or one could not be read to its end.
  [[nodiscard]] std::string result() const;

 private:
  void open_next();

  std::vector<std::filesystem::path> libraries_;
  std::size_t next_ = 0;
  std::ifstream file_;  // the one that is being read
  std::string piece_;   // its bytes; before a step the end of what was read, for a text across both
  bool found_ = false;
  bool missed_ = false;
};

// Where the loader looks for a toolkit's libraries in an environment; nothing without a toolkit.
std::vector<std::string> library_directories(const Variables& variables);

// All of it at once, in `limit` at most: result() of what was read by then.
std::string look_for_recorder(const std::vector<std::string>& directories, Duration limit);

// The same for the toolkit of an environment, in a few seconds at most.
std::string recorder_of(const Variables& variables);

}  // namespace mstune::os
