// What a person sees while a campaign runs: plain lines, on one stream.
#pragma once

#include <iosfwd>
#include <set>
#include <string>
#include <vector>

#include "coordinator/documents.h"
#include "coordinator/plan.h"

namespace mstune::coordinator {

class Progress {
 public:
  explicit Progress(std::ostream& out) : out_(out) {}

  void campaign(const CampaignDocument& campaign, const std::string& run_directory);
  void building(const Candidate& candidate);
  void built(const Candidate& candidate, double seconds, const std::string& path);
  void uploaded(const Candidate& candidate, std::uint64_t size, std::uint64_t sent);
  void started(const Trial& trial, const std::string& command);
  void recorded(const EvaluatedTrial& trial, const std::string& output_tail);
  // What a look at the evidence led to.
  void decided(const Message& what);
  // A note is told once, however often it comes.
  void note(const Message& what);

 private:
  void say(const Message& what);

  std::ostream& out_;
  std::set<std::string> told_;
};

}  // namespace mstune::coordinator
