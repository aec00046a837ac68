#include "agent/exited_limits.h"

#include <string>

#include <doctest/doctest.h>

#include "protocol/codec.h"

namespace mstune::agent {
namespace {

using protocol::Fact;

TEST_CASE("exited limits: a text of a fact keeps its end, a name its beginning") {
  protocol::Facts facts;
  add_fact(facts, "tail", std::string(protocol::kFactTextBytesMax, 'a') + "z");
  const auto& tail = std::get<std::string>(facts.at("tail"));
  CHECK(tail.size() == protocol::kFactTextBytesMax);
  CHECK(tail.back() == 'z');
  add_fact(facts, std::string(200, 'n'), std::int64_t{1});
  CHECK(facts.contains(std::string(protocol::kFactNameBytesMax, 'n')));
}

TEST_CASE("exited limits: facts beyond the number or the size are counted and left out") {
  protocol::Facts many;
  for (int i = 0; i < 200; ++i) {
    add_fact(many, "fact" + std::to_string(i), std::int64_t{i});
  }
  CHECK(many.size() == protocol::kFactsMax);
  CHECK(many.at("facts_left_out") == Fact(std::int64_t{200 - 127}));
  protocol::Facts large;
  for (int i = 0; i < 100; ++i) {
    add_fact(large, "fact" + std::to_string(i), std::string(protocol::kFactTextBytesMax, 'x'));
  }
  CHECK(large.size() < 65);
  CHECK(large.at("facts_left_out") > Fact(std::int64_t{30}));
}

TEST_CASE("exited limits: of very many files those of plog give way, never the output") {
  std::vector<protocol::TrialFile> files{{{"stdout.log"}, 1}};
  CHECK(plog_files_too_many(files) == 0);
  for (int i = 0; i < 3000; ++i) {
    files.push_back({{"plog/run/plog/plog-" + std::to_string(10000 + i) + ".log"}, 1});
  }
  const std::size_t left_out = plog_files_too_many(files);
  CHECK(left_out > 0);
  files.erase(files.begin() + 1, files.begin() + 1 + static_cast<std::ptrdiff_t>(left_out));
  CHECK(plog_files_too_many(files) == 0);
  CHECK(files.size() > 1000);
}

TEST_CASE("exited limits: the last event fits into a message, however much a trial left behind") {
  protocol::Exited exited;
  exited.output_tail.value = std::string(100'000, 'o') + "end";
  exited.detail = message("a.b", "cannot run {}", std::string(500'000, 'c'));
  for (int i = 0; i < 1000; ++i) {
    exited.files.push_back({{"plog/" + std::string(58, 'f')}, 1});
  }
  for (int i = 0; i < 200; ++i) {
    add_fact(exited.facts, "fact" + std::to_string(i), std::string(2000, '\xff'));
  }
  REQUIRE(plog_files_too_many(exited.files) == 0);
  keep_within_limits(exited);
  CHECK(exited.output_tail.value.ends_with("end"));
  const std::string packed =
      protocol::pack(protocol::Report{protocol::Events{{}, 0, {std::move(exited)}}});
  CHECK(packed.size() < protocol::kRequestBytesMax);
}

}  // namespace
}  // namespace mstune::agent
