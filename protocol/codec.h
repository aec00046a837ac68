// Messages ↔ bytes, as MessagePack within limits.
//
// A message is an array of two: its tag and a map of its fields. Whatever bytes come in, unpacking
// either gives a valid message or throws a protocol Error; memory stays within limits.h. Text that
// is no UTF-8 is packed as bin, so that a strict reader can read every message, and text is read
// from both.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "protocol/agent_messages.h"
#include "protocol/box_messages.h"
#include "protocol/messages.h"
#include "protocol/transfer_messages.h"

namespace mstune::protocol {

using Request =
    std::variant<Hello, Ping, Assign, Cancel, Acknowledge, Fetch, Release, Goodbye, Offer,
                 OfferPage, Piece, Withdraw, Inspect, Purge, Examine, ManagePass>;
using Report =
    std::variant<Welcome, Pong, Status, Events, FileData, Failure, ListRequest, Need, Taken, Stored,
                 Waiting, Refused, Condition, Purged, Examined, PassManaged>;

std::string pack(const Request& request);
std::string pack(const Report& report);

// Throws Error of kind protocol: not MessagePack, beyond a limit, a field of a wrong type or out of
// its range, trailing bytes. nullopt: a message of a tag that this version does not know.
std::optional<Request> unpack_request(std::string_view bytes);
std::optional<Report> unpack_report(std::string_view bytes);

// The tag of a message, for errors and logs: "hello".
const char* tag(const Request& request);
const char* tag(const Report& report);

}  // namespace mstune::protocol
