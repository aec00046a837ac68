// Who may talk to an agent, asked by the real coordinator and by a client that was written from
// protocol/README.md alone.
#include <unistd.h>

#include <filesystem>

#include <doctest/doctest.h>

#include "tests/system/campaign.h"
#include "tests/system/guarded_agent.h"
#include "tests/system/keys.h"

namespace mstune::test {
namespace {

namespace fs = std::filesystem;

// A second client, with a key of its own.
void authorize(Workplace& place, const std::string& name) {
  place.run({program("mstune"), "keygen", name, "--file", name + ".key"});
  fs::copy_file(place.directory() / (name + ".pub"),
                place.directory() / "authorized" / (name + ".pub"));
}

TEST_CASE("security: messages that are wrong in every way are answered or passed over") {
  passes("nonsense");
}

TEST_CASE("security: an agent makes the key that it serves with, and never over another") {
  Workplace place;
  const std::string key = (place.directory() / "box" / "agent.key").string();
  const std::vector<std::string> keygen{program("mstune-agent"), "--keygen", "--key", key};
  const Ended made = place.run(keygen);
  INFO(made.output);
  REQUIRE(made.status == 0);
  CHECK(made.output.find(key) != std::string::npos);
  CHECK(made.output.find(public_key(place, "box/agent.pub")) != std::string::npos);
  CHECK(place.run(keygen).status == 2);

  Running agent = place.start({program("mstune-agent"), "--listen", "tcp://127.0.0.1:*", "--key",
                               key, "--authorized", (place.directory() / "box").string(),
                               "--work-dir", (place.directory() / "agent").string()});
  CHECK(eventually([&] {
    return agent.output().find(public_key(place, "box/agent.pub")) != std::string::npos;
  }));
  agent.signal(SIGTERM);
}

TEST_CASE("security: a probe tells an agent from nobody and from anybody else") {
  Workplace place;
  const auto probe = [&](const std::string& endpoint) {
    return place.run({program("mstune-agent"), "--probe", "--listen", endpoint});
  };
  std::string endpoint;
  {
    GuardedAgent agent(place);
    endpoint = agent.endpoint();
    const Ended found = probe("tcp://0.0.0.0:" + agent.port());  // as it was told to listen
    INFO(found.output);
    CHECK(found.status == 0);
    CHECK(found.output.empty());
    CHECK(agent.running().output().find("refused") == std::string::npos);
  }
  const Ended nobody = probe(endpoint);
  CHECK(nobody.status == 2);
  CHECK(nobody.output.find("no agent listens at " + endpoint) != std::string::npos);

  Running other = place.start({"/usr/bin/python3", "-c",
                               "import socket; s = socket.create_server(('127.0.0.1', 0))\n"
                               "print(f'at {s.getsockname()[1]}.', flush=True)\n"
                               "while True: s.accept()[0].sendall(b'SSH-2.0-OpenSSH_9.2' * 4)"});
  CHECK(eventually([&] { return other.output().find('.') != std::string::npos; }));
  const std::string text = other.output();
  const std::string port = text.substr(3, text.find('.') - 3);
  const Ended stranger = probe("tcp://127.0.0.1:" + port);
  INFO(stranger.output);
  CHECK(stranger.status == 2);
  CHECK(stranger.output.find("is no agent") != std::string::npos);
  other.signal(SIGKILL);

  GuardedAgent insecure(place, {"--insecure"});
  CHECK(probe(insecure.endpoint()).status == 0);
}

TEST_CASE("security: who is not authorized hears nothing until the list says so") {
  Workplace place;
  GuardedAgent agent(place);
  place.run({program("mstune"), "keygen", "eve", "--file", "eve.key"});
  const Ended before = client(place, agent, "silence", "eve.key").wait();
  INFO(before.output);
  CHECK(before.status == 0);
  CHECK(eventually([&] {
    return agent.running().output().find(public_key(place, "eve.pub")) != std::string::npos;
  }));
  fs::copy_file(place.directory() / "eve.pub", place.directory() / "authorized" / "eve.pub");
  CHECK(eventually(
      [&] { return client(place, agent, "other_major", "eve.key").wait().status == 0; }));
}

TEST_CASE("security: whose key is taken off the list is not answered any more") {
  Workplace place;
  GuardedAgent agent(place);
  authorize(place, "eve");
  Running speaker = client(place, agent, "until_silent", "eve.key");
  CHECK(eventually([&] { return speaker.output().find("welcome") != std::string::npos; }));
  fs::remove(place.directory() / "authorized" / "eve.pub");
  const Ended ended = speaker.wait();
  INFO(ended.output);
  CHECK(ended.status == 0);
}

TEST_CASE("security: whose key is taken off the list has its trials ended at once") {
  Workplace place;
  GuardedAgent agent(place);
  authorize(place, "eve");
  Running first = client(place, agent, "begin", "eve.key");
  CHECK(eventually([&] { return !processes_with("54321").empty(); }));
  fs::remove(place.directory() / "authorized" / "eve.pub");
  CHECK(eventually([&] { return processes_with("54321").empty(); }, std::chrono::seconds(10)));
}

TEST_CASE("security: another client's trial can be neither read nor ended") {
  Workplace place;
  GuardedAgent agent(place);
  authorize(place, "eve");
  Running first = client(place, agent, "begin");
  CHECK(eventually([&] { return !processes_with("54321").empty(); }));
  const Ended ended = client(place, agent, "meddle", "eve.key").wait();
  INFO(ended.output);
  CHECK(ended.status == 0);
  CHECK_FALSE(processes_with("54321").empty());
}

TEST_CASE("security: who waits for a device hears who has it, and not longer than the owner says") {
  Workplace place;
  place.write("agent.conf", "wait-time = 3\n");
  GuardedAgent agent(place, {"--config", (place.directory() / "agent.conf").string()});
  authorize(place, "eve");
  Running first = client(place, agent, "begin");
  CHECK(eventually([&] { return !processes_with("54321").empty(); }));
  const Ended ended = client(place, agent, "wait", "eve.key").wait();
  INFO(ended.output);
  CHECK(ended.status == 0);
  CHECK_FALSE(processes_with("54321").empty());
}

TEST_CASE("security: the owner's rules are kept, and each refusal has its rule") {
  Workplace place;
  place.write("agent.conf", "allow = /usr/bin/env*\nlargest-file = 1KB\n");
  GuardedAgent agent(place, {"--config", (place.directory() / "agent.conf").string()});
  const Ended ended = client(place, agent, "rules").wait();
  INFO(ended.output);
  CHECK(ended.status == 0);
}

TEST_CASE("security: rules that others can write are not trusted") {
  Workplace place;
  make_keys(place);
  place.write("agent.conf", "shell = no\n");
  fs::permissions(place.directory() / "agent.conf", fs::perms::others_write, fs::perm_options::add);
  std::vector<std::string> command{program("mstune-agent"), "--listen", "tcp://127.0.0.1:*",
                                   "--config", (place.directory() / "agent.conf").string()};
  for (const std::string& option : key_options(place)) {
    command.push_back(option);
  }
  const Ended ended = place.run(command);
  CHECK(ended.status == 2);
  CHECK(ended.output.find("others could write it") != std::string::npos);
}

TEST_CASE("security: a command for a shell gets one, and only when that is said") {
  Workplace place;
  const std::string command = "cd / && echo \"in $PWD\" > " + (place.directory() / "said").string();
  const Ended ended =
      place.tune({"--run-command", command, "--shell", "--repeat", "1", "--configs", "default"});
  INFO(ended.output);
  CHECK(read_text(place.directory() / "said") == "in /\n");
}

std::string tune_says(Workplace& place, const std::string& target) {
  place.write("target.json", target);
  const Ended ended = place.tune({"--run-command", "true", "--target", "target.json", "--repeat",
                                  "1", "--configs", "default"});
  return std::to_string(ended.status) + " " + ended.output;
}

TEST_CASE("security: the coordinator says which of the keys is wrong") {
  Workplace place;
  GuardedAgent agent(place);
  const std::string start = R"({"host": "127.0.0.1", "port": )" + agent.port() + ", ";
  place.run({program("mstune"), "keygen", "eve", "--file", "eve.key"});
  const std::string pinned = R"("server_key": ")" + public_key(place) + "\"";
  CHECK(tune_says(place, start + pinned + R"(, "identity_file": "eve.key"})")
            .find("does not let the key \"eve\" in") != std::string::npos);
  CHECK(tune_says(place, start + R"("server_key": ")" + public_key(place, "eve.pub") + "\"}")
            .find("does not have the key that the target file pins") != std::string::npos);
  CHECK(tune_says(place, start + R"("insecure": true})").find("wants keys") != std::string::npos);
  CHECK(tune_says(place, start + pinned + "}").starts_with("1 "));  // it runs, and prints no step
}

TEST_CASE("security: an agent without keys says so at every start") {
  Workplace place;
  GuardedAgent agent(place, {"--insecure"});
  CHECK(eventually(
      [&] { return agent.running().output().find("WARNING: --insecure") != std::string::npos; }));
}

TEST_CASE("security: root is warned, and whoever is not is not") {
  Workplace place;
  GuardedAgent agent(place);
  const Ended ended = agent.stop();  // then it has said everything
  CHECK((ended.output.find("WARNING: running as root") != std::string::npos) == (::geteuid() == 0));
}

TEST_CASE("security: an agent does not work in a directory that is a link") {
  Workplace place;
  make_keys(place);
  fs::create_directory(place.directory() / "elsewhere");
  fs::create_directory_symlink(place.directory() / "elsewhere", place.directory() / "agent");
  std::vector<std::string> command{program("mstune-agent"), "--listen", "tcp://127.0.0.1:*",
                                   "--work-dir", (place.directory() / "agent").string()};
  for (const std::string& option : key_options(place)) {
    command.push_back(option);
  }
  const Ended ended = place.run(command);
  CHECK(ended.status == 2);
  CHECK(fs::is_empty(place.directory() / "elsewhere"));
}

}  // namespace
}  // namespace mstune::test
