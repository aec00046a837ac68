#include "coordinator/commands/keygen_arguments.h"

#include "coordinator/keygen.h"

namespace mstune::coordinator {

cli::Command keygen_table() {
  return {
      .name = "keygen",
      .text = {"Make a key pair, for a client or for an agent", "为客户端或代理生成一对密钥"},
      .options = {{.name = "name",
                   .kind = cli::Kind::text,
                   .field = cli::into<&KeygenOptions::name>,
                   .value = "NAME",
                   .level = cli::Level::basic,
                   .required = true,
                   .text = {"Whom it stands for, as it shows in logs", "它代表谁，显示在日志中"}},
                  {.name = "--file",
                   .kind = cli::Kind::path,
                   .field = cli::into<&KeygenOptions::file>,
                   .level = cli::Level::basic,
                   .text = {"Where the secret key goes, its .pub beside it (default: "
                            "~/.config/mstune/id.key, which target files use unless they name "
                            "another)",
                            "私钥的位置，.pub 放在旁边（默认 ~/.config/mstune/id.key，目标"
                            "文件未另行指明时使用它）"}}}};
}

}  // namespace mstune::coordinator
