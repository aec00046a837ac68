// Keeps the last event of a trial within what the wire takes (protocol/limits.h). Pure.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "protocol/trial_events.h"

namespace mstune::agent {

// Adds a fact; a text is cut to its last bytes, where a program says most. What is beyond the
// number or the size of all is left out, and counted in the fact "facts_left_out".
void add_fact(protocol::Facts& facts, std::string_view name, protocol::Fact value);

// How many files of plog, from the first one on, have to be left out for the list to fit. `files`
// are sorted by path.
std::size_t plog_files_too_many(const std::vector<protocol::TrialFile>& files);

// Cuts the output's tail and the texts for people.
void keep_within_limits(protocol::Exited& exited);

}  // namespace mstune::agent
