// What a machine looks like to someone who wants to tune on it. Open data: common/os/examine.h
// gathers it here or on an agent's machine, coordinator/doctor/ judges it.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace mstune {

using Variables = std::map<std::string, std::string>;

// A library in a directory that GE scans for custom passes.
struct PassLibrary {
  std::string path;
  std::string vendor;                // GE loads by vendor, then by file name
  std::string architecture;          // empty: not a shared library
  std::string string_abi;            // as registration_abi() has it
  std::vector<std::string> missing;  // libraries that it names and that are found nowhere
  bool readable = true;
  bool writes_mode = false;  // one of the two attributes that a candidate is written into
  bool is_ours = false;
  bool is_samples = false;  // of CANN's sample multi_stream_autotune
};

// Who asked for the pass to be there for a while (tune --manage-pass).
struct PassLease {
  std::string owner;  // "process 4242", for people
  bool alive = false;
};

// A place that will be written to.
struct Place {
  std::string path;
  bool writable = false;
  std::uint64_t free_bytes = 0;
};

struct DeviceHolder {
  std::uint64_t pid = 0;
  std::string name;
  std::uint64_t memory_mb = 0;  // 0: a context only
};

struct DeviceFacts {
  int id = 0;  // logic id
  std::string name;
  std::string health;         // "OK", "Warning", "Alarm", "Critical", "UNKNOWN"
  std::string power_w;        // as npu-smi prints it; "-" where it is not measured
  std::string temperature_c;  // the same
  std::vector<DeviceHolder> holders;
};

struct BoxFacts {
  std::string host;
  std::string software;      // version of the program that looked
  std::string architecture;  // as `uname -m` has it
  bool is_root = false;

  Variables variables;       // those for which is_telling_variable() is true
  bool home_exists = false;  // the directory of ASCEND_HOME_PATH
  bool opp_exists = false;   // the directory of ASCEND_OPP_PATH
  std::string atc;           // where PATH has it; empty: nowhere
  std::string agent;         // where mstune's own agent is; empty: nowhere
  std::string cann_version;
  std::string driver_version;

  std::vector<PassLibrary> passes;  // in the order in which GE loads them
  std::vector<std::string> strays;  // our pass, or the sample's, where GE does not look
  std::vector<PassLease> leases;    // of a pass that was put there for a while
  std::string toolkit_abi;          // of its registration

  Place work;             // where trials run
  std::string plog_root;  // an example of the directory that a trial logs to
  Place build_log;        // where atc logs to; an empty path: the log library's own choice
  // The first one is not told by older agents; the others only mstune knows, about its own machine.
  std::string recorder;    // whether GE can record steps: one of the two below; empty: not known
  Place output;            // where OMs and run directories are written; empty path: not looked at
  std::string built_pass;  // our pass, ready to be installed; empty: there is none

  bool has_npu_smi = false;
  std::string npu_smi_failure;  // what it said instead of devices
  std::vector<DeviceFacts> devices;
};

// True for variables that CANN, the log library or the loader look at: only these leave a machine.
bool is_telling_variable(std::string_view name);

// From "NAME=value" strings; those without '=' are left out.
Variables variables_of(const std::vector<std::string>& environment);

// The value, or empty when it is not set.
std::string value_of(const Variables& variables, const std::string& name);

// The log library writes nothing, silently, where its root is longer than the first; a variable of
// the second length or more it passes over, and writes to the next place that it knows.
inline constexpr std::size_t kLogRootBytesMax = 246;
inline constexpr std::size_t kLogRootPassedOver = 256;

// BoxFacts::recorder.
inline constexpr std::string_view kRecorderPresent = "present";
inline constexpr std::string_view kRecorderAbsent = "absent";

// The two attributes by which a candidate gets onto a graph, and our pass's and the sample's files.
inline constexpr std::string_view kModeAttribute = "ge.autoMultistreamParallelMode";
inline constexpr std::string_view kTuningAttribute = "_auto_multistream_tuning_mode";
inline constexpr std::string_view kPassFile = "libmstune_pass.so";
inline constexpr std::string_view kPassVendor = "zz_mstune";  // sorts behind all usual names
inline constexpr std::string_view kSamplePassFile = "libge_ms_autotune_pass.so";

}  // namespace mstune
