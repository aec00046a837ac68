// The two tables of `npu-smi info` → the devices of the machine. Pure.
//
// Written for the tables of A2, A3 (two dies a card), 310B and the wider ones since 26.0; a line
// that is none of them is passed over. The place in the table is the logic id, which ACL uses.
#pragma once

#include <string_view>
#include <vector>

#include "common/box_facts.h"

namespace mstune::agent {

// Empty when the text holds no such table: npu-smi failed.
std::vector<DeviceFacts> parse_device_table(std::string_view text);

}  // namespace mstune::agent
