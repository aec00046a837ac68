// Files of the repository that are built into the programs (scripts/cmake/embed.cmake).
#pragma once

#include <string_view>

namespace mstune::embedded {

extern const std::string_view kChineseCatalogue;  // common/languages/zh.txt

}  // namespace mstune::embedded
