// Which CANN toolkit an environment or a set_env.sh stands for, from the files of its installation.
#pragma once

#include <filesystem>
#include <string>

namespace mstune::os {

// The value of the line "version=8.1.RC1" or "Version=…" of one of CANN's info files, without
// quotes; empty where there is none, or the file cannot be read.
std::string version_in(const std::filesystem::path& info_file);

// The version of the toolkit installed at `home` ("8.1.RC1"), or in its "latest"; empty where it
// cannot be told. Source: ascend_toolkit_install.info, else version.info of opp, compiler, runtime.
std::string cann_version_at(const std::filesystem::path& home);

// That of the toolkit which the script belongs to; empty also for a script that stands elsewhere.
std::string cann_version_of_script(const std::filesystem::path& set_env);

}  // namespace mstune::os
