// What a campaign was asked for: campaign.json at the start, and the head of summary.json. Open
// data.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "common/candidate.h"
#include "coordinator/evaluation.h"
#include "coordinator/fleet.h"
#include "coordinator/order.h"

namespace mstune::coordinator {

// Where and how it ran: what is needed to run there once more (mstune confirm).
struct Surroundings {
  std::string target_file;                // absolute; empty: this machine, or not known
  std::vector<std::string> target_files;  // all of them, where there is more than one
  std::string working_directory;          // of the program on this machine; empty with a target
  std::string om_directory;               // absolute; empty: that of the run directory
  double timeout_s = 1800;                // 0: none
};

struct CampaignDocument {
  std::string mode = "online";
  std::string command;
  std::optional<std::string> compile_command;
  std::optional<std::string> target_host;
  std::uint64_t repeat = 0;
  Gates gates;
  std::vector<Candidate> candidates;
  Order order{OrderKind::fixed, 0};         // of the trials within a round; the sample's is fixed
  std::optional<std::uint64_t> max_repeat;  // --until-proven: its bound; empty: fixed rounds
  bool control = false;                     // --aa
  bool refine = false;
  int confirm_rounds = 0;      // --confirm; 0: none
  std::string digest_pattern;  // empty: results are not compared
  std::optional<Fleet> fleet;  // of a campaign with more than one device
  // --until-proven with a fleet: how many devices each look planned a round for, by their order.
  std::vector<std::size_t> devices_at_looks;
  Surroundings surroundings;
  // Of what took part, as far as it is known: "mstune", "agent", "cann", "host", ...
  std::map<std::string, std::string> versions;
  // These two are in campaign.json alone.
  std::string session_id;                          // of the coordinator, as agents know it
  std::map<std::string, std::string> server_keys;  // that have answered, by agent
};

}  // namespace mstune::coordinator
