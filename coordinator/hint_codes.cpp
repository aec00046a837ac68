#include <algorithm>
#include <array>

#include "coordinator/hints.h"

namespace mstune::coordinator {
namespace {

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

void add_codes_of_compiling(std::string_view output, std::vector<Message>& hints) {
  if (has_word(output, "E10056")) {
    hints.push_back(message("hint.single_stream",
                            "E10056: single-stream mode is on (ge.enableSingleStream, atc "
                            "--enable_single_stream) and excludes every candidate, default too: "
                            "take it out of the program or the compile command"));
  }
  if (has_word(output, "E13029")) {
    hints.push_back(message("hint.unloadable_pass",
                            "E13029: GE could not load a library of custom passes, and one such "
                            "library fails everything: mstune doctor names it"));
  }
  if (has_word(output, "E13028")) {
    hints.push_back(message("hint.failing_pass",
                            "E13028: a custom pass reported an error; the line in the output names "
                            "the pass"));
  }
  if (has_word(output, "E10001") && output.find("multi") != std::string_view::npos) {
    hints.push_back(message("hint.refused_mode",
                            "E10001: this GE refuses a candidate's mode: leave that strategy or "
                            "stream count out with --strategies, --streams or --configs"));
  }
  if (has_word(output, "E13026")) {
    hints.push_back(message("hint.no_cache_directory",
                            "E13026: ge.graph_compiler_cache_dir names a directory that is not "
                            "there; take the option out, so that every candidate is compiled"));
  }
}

// Limits and codes: vendor's documents and runtime sources of August 2026.
void add_codes_of_streams(std::string_view output, std::vector<Message>& hints) {
  if (has_any(output, {"207008", "EL0009", "EE1023", "0x7020023"}) ||
      output.find("Alloc sq cq fail") != std::string_view::npos ||
      output.find("check and release stream failed") != std::string_view::npos) {
    hints.push_back(
        message("hint.no_streams",
                "207008, EL0009 or EE1023: the device has no stream left; all processes "
                "on it share 1984 (A2, A3), 2048 (910), 1024 (310P) or 512 (310B): try "
                "fewer with --streams, or end what else runs there"));
  }
  if (has_any(output, {"207007", "EL0008", "207009"})) {
    hints.push_back(
        message("hint.no_events",
                "207007, EL0008 or 207009: the device has no event or notify left; more "
                "streams need more of them: try fewer with --streams"));
  }
}

// Printed by the log library itself, with a reason that an earlier call left behind.
void add_warnings_of_the_log(std::string_view output, std::vector<Message>& hints) {
  if (output.find("[LOG_WARNING] can not write log to file") != std::string_view::npos) {
    hints.push_back(
        message("hint.log_cut",
                "the log library could not write all of a log, so records are lost: its "
                "disk is full, or a quota or file size limit is reached (\"Invalid "
                "argument\" in that line is not the reason)"));
  }
  if (output.find("[LOG_WARNING] can not create directory") != std::string_view::npos) {
    hints.push_back(message("hint.log_nowhere",
                            "the log library could not make the directory of its log, so there is "
                            "no record: something removed it while the program ran"));
  }
}

void add_codes_of_running(std::string_view output, std::vector<Message>& hints) {
  if (has_any(output, {"507033", "EL0005"})) {
    hints.push_back(message("hint.device_busy",
                            "507033 or EL0005: the device could not be opened, mostly because "
                            "another process has it: npu-smi info shows which"));
  }
  if (has_any(output, {"507008", "ModelCheckCompatibility"})) {
    hints.push_back(message("hint.other_chip",
                            "507008: the OM was built for another chip: give atc the "
                            "--soc_version of the device (npu-smi info -m names it)"));
  }
  if (has_any(output, {"207004", "107001"})) {
    hints.push_back(message("hint.no_such_device",
                            "207004 or 107001: there is no such device: look at "
                            "ASCEND_RT_VISIBLE_DEVICES (ascending logic ids) and at --devices of "
                            "the agent"));
  }
  if (has_any(output, {"207001", "207018"})) {
    hints.push_back(message("hint.device_memory",
                            "207001 or 207018: the device has no memory left: another process may "
                            "hold it (npu-smi info), or the model needs a smaller batch"));
  }
  if (has_any(output, {"507010", "507899"})) {
    hints.push_back(message("hint.device_lost",
                            "507010 or 507899: the driver lost the device: see npu-smi info -t "
                            "health; a reset of the device may be needed"));
  }
  if (output.find("No space left on device") != std::string_view::npos ||
      output.find("no space left on device") != std::string_view::npos) {
    hints.push_back(message("hint.disk_full",
                            "a disk is full: free some space (old logs of CANN are in "
                            "~/ascend/log) and run again"));
  }
}

}  // namespace

std::vector<Message> hints_of_codes(std::string_view output) {
  std::vector<Message> hints;
  add_codes_of_compiling(output, hints);
  add_codes_of_running(output, hints);
  add_codes_of_streams(output, hints);
  add_warnings_of_the_log(output, hints);
  return hints;
}

}  // namespace mstune::coordinator
