#include "agent/pass_pieces.h"

#include <doctest/doctest.h>

#include "common/error.h"

namespace mstune::agent {
namespace {

protocol::ManagePass piece(std::uint64_t offset, std::uint64_t size) {
  protocol::ManagePass request;
  request.offset = offset;
  request.size = size;
  return request;
}

std::string mistake(PassPieces& pieces, const protocol::ManagePass& request, std::string payload) {
  try {
    static_cast<void>(pieces.add("c", request, std::move(payload)));
    return "none";
  } catch (const Error& error) {
    return error.message().id;
  }
}

TEST_CASE("pass pieces: one message without a size is the whole library") {
  PassPieces pieces;
  CHECK(pieces.add("c", piece(0, 0), "library") == "library");
  CHECK(pieces.add("c", piece(0, 0), "") == "");
}

TEST_CASE("pass pieces: the last piece gives the library, each campaign its own") {
  PassPieces pieces;
  CHECK_FALSE(pieces.add("c", piece(0, 6), "lib"));
  CHECK_FALSE(pieces.add("d", piece(0, 4), "an"));
  CHECK(pieces.add("c", piece(3, 6), "rar") == "librar");
  CHECK(pieces.add("d", piece(2, 4), "d!") == "and!");
}

TEST_CASE("pass pieces: a gap, too much, nothing at all and a library too large are refused") {
  PassPieces pieces;
  CHECK(mistake(pieces, piece(3, 6), "ary") == "agent.pass_piece_lost");
  CHECK(mistake(pieces, piece(0, 6), "library") == "agent.pass_piece_lost");
  CHECK(mistake(pieces, piece(0, 6), "") == "agent.pass_piece_lost");
  CHECK(mistake(pieces, piece(0, protocol::kPassBytesMax + 1), "x") == "pass.too_large_here");
  CHECK_FALSE(pieces.add("c", piece(0, protocol::kPassBytesMax), "x"));
  // What was sent before the connection broke is begun anew.
  CHECK_FALSE(pieces.add("c", piece(0, 4), "ab"));
  CHECK(pieces.add("c", piece(2, 4), "cd") == "abcd");
  CHECK_FALSE(pieces.add("c", piece(0, 4), "ab"));
  pieces.forget("c");
  CHECK(mistake(pieces, piece(2, 4), "cd") == "agent.pass_piece_lost");
}

TEST_CASE("pass pieces: only so many campaigns keep half a library here") {
  PassPieces pieces;
  for (int i = 0; i < 16; ++i) {
    CHECK_FALSE(pieces.add("campaign" + std::to_string(i), piece(0, 9), "x"));
  }
  CHECK(mistake(pieces, piece(0, 9), "x") == "agent.too_many_questions");
}

}  // namespace
}  // namespace mstune::agent
