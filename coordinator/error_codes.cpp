#include "coordinator/error_codes.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

namespace mstune::coordinator {
namespace {

constexpr const char* kDeviceError = "device_error";

bool is_word_part(char character) {
  return (character >= '0' && character <= '9') || (character >= 'A' && character <= 'Z') ||
         (character >= 'a' && character <= 'z') || character == '_';
}

bool has_word(std::string_view text, std::string_view word) {
  for (auto at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) {
    const bool begins = at == 0 || !is_word_part(text[at - 1]);
    const std::size_t end = at + word.size();
    if (begins && (end == text.size() || !is_word_part(text[end]))) {
      return true;
    }
  }
  return false;
}

bool has_any(std::string_view text, std::initializer_list<std::string_view> words) {
  return std::any_of(words.begin(), words.end(),
                     [&](std::string_view word) { return has_word(text, word); });
}

void add_codes_of_compiling(std::string_view output, std::vector<Reason>& causes) {
  if (has_word(output, "E10056")) {
    causes.push_back({"single_stream",
                      message("hint.single_stream",
                              "E10056: single-stream mode is on (ge.enableSingleStream, atc "
                              "--enable_single_stream) and excludes every candidate, default too: "
                              "take it out of the program or the compile command")});
  }
  if (has_word(output, "E13029")) {
    causes.push_back({"unloadable_pass",
                      message("hint.unloadable_pass",
                              "E13029: GE could not load a library of custom passes, and one such "
                              "library fails everything: mstune doctor names it")});
  }
  if (has_word(output, "E13028")) {
    causes.push_back(
        {"failing_pass", message("hint.failing_pass",
                                 "E13028: a custom pass reported an error; the line in the output "
                                 "names the pass")});
  }
  if (has_word(output, "E10001") && output.find("multi") != std::string_view::npos) {
    causes.push_back({"refused_mode",
                      message("hint.refused_mode",
                              "E10001: this GE refuses a candidate's mode: leave that strategy or "
                              "stream count out with --strategies, --streams or --configs")});
  }
  if (has_word(output, "E13026")) {
    causes.push_back({"no_cache_directory",
                      message("hint.no_cache_directory",
                              "E13026: ge.graph_compiler_cache_dir names a directory that is not "
                              "there; take the option out, so that every candidate is compiled")});
  }
}

// Streams of a device, for all processes on it together. From the vendor's documents of 2026.
struct StreamLimit {
  std::string_view chip;  // begins its name, behind "Ascend"
  int streams = 0;
};
constexpr std::array<StreamLimit, 6> kStreamLimits{{{"310P", 1024},
                                                    {"310B", 512},
                                                    {"910B", 1984},
                                                    {"910_93", 1984},
                                                    {"950", 1984},
                                                    {"910", 2048}}};

Message stream_limit(const std::vector<std::string>& chips) {
  for (const std::string& chip : chips) {
    std::string_view name = chip;
    name.remove_prefix(name.starts_with("Ascend") ? 6 : 0);
    // A3 calls its chips "Ascend910" without more.
    for (const StreamLimit& limit : kStreamLimits) {
      if (name.starts_with(limit.chip) &&
          (limit.chip != "910" || name.size() > limit.chip.size())) {
        return message("cause.stream_limit_of_chip", "all processes on an {} share {}", chip,
                       limit.streams);
      }
    }
  }
  return message("cause.stream_limits",
                 "all processes on it share 1984 (A2, A3), 2048 (910), 1024 (310P) or 512 (310B)");
}

void add_codes_of_streams(std::string_view output, const std::vector<std::string>& chips,
                          std::vector<Reason>& causes) {
  if (has_any(output, {"207008", "EL0009", "EE1023", "0x7020023"}) ||
      output.find("Alloc sq cq fail") != std::string_view::npos ||
      output.find("check and release stream failed") != std::string_view::npos) {
    causes.push_back(
        {kDeviceError,
         message("hint.no_streams",
                 "207008, EL0009 or EE1023: the device has no stream left; {}: try fewer with "
                 "--streams, or end what else runs there",
                 stream_limit(chips))});
  }
  if (has_any(output, {"207007", "EL0008", "207009"})) {
    causes.push_back(
        {kDeviceError,
         message("hint.no_events",
                 "207007, EL0008 or 207009: the device has no event or notify left; more "
                 "streams need more of them: try fewer with --streams")});
  }
}

void add_codes_of_resources(std::string_view output, std::vector<Reason>& causes) {
  if (has_any(output, {"507033", "EL0005"})) {
    causes.push_back(
        {kDeviceError, message("hint.device_busy",
                               "507033 or EL0005: the device could not be opened, mostly because "
                               "another process has it: npu-smi info shows which")});
  }
  if (has_any(output, {"507008", "ModelCheckCompatibility"})) {
    causes.push_back(
        {kDeviceError, message("hint.other_chip",
                               "507008: the OM was built for another chip: give atc the "
                               "--soc_version of the device (npu-smi info -m names it)")});
  }
  if (has_any(output, {"207004", "107001"})) {
    causes.push_back({kDeviceError,
                      message("hint.no_such_device",
                              "207004 or 107001: there is no such device: look at "
                              "ASCEND_RT_VISIBLE_DEVICES (ascending logic ids) and at --devices of "
                              "the agent")});
  }
  if (has_any(output, {"207001", "207018"})) {
    causes.push_back(
        {kDeviceError, message("hint.device_memory",
                               "207001 or 207018: the device has no memory left: another process "
                               "may hold it (npu-smi info), or the model needs a smaller batch")});
  }
  if (has_any(output, {"507010", "507899"})) {
    causes.push_back(
        {kDeviceError, message("hint.device_lost",
                               "507010 or 507899: the driver lost the device (its heartbeat): see "
                               "npu-smi info -t health; a reset of the device may be needed")});
  }
}

struct NamedCode {
  std::string_view code;
  Message name;
};

// Those whose one thing to do is to look at the operator that the log names.
const std::vector<NamedCode>& codes_of_execution() {
  static const std::vector<NamedCode> codes{
      {"507014", message("code.507014", "an operator ran too long on an AI core")},
      {"507015", message("code.507015", "an operator failed on an AI core")},
      {"507018", message("code.507018", "an operator failed on an AI CPU")},
      {"507034", message("code.507034", "an operator ran too long on a vector core")},
      {"507035", message("code.507035", "an operator failed on a vector core")},
      {"507046", message("code.507046", "a stream was not done in time")},
      {"507048", message("code.507048", "a group of tasks was not done in time")},
      {"507009", message("code.507009", "the device does not know a kind of task in the model")},
      {"507011", message("code.507011", "the device could not execute the model")},
      {"507000", message("code.507000", "an error inside of the runtime")}};
  return codes;
}

Message failed_on_device(std::string_view code, const Message& name) {
  return message("cause.device_error",
                 "{}: {}; the first [ERROR] line of the trial's plog (debug/plog) names the "
                 "operator or task. Run the program without mstune: if it fails there as well, "
                 "the candidate is not the reason",
                 code, name);
}

// `output` is searched for one code after the other: the special ones stand first, because a run
// that fails with one of them prints a general one as well.
void add_codes_of_execution(std::string_view output, std::vector<Reason>& causes) {
  for (const NamedCode& known : codes_of_execution()) {
    if (has_word(output, known.code)) {
      causes.push_back({kDeviceError, failed_on_device(known.code, known.name)});
      return;
    }
  }
}

void add_full_disk(std::string_view output, std::vector<Reason>& causes) {
  if (output.find("No space left on device") != std::string_view::npos ||
      output.find("no space left on device") != std::string_view::npos) {
    causes.push_back({"disk_full", message("hint.disk_full",
                                           "a disk is full: free some space (old logs of CANN are "
                                           "in ~/ascend/log) and run again")});
  }
}

}  // namespace

std::vector<Reason> causes_in(std::string_view output, const std::vector<std::string>& chips) {
  std::vector<Reason> causes;
  add_codes_of_compiling(output, causes);
  add_codes_of_resources(output, causes);
  add_codes_of_streams(output, chips, causes);
  add_codes_of_execution(output, causes);
  add_full_disk(output, causes);
  return causes;
}

Reason cause_of_code(Integer code, const std::vector<std::string>& chips) {
  const std::string text = fmt::format("{}", code);
  auto causes = causes_in(text, chips);
  if (!causes.empty()) {
    return std::move(causes.front());
  }
  return {kDeviceError,
          failed_on_device(text, message("code.other", "the execution of a step failed"))};
}

std::string log_warning_in(std::string_view output) {
  constexpr std::string_view kTag = "[LOG_WARNING]";
  constexpr std::size_t kQuotedMax = 400;
  const auto begin = output.find(kTag);
  if (begin == std::string_view::npos) {
    return {};
  }
  const std::string_view rest = output.substr(begin);
  return std::string(rest.substr(0, std::min(rest.find('\n'), kQuotedMax)));
}

}  // namespace mstune::coordinator
