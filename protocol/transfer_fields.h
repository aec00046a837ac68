// The names of the fields of transfer_messages.h on the wire; see wire.h.
#pragma once

#include "protocol/transfer_messages.h"
#include "protocol/wire.h"

namespace mstune::protocol {

template <>
struct Wire<Offer> {
  static constexpr const char* kTag = "offer";
  static void fields(auto& m, auto&& visit) {
    visit("upload", m.upload);
    visit("identity", m.identity);
    visit("size", m.size);
    visit("chunks", m.chunks);
  }
};

template <>
struct Wire<ListRequest> {
  static constexpr const char* kTag = "list_request";
  static void fields(auto& m, auto&& visit) {
    visit("upload", m.upload);
    visit("first", m.first);
  }
};

template <>
struct Wire<OfferPage> {
  static constexpr const char* kTag = "offer_page";
  static void fields(auto& m, auto&& visit) {
    visit("upload", m.upload);
    visit("first", m.first);
    visit("digests", m.digests);
    visit("lengths", m.lengths);
  }
};

template <>
struct Wire<Need> {
  static constexpr const char* kTag = "need";
  static void fields(auto& m, auto&& visit) {
    visit("upload", m.upload);
    visit("lacks", m.lacks);
    visit("window_bytes", m.window_bytes);
  }
};

template <>
struct Wire<Piece> {
  static constexpr const char* kTag = "piece";
  static void fields(auto& m, auto&& visit) {
    visit("upload", m.upload);
    visit("first", m.first);
    visit("count", m.count);
  }
};

template <>
struct Wire<Taken> {
  static constexpr const char* kTag = "taken";
  static void fields(auto& m, auto&& visit) {
    visit("upload", m.upload);
    visit("bytes", m.bytes);
  }
};

template <>
struct Wire<Stored> {
  static constexpr const char* kTag = "stored";
  static void fields(auto& m, auto&& visit) { visit("upload", m.upload); }
};

template <>
struct Wire<Waiting> {
  static constexpr const char* kTag = "waiting";
  static void fields(auto& m, auto&& visit) { visit("upload", m.upload); }
};

template <>
struct Wire<Refused> {
  static constexpr const char* kTag = "refused";
  static void fields(auto& m, auto&& visit) {
    visit("upload", m.upload);
    visit("why", m.why);
  }
};

template <>
struct Wire<Withdraw> {
  static constexpr const char* kTag = "withdraw";
  static void fields(auto& m, auto&& visit) { visit("upload", m.upload); }
};

}  // namespace mstune::protocol
