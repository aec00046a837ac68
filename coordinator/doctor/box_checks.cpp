#include <fmt/format.h>

#include "coordinator/doctor/checks.h"

namespace mstune::coordinator {
namespace {

// Below the first a run is likely to end in the middle, below the second OMs and logs may fill it:
// one OM can have gigabytes, and logs of 200 MiB a process are never removed by CANN.
constexpr std::uint64_t kFreeBytesMin = 1ULL << 30U;
constexpr std::uint64_t kFreeBytesAmple = 10ULL << 30U;

void check_work(const BoxFacts& facts, Findings& findings) {
  const Place& work = facts.work;
  if (!work.writable) {
    findings.add(Health::failure,
                 message("disk.work", "trials would run below {}, which this user cannot write to",
                         work.path),
                 message("disk.work_remedy",
                         "set TMPDIR to a directory that can be written, or start the agent with "
                         "another --work-dir"));
    return;
  }
  const std::string free = size_text(work.free_bytes);
  if (work.free_bytes < kFreeBytesAmple) {
    findings.add(work.free_bytes < kFreeBytesMin ? Health::failure : Health::warning,
                 message("disk.work", "only {} are free at {}, where trials run and OMs are kept",
                         free, work.path),
                 message("disk.work_remedy_space",
                         "free some space there (old logs of CANN are in ~/ascend/log), or use "
                         "another disk"));
  } else {
    findings.good(message("disk.work", "{} are free at {}", free, work.path));
  }
}

void check_output(const BoxFacts& facts, Findings& findings) {
  const Place& output = facts.output;
  if (output.path.empty()) {
    return;
  }
  if (!output.writable) {
    findings.add(
        Health::failure,
        message("disk.output",
                "OMs and run directories would be written below {}, which this user "
                "cannot write to",
                output.path),
        message("disk.output_remedy", "name a directory that can be written with --output-dir"));
    return;
  }
  const std::string free = size_text(output.free_bytes);
  if (output.free_bytes < kFreeBytesAmple) {
    findings.add(
        output.free_bytes < kFreeBytesMin ? Health::failure : Health::warning,
        message("disk.output", "only {} are free at {}, where OMs and run directories are written",
                free, output.path),
        message("disk.output_remedy_space",
                "free some space there, or name another disk with --output-dir"));
  } else {
    findings.good(message("disk.output", "{} are free at {}, for OMs and run directories", free,
                          output.path));
  }
}

void check_log_root(const BoxFacts& facts, Findings& findings) {
  if (facts.plog_root.size() > kLogRootBytesMax) {
    findings.add(Health::failure,
                 message("log.path",
                         "the log directory of a trial would have {} bytes in its name ({}): above "
                         "{} the log library writes nothing, silently",
                         facts.plog_root.size(), facts.plog_root, kLogRootBytesMax),
                 message("log.path_remedy",
                         "use a shorter place: TMPDIR for local runs, --work-dir for an agent"));
  } else {
    findings.good(message("log.path", "each trial logs to a directory of its own, as in {}",
                          facts.plog_root));
  }
}

void check_build_log(const BoxFacts& facts, Findings& findings) {
  const Place& log = facts.build_log;
  if (log.path.empty()) {
    return;
  }
  if (log.writable && log.path.size() > kLogRootBytesMax && log.path.size() < kLogRootPassedOver) {
    findings.add(
        Health::warning,
        message("log.build_path",
                "the log library writes nothing below {}, silently: its name has {} bytes, "
                "more than {}",
                log.path, log.path.size(), kLogRootBytesMax),
        message("log.build_path_remedy",
                "correct ASCEND_PROCESS_LOG_PATH or ASCEND_WORK_PATH, or unset it"));
  } else if (!log.writable || log.path.size() > kLogRootBytesMax) {
    findings.add(
        Health::warning,
        message("log.build_path",
                "the log library cannot use {} ({}) and takes another place, silently", log.path,
                log.writable ? message("log.too_long", "its name is too long")
                             : message("log.not_writable", "it cannot be written")),
        message("log.build_path_remedy",
                "correct ASCEND_PROCESS_LOG_PATH or ASCEND_WORK_PATH, or unset it"));
  }
}

void check_device(const DeviceFacts& device, Findings& findings) {
  if (device.health != "OK") {
    findings.add(
        Health::failure,
        message("device.health", "device {} ({}) reports health {}", device.id, device.name,
                device.health),
        message("device.health_remedy",
                "see: npu-smi info -t health -i {}; leave it out with --devices", device.id));
    return;
  }
  for (const DeviceHolder& holder : device.holders) {
    if (holder.memory_mb > 0) {
      findings.add(Health::warning,
                   message("device.busy",
                           "device {} ({}) is used by {} (process {}, {} MB): its steps would "
                           "share the chip with ours",
                           device.id, device.name, holder.name, holder.pid, holder.memory_mb),
                   message("device.busy_remedy", "wait for it, or choose another device"));
      return;
    }
  }
  findings.good(
      message("device.health", "device {} ({}) is healthy and free", device.id, device.name));
}

void check_devices(const BoxFacts& facts, Findings& findings) {
  if (!facts.has_npu_smi) {
    findings.add(Health::note,
                 message("device.no_npu_smi",
                         "npu-smi is not in PATH: health and users of the devices are not known"),
                 message("device.no_npu_smi_remedy",
                         "it comes with the driver; a plain container does not have it"));
    return;
  }
  if (facts.devices.empty()) {
    findings.add(Health::failure,
                 message("device.none", "npu-smi shows no device: {}",
                         facts.npu_smi_failure.empty()
                             ? message("device.table_empty", "its table is empty")
                             : message("device.npu_smi_said", "{}", facts.npu_smi_failure)),
                 message("device.none_remedy",
                         "see that the driver is loaded (npu-smi info), that this user is in the "
                         "group of /dev/davinci*, and that the container was given devices"));
    return;
  }
  for (const DeviceFacts& device : facts.devices) {
    check_device(device, findings);
  }
}

}  // namespace

void check_box(const BoxFacts& facts, const Roles& roles, Findings& findings) {
  if (roles.runs) {
    check_work(facts, findings);
    check_log_root(facts, findings);
    check_devices(facts, findings);
  }
  check_output(facts, findings);
  if (roles.compiles) {
    check_build_log(facts, findings);
  }
  if (roles.runs && facts.agent.empty()) {
    findings.add(Health::failure,
                 message("agent.program",
                         "mstune-agent is neither beside mstune nor in PATH: runs on this machine "
                         "need it"),
                 message("agent.program_remedy", "install it, or put it beside mstune"));
  }
  if (facts.is_root) {
    findings.add(
        Health::note,
        message("box.root",
                "runs as root: programs under test get all rights, and none of it is "
                "needed"),
        message("box.root_remedy", "use an ordinary user who is in the group of /dev/davinci*"));
  }
}

}  // namespace mstune::coordinator
