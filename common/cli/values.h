// From what a person typed to a value, by the row of its option. Pure.
#pragma once

#include <string>
#include <string_view>
#include <variant>

#include "common/cli/option.h"

namespace mstune::cli {

// `home` stands for a leading ~ of a path.
std::variant<Value, BadValue> read_value(const Option& option, std::string_view typed,
                                         std::string_view home);

// The marks of a Chinese input method as those of a keyboard: "，" "：" "“" "—" "３" and so on
// become , : " - 3. Everything else stays.
std::string plain_marks(std::string_view typed);

// The same of a command, and quotes around all of it are gone.
std::string plain_command(std::string_view typed);

// "10,000": a number as people write it; "0.5" where it is not whole.
std::string number_text(double number);

// "90", "1.5h", "2h30m", "250ms". False where it is no time.
bool read_seconds(std::string_view text, double& seconds);

}  // namespace mstune::cli
