// Which CANN toolkit an environment or a set_env.sh stands for, from the files of its installation.
#pragma once

#include <filesystem>
#include <string>

namespace mstune::os {

// The version of the toolkit installed at `home` ("8.1.RC1"), or in its "latest"; empty where it
// cannot be told. Source: ascend_toolkit_install.info, opp/version.info, compiler/version.info.
std::string cann_version_at(const std::filesystem::path& home);

// That of the toolkit which the script belongs to; empty also for a script that stands elsewhere.
std::string cann_version_of_script(const std::filesystem::path& set_env);

}  // namespace mstune::os
