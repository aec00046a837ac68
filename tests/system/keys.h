// Keys for a test's agent and its client, made as people make them.
#pragma once

#include <string>
#include <vector>

#include "tests/system/campaign.h"

namespace mstune::test {

// Makes a key for the agent (agent.key), one for the client where target files look for it, and a
// list that authorizes it (authorized/), unless they are there already.
void make_keys(Workplace& place);

// The options of an agent that uses them.
std::vector<std::string> key_options(const Workplace& place);

// The public key in a .pub file of the workplace.
std::string public_key(const Workplace& place, const std::string& file = "agent.pub");

}  // namespace mstune::test
