// The stand-in's devices: how many there are, which processes use them and how much memory. C.
//
// All processes share one directory: $STANDIN_STATE_DIR, else <toolkit>/state with the toolkit of
// ASCEND_HOME_PATH, else of the place of this code. Its state.json, described in the README of the
// stand-in, says what the devices are; without it there are 2 of Ascend910B2 with 65536 MB each.
// `logic_id` is the index of a device there, 0 .. count - 1. Safe to call from many processes.
#pragma once

// NOLINTBEGIN(modernize-deprecated-headers, modernize-use-*): this header is C.
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

int standin_device_count(void);

// "Ascend910B2". Valid until the process ends.
const char* standin_soc_version(void);

// Registers this process on a device. 0, or -1 when there is no such device or the state directory
// cannot be written. Repeating it is harmless. A process that dies is dropped by whoever looks
// next.
int standin_device_attach(int logic_id);
void standin_device_detach(int logic_id);

// What this process holds on a device it is attached to, in bytes; nothing when it is not attached.
void standin_device_set_memory(int logic_id, uint64_t bytes_of_this_process);

// Bytes. `used` is what the device itself takes, what living processes hold and what state.json
// adds. Both 0 when there is no such device.
uint64_t standin_device_memory_total(int logic_id);
uint64_t standin_device_memory_used(int logic_id);

// Living processes that are attached, without those that state.json adds: those do not compute.
int standin_device_processes(int logic_id);

#ifdef __cplusplus
}
#endif
// NOLINTEND(modernize-deprecated-headers, modernize-use-*)
