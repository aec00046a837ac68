#include "coordinator/sample_target.h"

#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

namespace mstune::coordinator {
namespace {

using nlohmann::json;

TEST_CASE("sample target: what still means something is taken over, and the rest named") {
  const auto rewritten = rewrite_sample_target(
      R"({"host": "192.168.1.10", "port": 22, "user": "tester", "identity_file": "~/.ssh/id_rsa",
          "remote_workdir": "/home/tester/tune", "cann_env": "/usr/local/set_env.sh",
          "run_command": "python3 /home/tester/infer.py --om {om} --loop 20", "_note": "mine"})");
  REQUIRE(rewritten);
  CHECK(json::parse(rewritten->text) ==
        json{{"host", "192.168.1.10"},
             {"server_key", ""},
             {"cann_env", "/usr/local/set_env.sh"},
             {"run_command", "python3 /home/tester/infer.py --om {om} --loop 20"},
             {"_note", "mine"}});
  CHECK(rewritten->dropped ==
        std::vector<std::string>{"port", "user", "identity_file", "remote_workdir"});
}

TEST_CASE("sample target: a command that only a shell understands says so from then on") {
  const auto rewritten = rewrite_sample_target(
      R"({"host": "h", "user": "u", "run_command": "cd /data && ./infer {om}"})");
  REQUIRE(rewritten);
  const json target = json::parse(rewritten->text);
  CHECK(target.at("shell") == true);
  CHECK(target.at("run_command") == "cd /data && ./infer {om}");
}

TEST_CASE("sample target: one of ours is left alone, and so is what is no target") {
  CHECK_FALSE(rewrite_sample_target(R"({"host": "h", "port": 22})"));
  CHECK_FALSE(rewrite_sample_target(R"({"targets": []})"));
  CHECK_FALSE(rewrite_sample_target("[1]"));
  CHECK_FALSE(rewrite_sample_target("{"));
}

TEST_CASE("sample target: the new file lies beside the old one") {
  CHECK(rewritten_file("dir/target.json") == "dir/target.mstune.json");
  CHECK(rewritten_file("target") == "target.mstune.json");
}

}  // namespace
}  // namespace mstune::coordinator
