#include "agent/policy.h"

#include <doctest/doctest.h>

#include "common/error.h"

namespace mstune::agent {
namespace {

std::string error_of(std::string_view text) {
  try {
    parse_policy(text, "agent.conf");
  } catch (const Error& error) {
    CHECK(error.message().text.find("agent.conf:") != std::string::npos);
    return error.message().id;
  }
  return "none";
}

std::string id_of(const std::optional<Message>& message) {
  return message ? message->id : "none";
}

protocol::TrialSpec spec_with(const std::string& variable) {
  protocol::TrialSpec spec;
  spec.command = {"/bin/true"};
  spec.environment[variable] = "1";
  return spec;
}

protocol::TrialSpec shell_spec() {
  protocol::TrialSpec spec;
  spec.command = {"a | b"};
  spec.shell = true;
  return spec;
}

TEST_CASE("policy: a star stands for any characters, slashes too, and nothing else is special") {
  CHECK(matches("/opt/a", "/opt/a"));
  CHECK_FALSE(matches("/opt/a", "/opt/ab"));
  CHECK_FALSE(matches("/opt/ab", "/opt/a"));
  CHECK(matches("/opt/*", "/opt/bin/a"));
  CHECK(matches("/opt/*", "/opt/"));
  CHECK_FALSE(matches("/opt/*", "/opt"));
  CHECK(matches("*", ""));
  CHECK(matches("*a*b*", "xxaxxbxx"));
  CHECK_FALSE(matches("*a*b*", "xxbxxaxx"));
  CHECK(matches("a**b", "ab"));
  CHECK_FALSE(matches("a?", "ab"));
  CHECK_FALSE(matches("", "a"));
  CHECK_FALSE(matches(std::string(64, '*') + "x", std::string(4096, 'a')));
}

TEST_CASE("policy: every rule is read, with comments and blanks around it") {
  const Policy policy = parse_policy(
      "# of the box's owner\n\n  allow = /opt/infer/*  \nallow=/usr/bin/python3\r\n"
      "allow-variable = LD_LIBRARY_PATH\ndeny-variable = LD_*\nshell = yes\nlargest-file = 8GB\n"
      "store = 64 GB\nstore-share = 8GB\noutput = 512KB\nrun-time = 600\nwait-time = 60",
      "agent.conf");
  CHECK(policy.allow == std::vector<std::string>{"/opt/infer/*", "/usr/bin/python3"});
  CHECK(policy.shell_allowed());
  CHECK(policy.file_bytes_max == std::uint64_t{8} << 30U);
  CHECK(policy.store_bytes_max == std::uint64_t{64} << 30U);
  CHECK(policy.share_bytes_max == std::uint64_t{8} << 30U);
  CHECK(policy.output_bytes_max == 512 * 1024);
  CHECK(policy.run_max == std::chrono::minutes(10));
  CHECK(policy.wait_max == std::chrono::minutes(1));
}

TEST_CASE("policy: a line that is no rule is an error that names its place") {
  for (const char* bad :
       {"allow", "= x", "alow = /x", "allow = ", "allow = bin/x", "shell = maybe",
        "largest-file = 0", "largest-file = -1", "largest-file = 8XB",
        "largest-file = 99999999999TB", "run-time = 1.5", "run-time = 31622401"}) {
    CAPTURE(bad);
    CHECK(error_of(bad).starts_with("policy."));
  }
  CHECK(error_of("run-time = 31622400") == "none");
}

TEST_CASE("policy: without rules any program and a shell may be run, but not under LD_PRELOAD") {
  const Policy policy = parse_policy("", "agent.conf");
  CHECK(id_of(refusal_of_program(policy, "/bin/sh")) == "none");
  CHECK(id_of(refusal_of_trial(policy, shell_spec())) == "none");
  CHECK(id_of(refusal_of_trial(policy, spec_with("PATH"))) == "none");
  CHECK(id_of(refusal_of_trial(policy, spec_with("LD_PRELOAD"))) == "policy.variable_denied");
  CHECK(id_of(refusal_of_trial(policy, spec_with("BASH_FUNC_a%%"))) == "policy.variable_denied");
  CHECK(id_of(refusal_of_file(policy, UINT64_MAX, UINT64_MAX)) == "none");
}

TEST_CASE("policy: where programs are limited no shell and no borrowed code come in") {
  const Policy policy = parse_policy("allow = /opt/infer/*", "agent.conf");
  CHECK(id_of(refusal_of_program(policy, "/opt/infer/bin/infer")) == "none");
  CHECK(id_of(refusal_of_program(policy, "/bin/sh")) == "policy.program_not_allowed");
  CHECK(id_of(refusal_of_trial(policy, shell_spec())) == "policy.no_shell");
  for (const std::string& variable : variables_allowed_to_limited()) {
    CHECK(id_of(refusal_of_trial(policy, spec_with(variable))) == "none");
  }
  for (const char* variable :
       {"PATH", "HOME", "PERLLIB", "PYTHONPATH", "_JAVA_OPTIONS", "LUA_INIT", "OPENSSL_MODULES",
        "ASCEND_ENGINE_PATH", "TBE_IMPL_PATH", "OMPI_MCA_mca_base_component_path", "LOCPATH",
        "ASCEND_RT_VISIBLE_DEVICES", "ASCEND_PROCESS_LOG_PATH", "ASCEND_CACHE_PATH", "BATCH",
        "GE_AUTO_MULTISTREAM_PARALLEL_MODE2"}) {
    CAPTURE(variable);
    CHECK(id_of(refusal_of_trial(policy, spec_with(variable))) == "policy.variable_not_allowed");
  }
  CHECK(id_of(refusal_of_trial(policy, spec_with("LD_PRELOAD"))) == "policy.variable_denied");
  protocol::TrialSpec unset;
  unset.unset = {"HOME"};
  CHECK(id_of(refusal_of_trial(policy, unset)) == "policy.variable_not_allowed");
  CHECK(id_of(refusal_of_trial(parse_policy("", "f"), unset)) == "none");
  protocol::TrialSpec elsewhere;
  elsewhere.working_directory = "/home/ann";
  CHECK(id_of(refusal_of_trial(policy, elsewhere)) == "policy.no_working_directory");
  CHECK(id_of(refusal_of_trial(parse_policy("", "f"), elsewhere)) == "none");
  const Policy listed = parse_policy("allow = /x\nallow-variable = BATCH*", "agent.conf");
  CHECK(id_of(refusal_of_trial(listed, spec_with("BATCH_SIZE"))) == "none");
  const Policy shell = parse_policy("allow = /opt/*\nshell = yes", "agent.conf");
  CHECK(id_of(refusal_of_trial(shell, shell_spec())) == "none");
  const Policy none = parse_policy("shell = no", "agent.conf");
  CHECK(id_of(refusal_of_trial(none, shell_spec())) == "policy.no_shell");
}

TEST_CASE(
    "policy: a variable may be let in by name, and the owner's list takes the default's place") {
  const Policy policy = parse_policy("allow-variable = LD_LIBRARY_PATH", "agent.conf");
  CHECK(id_of(refusal_of_trial(policy, spec_with("LD_LIBRARY_PATH"))) == "none");
  CHECK(id_of(refusal_of_trial(policy, spec_with("LD_PRELOAD"))) == "policy.variable_denied");
  const Policy own = parse_policy("deny-variable = SECRET_*", "agent.conf");
  CHECK(id_of(refusal_of_trial(own, spec_with("LD_PRELOAD"))) == "none");
  CHECK(id_of(refusal_of_trial(own, spec_with("SECRET_X"))) == "policy.variable_denied");
}

TEST_CASE("policy: a library is let into CANN as long as any program may be run, or as is said") {
  CHECK(id_of(refusal_of_pass(parse_policy("", "f"))) == "none");
  CHECK(id_of(refusal_of_pass(parse_policy("pass = no", "f"))) == "policy.no_pass");
  CHECK(id_of(refusal_of_pass(parse_policy("allow = /x", "f"))) == "policy.no_pass");
  CHECK(id_of(refusal_of_pass(parse_policy("allow = /x\npass = yes", "f"))) == "none");
}

TEST_CASE("policy: a file may have the largest size and not one byte more") {
  const Policy policy = parse_policy("largest-file = 1KB", "agent.conf");
  CHECK(id_of(refusal_of_file(policy, 1024, 0)) == "none");
  CHECK(id_of(refusal_of_file(policy, 1025, 0)) == "policy.file_too_large");
}

TEST_CASE("policy: a client's campaigns may hold their share of the store and not one byte more") {
  const Policy policy = parse_policy("store-share = 1KB", "agent.conf");
  CHECK(id_of(refusal_of_file(policy, 1024, 0)) == "none");
  CHECK(id_of(refusal_of_file(policy, 24, 1000)) == "none");
  CHECK(id_of(refusal_of_file(policy, 25, 1000)) == "policy.share_used_up");
  CHECK(id_of(refusal_of_file(policy, UINT64_MAX, 0)) == "policy.share_used_up");
  CHECK(id_of(refusal_of_file(policy, 1, UINT64_MAX)) == "policy.share_used_up");
}

}  // namespace
}  // namespace mstune::agent
