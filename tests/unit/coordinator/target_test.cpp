#include "coordinator/target.h"

#include <algorithm>

#include <doctest/doctest.h>

#include "common/error.h"

namespace mstune::coordinator {
namespace {

const std::string kKeyText(64, '5');

// What is said of a file; several mistakes are told together.
std::vector<Message> mistakes_in(const Message& message) {
  if (message.id != "target.several") {
    return {message};
  }
  std::vector<Message> all = mistakes_in(message.inner.at(0));
  all.push_back(message.inner.at(1));
  return all;
}

std::vector<Message> mistakes_of(std::string_view text) {
  try {
    parse_target(text, "t.json");
  } catch (const Error& error) {
    CHECK(error.kind() == ErrorKind::usage);
    return mistakes_in(error.message());
  }
  return {};
}

bool fails_with(std::string_view text, const std::string& id, const std::string& word) {
  const auto mistakes = mistakes_of(text);
  return std::any_of(mistakes.begin(), mistakes.end(), [&](const Message& mistake) {
    return mistake.id == id && mistake.text.find(word) != std::string::npos &&
           mistake.text.find("t.json") != std::string::npos;
  });
}

TEST_CASE("target: all that is wrong is told at once, each thing once") {
  const auto mistakes = mistakes_of(
      R"({"host": "h", "port": 22, "run_command": "cd /x && ./a", "env": [], "hots": 1})");
  std::vector<std::string> ids;
  for (const Message& mistake : mistakes) {
    ids.push_back(mistake.id);
  }
  CHECK(ids == std::vector<std::string>{"target.ssh_port", "target.needs_shell",
                                        "target.wrong_type", "target.unknown_field",
                                        "target.no_server_key"});
}

TEST_CASE("target: the sample's fields that still mean something are read") {
  const Target target = parse_target(
      R"({"host": "192.168.1.10", "cann_env": "/usr/local/Ascend/set_env.sh", "server_key": ")" +
          kKeyText +
          R"json(", "run_command": "python3 infer.py --om {om}", "env": {"A": "1"}, "cwd": "/data",
          "digest_pattern": "digest (\\w+)",
          "_comment": 5})json",
      "t.json");
  CHECK(target.host == "192.168.1.10");
  CHECK(target.port == protocol::kDefaultPort);
  CHECK(target.run_command == "python3 infer.py --om {om}");
  CHECK(target.cann_env == "/usr/local/Ascend/set_env.sh");
  CHECK(target.env.at("A") == "1");
  CHECK(target.cwd == "/data");
  CHECK(target.digest_pattern == "digest (\\w+)");
  CHECK(target.notes.empty());
  CHECK(endpoint(target) == "tcp://192.168.1.10:18600");
}

TEST_CASE("target: a mask in env is refused with what to say instead") {
  CHECK(
      fails_with(R"({"host": "h", "insecure": true, "env": {"ASCEND_RT_VISIBLE_DEVICES": "4,5"}})",
                 "target.env_mask", "--devices"));
}

TEST_CASE("target: fields of ssh days are noted, or refused with what to put instead") {
  const Target target = parse_target(
      R"({"host": "h", "insecure": true, "user": "u", "remote_workdir": "/tmp/x"})", "t.json");
  REQUIRE(target.notes.size() == 3);
  CHECK(target.notes[0].id == "target.user_ignored");
  CHECK(target.notes[1].id == "target.remote_workdir_ignored");
  CHECK(target.notes[2].id == "target.insecure");
  CHECK(fails_with(R"({"host": "h", "port": 22})", "target.ssh_port", "18600"));
  CHECK(fails_with(R"({"host": "10.0.0.1:18600"})", "target.port_in_host",
                   R"("host": "10.0.0.1", "port": 18600)"));
}

TEST_CASE("target: the agent's key is pinned, or it is said that there is none") {
  const Target target = parse_target(
      R"({"host": "h", "server_key": ")" + kKeyText + R"(", "identity_file": "~/me.key"})",
      "t.json");
  REQUIRE(target.server_key);
  CHECK(key_text(*target.server_key) == kKeyText);
  CHECK(target.identity_file == "~/me.key");
  CHECK(fails_with(R"({"host": "h"})", "target.no_server_key", "server_key"));
  CHECK(fails_with(R"({"host": "h", "insecure": true, "server_key": ")" + kKeyText + "\"}",
                   "target.no_server_key", "exclude"));
  CHECK(fails_with(R"({"host": "h", "server_key": "abc"})", "key.not_a_key", "server_key"));
  CHECK(fails_with(R"({"host": "h", "insecure": "yes"})", "target.wrong_type", "insecure"));
}

TEST_CASE("target: a command that means something else without a shell has to say so") {
  const std::string start = R"({"host": "h", "insecure": true, "run_command": ")";
  CHECK(fails_with(start + R"(cd /x && ./a"})", "target.needs_shell", "\"cd\""));
  CHECK(fails_with(start + R"(a | b"})", "target.needs_shell", "shell\": true"));
  CHECK(parse_target(start + R"(a | b", "shell": true})", "t").shell);
  CHECK_FALSE(parse_target(start + R"(a 'b | c'"})", "t").shell);
  CHECK(fails_with(R"({"host": "h", "insecure": true, "shell": true})", "target.shell_alone",
                   "run_command"));
}

TEST_CASE("target: every mistake names the field and the file") {
  CHECK(fails_with("{", "target.not_json", "line"));
  CHECK(fails_with("[]", "target.not_object", "object"));
  CHECK(fails_with("{}", "target.missing_field", "host"));
  CHECK(fails_with(R"({"host": ""})", "target.missing_field", "host"));
  CHECK(fails_with(R"({"host": 5})", "target.wrong_type", "host"));
  CHECK(fails_with(R"({"host": "h", "hots": "h"})", "target.unknown_field", "hots"));
  CHECK(fails_with(R"({"host": "h", "host": "i"})", "target.duplicate_field", "host"));
  CHECK(fails_with(R"({"host": "h", "env": {"A": "1", "A": "2"}})", "target.duplicate_field", "A"));
  CHECK(fails_with(R"({"host": "h", "env": {"A": 1}})", "target.wrong_type", "env"));
  CHECK(fails_with(R"({"host": "h", "env": []})", "target.wrong_type", "env"));
  CHECK(fails_with(R"({"host": "h", "digest_pattern": 5})", "target.wrong_type", "digest_pattern"));
  CHECK(fails_with(R"({"host": "h", "digest_pattern": "digest"})", "digest.one_group",
                   "digest_pattern"));
  CHECK(fails_with(R"({"host": "h", "digest_pattern": "(a"})", "digest.bad_pattern",
                   "digest_pattern"));
  CHECK(fails_with(R"({"host": "h", "port": 0})", "target.bad_port", "port"));
  CHECK(fails_with(R"({"host": "h", "port": 65536})", "target.bad_port", "port"));
  CHECK(fails_with(R"({"host": "h", "port": "18600"})", "target.bad_port", "port"));
  CHECK(fails_with(R"({"host": "h", "port": 1.5})", "target.bad_port", "port"));
}

TEST_CASE("target: files go along under a name below the trial's directory") {
  const Target target = parse_target(
      R"({"host": "h", "insecure": true, "keep": false,
          "files": ["in.bin", "/data/x.cfg", {"path": "sub/y", "name": "deep/y"}]})",
      "dir/t.json");
  CHECK_FALSE(target.keep);
  REQUIRE(target.files.size() == 3);
  CHECK(target.files[0].path == "dir/in.bin");
  CHECK(target.files[0].name == "in.bin");
  CHECK(target.files[1].path == "/data/x.cfg");
  CHECK(target.files[1].name == "x.cfg");
  CHECK(target.files[2].path == "dir/sub/y");
  CHECK(target.files[2].name == "deep/y");
  CHECK(parse_target(R"({"host": "h", "insecure": true})", "t.json").keep);
}

TEST_CASE("target: files that lead elsewhere, or meet, are refused") {
  CHECK(fails_with(R"({"host": "h", "files": "a"})", "target.wrong_type", "files"));
  CHECK(fails_with(R"({"host": "h", "files": [5]})", "target.wrong_type", "files"));
  CHECK(fails_with(R"({"host": "h", "files": [{"name": "a"}]})", "target.wrong_type", "files"));
  CHECK(fails_with(R"({"host": "h", "files": [{"path": "a", "name": "../a"}]})",
                   "target.bad_file_name", "../a"));
  CHECK(fails_with(R"({"host": "h", "files": [{"path": "a", "name": "/a"}]})",
                   "target.bad_file_name", "/a"));
  CHECK(fails_with(R"({"host": "h", "files": ["dir/"]})", "target.bad_file_name", "files"));
  CHECK(fails_with(R"({"host": "h", "files": ["a", "b/a"]})", "target.two_files", "b/a"));
  CHECK(fails_with(R"({"host": "h", "keep": "no"})", "target.wrong_type", "keep"));
}

TEST_CASE("target: an IPv6 address is put into brackets") {
  CHECK(endpoint(parse_target(R"({"host": "::1", "port": 7, "insecure": true})", "t")) ==
        "tcp://[::1]:7");
}

TEST_CASE("inventory: targets are read over the defaults, variables each by itself") {
  const auto targets = parse_inventory(
      R"({"defaults": {"cann_env": "/c/set_env.sh", "port": 18700, "insecure": true,
                       "env": {"A": "1", "B": "2"}},
          "targets": [{"host": "npu-a"},
                      {"host": "npu-b", "port": 18800, "env": {"B": "3"}, "devices_per_trial": 2}],
          "_note": "comment"})",
      "i.json");
  REQUIRE(targets.size() == 2);
  CHECK(title(targets[0]) == "npu-a:18700");
  CHECK(targets[0].cann_env == "/c/set_env.sh");
  CHECK(targets[0].devices_per_trial == 1);
  CHECK(title(targets[1]) == "npu-b:18800");
  CHECK(targets[1].env == std::map<std::string, std::string>{{"A", "1"}, {"B", "3"}});
  CHECK(targets[1].devices_per_trial == 2);
}

TEST_CASE("inventory: what is wrong in it is named with its place") {
  const auto error = [](std::string_view text) {
    try {
      parse_inventory(text, "i.json");
    } catch (const Error& failure) {
      return failure.message().id + "|" + failure.what();
    }
    return std::string("none");
  };
  for (const char* bad : {"[]", "{}", R"({"targets": []})", R"({"targets": 1})",
                          R"({"targets": [{"host": "a"}], "defaults": 1})"}) {
    CAPTURE(bad);
    CHECK(error(bad).starts_with("inventory.not_a_list|"));
  }
  CHECK(error(R"({"targets": [{"host": "a"}], "more": 1})").starts_with("target.unknown_field|"));
  const std::string second =
      error(R"({"defaults": {"insecure": true}, "targets": [{"host": "a"}, {"hots": "b"}]})");
  CHECK(second.find("i.json: targets[1]") != std::string::npos);
  CHECK(error(R"({"targets": [{"host": "a", "insecure": true, "devices_per_trial": 0}]})")
            .starts_with("target.wrong_type|"));
}

TEST_CASE("targets: the same agent twice is an error") {
  const auto targets = parse_inventory(R"({"defaults": {"insecure": true},
                          "targets": [{"host": "a"}, {"host": "a", "port": 18600}]})",
                                       "i.json");
  CHECK_THROWS_AS(refuse_equal_targets(targets), Error);
  CHECK_NOTHROW(refuse_equal_targets({targets[0]}));
}

}  // namespace
}  // namespace mstune::coordinator
