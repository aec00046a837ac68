// A program that uses a stand-in device, for tests: attaches, takes memory, says "attached" and
// how many use the device, and stays until it is sent a byte.
//
//   device_driver LOGIC_ID MEGABYTES
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "tests/standin/device/device_table.h"

int main(int argc, char** argv) {
  if (argc != 3) {
    return 2;
  }
  const int logic_id = atoi(argv[1]);
  if (standin_device_attach(logic_id) != 0) {
    std::puts("refused");
    return 1;
  }
  standin_device_set_memory(logic_id, strtoull(argv[2], nullptr, 10) * 1024 * 1024);
  std::printf("attached %d\n", standin_device_processes(logic_id));
  std::fflush(stdout);
  char byte = 0;
  if (read(STDIN_FILENO, &byte, 1) != 1) {
    return 2;
  }
  standin_device_detach(logic_id);
  std::puts("detached");
  std::fflush(stdout);
  return read(STDIN_FILENO, &byte, 1) == 1 ? 0 : 2;
}
