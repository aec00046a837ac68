#include "agent/options_table.h"

namespace mstune::agent {
namespace {

using cli::into;
using cli::Kind;
using cli::Level;

constexpr cli::Text kAddress{"Where, and who may come", "在哪里监听，谁可以连接"};
constexpr cli::Text kMeasuring{"Devices and waiting", "设备与等待"};
constexpr cli::Text kRoom{"Room", "空间"};
constexpr cli::Text kItself{"About itself", "关于本程序"};

constexpr double kSecondsMax = 86400;
constexpr double kContextMemoryMax = 1 << 20;

std::vector<cli::Option> access() {
  return {
      {.name = "--listen",
       .kind = Kind::text,
       .field = into<&GivenOptions::listen>,
       .value = "ADDRESS",
       .initial = "tcp://127.0.0.1:18600",
       .group = kAddress,
       .level = Level::basic,
       .text = {"tcp://HOST:PORT or ipc://PATH", "监听地址：tcp://主机:端口 或 ipc://路径"}},
      {.name = "--key",
       .kind = Kind::path,
       .field = into<&GivenOptions::key>,
       .group = kAddress,
       .level = Level::basic,
       .text = {"This agent's secret key, from --keygen (default: ~/.config/mstune/agent.key)",
                "此代理的私钥，由 --keygen 生成（默认 ~/.config/mstune/agent.key）"}},
      {.name = "--authorized",
       .kind = Kind::path,
       .field = into<&GivenOptions::authorized>,
       .group = kAddress,
       .level = Level::basic,
       .text = {"Who may talk to it: a file of lines \"NAME KEY\", or a directory of .pub files; "
                "read again when it changes (default: ~/.config/mstune/authorized)",
                "谁可以与它通信：由 \"NAME KEY\" 行组成的文件，或 .pub 文件的目录；变化后重新读取"
                "（默认 ~/.config/mstune/authorized）"}},
      {.name = "--keygen",
       .field = into<&GivenOptions::make_key>,
       .group = kAddress,
       .level = Level::basic,
       .text = {"Make this agent's key at --key, show its public half, and end",
                "在 --key 处生成此代理的密钥，显示其公开部分，然后退出"}},
      {.name = "--probe",
       .field = into<&GivenOptions::probe>,
       .group = kAddress,
       .text = {"Ask whether an agent listens at --listen: exit status 0 if it does, else 2",
                "询问 --listen 处是否有代理在监听：有则退出状态为 0，否则为 2"}},
      {.name = "--config",
       .kind = Kind::path,
       .field = into<&GivenOptions::config>,
       .group = kAddress,
       .level = Level::basic,
       .text = {"The rules of this box's owner for clients (default: ~/.config/mstune/agent.conf)",
                "此机器所有者为客户端定的规则（默认 ~/.config/mstune/agent.conf）"}},
      {.name = "--insecure",
       .field = into<&GivenOptions::insecure>,
       .group = kAddress,
       .level = Level::basic,
       .text = {"Without keys: everybody who can reach the address may run commands as this user",
                "不用密钥：能到达该地址的任何人都可以以本用户执行命令"}},
  };
}

std::vector<cli::Option> measuring() {
  const cli::Range seconds{0, kSecondsMax};
  return {
      {.name = "--devices",
       .kind = Kind::list,
       .field = into<&GivenOptions::devices>,
       .group = kMeasuring,
       .level = Level::basic,
       .text = {"Logic ids of the devices to offer, as in 0-7, or auto: what npu-smi finds "
                "(default: one slot, device selection left alone)",
                "提供的设备的逻辑编号，如 0-7，或 auto：npu-smi 找到的（默认：一个槽位，不干预"
                "设备选择）"}},
      {.name = "--busy-wait",
       .kind = Kind::seconds,
       .field = into<&GivenOptions::busy_wait>,
       .initial = "10m",
       .range = seconds,
       .group = kMeasuring,
       .level = Level::basic,
       .text = {"How long to wait for a device that somebody else uses",
                "等待他人正在使用的设备的时间"}},
      {.name = "--context-memory",
       .kind = Kind::integer,
       .field = into<&GivenOptions::context_memory_mb>,
       .value = "MB",
       .initial = "256",
       .range = {0, kContextMemoryMax},
       .group = kMeasuring,
       .level = Level::basic,
       .text = {"MB on a device below which a process only has a context there and is not waited "
                "for",
                "设备上的内存（MB）低于此值的进程在那里只有上下文，不等待它"}},
      {.name = "--reconnect-grace",
       .kind = Kind::seconds,
       .field = into<&GivenOptions::reconnect_grace>,
       .initial = "60s",
       .range = seconds,
       .group = kMeasuring,
       .level = Level::basic,
       .text = {"How long a trial goes on without its coordinator",
                "失去协调端之后试验继续运行的时间"}},
  };
}

std::vector<cli::Option> room() {
  return {
      {.name = "--work-dir",
       .kind = Kind::path,
       .field = into<&GivenOptions::work_dir>,
       .value = "DIR",
       .group = kRoom,
       .level = Level::basic,
       .text = {"Where trials run and files are kept; made 0700 (default: "
                "~/.local/state/mstune-agent)",
                "试验运行和文件保存的位置；权限设为 0700（默认 ~/.local/state/mstune-agent）"}},
      {.name = "--output-limit",
       .kind = Kind::size,
       .field = into<&GivenOptions::output_limit_bytes>,
       .initial = "16MB",
       .group = kRoom,
       .level = Level::basic,
       .text = {"Output of a program that is kept", "程序输出保留的大小"}},
      {.name = "--store-limit",
       .kind = Kind::size,
       .field = into<&GivenOptions::store_limit_bytes>,
       .initial = "64GB",
       .group = kRoom,
       .level = Level::basic,
       .text = {"Files that are kept for later runs", "为以后的运行保留的文件的大小"}},
      {.name = "--ends-with-parent",
       .field = into<&GivenOptions::ends_with_parent>,
       .group = kRoom,
       .level = Level::hidden,
       .text = {"End when the process that started this one ends", "启动本进程的进程结束时结束"}},
  };
}

std::vector<cli::Option> itself() {
  return {
      {.name = "--man", .group = kItself, .text = {"Print the man page", "打印手册页"}},
      {.name = "--markdown",
       .group = kItself,
       .text = {"Print tables of all options in Markdown", "打印 Markdown 格式的全部选项表"}},
      {.name = "--completion",
       .kind = Kind::word,
       .choices = {"bash", "zsh"},
       .group = kItself,
       .text = {"Print what completes words in a shell", "打印供 shell 补全命令行的脚本"}},
  };
}

}  // namespace

cli::Command options_table() {
  cli::Command table{.name = "mstune-agent",
                     .text = {"runs programs under test on this machine for a coordinator (mstune)",
                              "为协调端（mstune）在本机运行被测程序"}};
  for (const auto& rows : {access(), measuring(), room(), itself()}) {
    table.options.insert(table.options.end(), rows.begin(), rows.end());
  }
  return table;
}

}  // namespace mstune::agent
