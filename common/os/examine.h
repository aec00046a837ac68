// Gathers the facts about this machine that coordinator/doctor/ judges. Looks only: it changes
// nothing and waits for no program.
#pragma once

#include <filesystem>
#include <string>

#include "common/box_facts.h"

namespace mstune::os {

struct ExamineRequest {
  Variables variables;                          // all of the environment that programs will get
  std::filesystem::path work_directory;         // where trials run; need not exist yet
  std::filesystem::path plog_root;              // an example of where a trial's log goes
  std::filesystem::path output_directory = {};  // where OMs and runs are written; empty: nowhere
  std::string software;                         // version of the program that asks
};

// Everything but the devices, which npu-smi tells.
BoxFacts examine(const ExamineRequest& request);

// Where a PATH has a program; empty: nowhere.
std::string find_program(const std::string& name, const std::string& path_list);

}  // namespace mstune::os
