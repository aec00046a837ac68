// Where the state of the stand-in's box is kept.
#pragma once

#include <string>

namespace standin::device {

// $STANDIN_STATE_DIR, else state/ in $ASCEND_HOME_PATH, else state/ in the nearest directory above
// this code's file that has a set_env.sh. Empty when there is none of these.
std::string state_directory();

}  // namespace standin::device
