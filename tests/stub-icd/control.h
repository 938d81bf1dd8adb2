// SPDX-License-Identifier: Apache-2.0
// What a test that links the stub driver can ask of it and do to it. Thread-safe.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#define STUB_API __attribute__((visibility("default")))

namespace stub {

/// As STUB_DEVICES and STUB_DELAY_US (`delay_us` below 0: inside the call). Count only before the first platform query.
STUB_API void configure(const std::string& devices, int delay_us);
/// CL_PLATFORM_NAME from now on.
STUB_API void set_platform_name(const std::string& name);
/// As STUB_FAIL; replaces the failure set before, and lost devices are there again. "": none.
STUB_API void set_failure(const std::string& text);
/// Recorded calls so far, by name.
STUB_API std::map<std::string, std::size_t> uses();
/// Recorded calls since the last time.
STUB_API std::vector<std::string> take_log();
/// Contexts, queues, memory objects, programs, kernels, samplers and events that are alive.
STUB_API std::size_t live_objects();
/// The same by kind, "contexts=1 queues=2 …"; kinds of which none lives are left out.
STUB_API std::string live_kinds();
/// From now on flushed commands wait until `release` (delayed queues only): an order of events without any clock.
STUB_API void hold();
STUB_API void release();
/// From now on clWaitForEvents keeps threads so much longer, but for the process's first, and the process ends with
/// status kEndedUnderneath if it ends while a thread is in there.
STUB_API void keep_waiters(int us);
inline constexpr int kEndedUnderneath = 70;
/// From now on clBuildProgram blocks on the devices whose bits are set, before it looks at the text, and no longer on
/// the others. If the process ends while a thread is in there, it ends with status kEndedUnderneath.
STUB_API void hold_builds(unsigned devices);
/// Threads that are blocked so.
STUB_API int builds_held();
/// Calls of clBuildProgram on the device that have ended.
STUB_API std::size_t builds_ended(unsigned device);
/// clBuildProgram fails on the devices whose bits are set.
STUB_API void fail_builds(unsigned devices);
/// Commands that have run so far, each counted behind all that it did.
STUB_API std::size_t commands_run();
/// Threads in clWaitForEvents.
STUB_API int waiters();

}  // namespace stub
