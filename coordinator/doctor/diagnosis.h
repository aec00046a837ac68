// Is this machine fit to tune on? Pure: facts in, findings out.
//
// Each check looks at one thing and knows what to do about it. What nobody needs on this machine
// (the pass where nothing is compiled, atc where nothing is built) is not checked.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "common/box_facts.h"
#include "common/message.h"

namespace mstune::coordinator {

enum class Health {
  good,
  note,     // nothing is wrong, but a person may want to know
  warning,  // a run may go wrong, or something may reach production
  failure,  // a run goes wrong
};

// "ok", "note", "warning", "failure".
std::string_view word(Health health);

struct Finding {
  std::string check;  // never changes: "pass.order"
  Health health = Health::good;
  Message what;
  Message remedy;  // what to do now; empty where nothing has to be done
};

// What a machine does in a campaign; it may do both.
struct Roles {
  bool compiles = false;   // the graph: there the pass belongs
  bool runs = false;       // the program under test
  bool offline = false;    // compiling is done by atc
  bool is_target = false;  // an agent's machine: commands get there with --target
};

// The roles of the build host and, with a target, of the agent's machine.
struct CampaignRoles {
  Roles here;
  Roles target;
};
CampaignRoles roles_of(bool offline, bool has_target);

std::vector<Finding> diagnose(const BoxFacts& facts, const Roles& roles);

// What has to be alike on both machines.
std::vector<Finding> compare_boxes(const BoxFacts& here, const BoxFacts& target);

}  // namespace mstune::coordinator
