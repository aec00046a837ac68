// The pass on this machine: which library it is, and where GE wants it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "common/box_facts.h"
#include "common/os/pass_folder.h"

namespace mstune::coordinator {

// From ASCEND_OPP_PATH. Throws an environment error when set_env.sh is not loaded.
os::PassFolder pass_folder(const Variables& variables);

// The bytes of the library to install: `file`, or the first that is there of ./build-pass/, the
// directories beside this program, and ../lib/mstune/. Throws a usage error that says how to build
// it, and for one that is not for a machine of `architecture`.
std::string find_pass_library(const std::string& file, std::string_view architecture);

// Where that library is, if `mstune pass install` would find one; it is not looked into.
std::optional<std::string> built_pass();

// What a run that was ended in the middle has left behind here, with what to do about it.
std::optional<Message> left_behind(const Variables& variables);

}  // namespace mstune::coordinator
