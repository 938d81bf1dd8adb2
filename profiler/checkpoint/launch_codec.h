// SPDX-License-Identifier: Apache-2.0
// The sections of a launch's checkpoint as bytes, and back. What comes back holds together: groups are groups of the
// launch, arguments name buffers that there are. Pure.
#pragma once

#include <string>
#include <string_view>

#include "partitioner/base/result.h"
#include "profiler/checkpoint/launch_checkpoint.h"

namespace skmd::checkpoint {

std::string encode(const ProgramText& program);
domain::Result<ProgramText> decode_program(std::string_view bytes);

/// Kernel, range, arguments and buffers: all but program and rest.
std::string encode_launch(const LaunchCheckpoint& launch);
/// Into `launch`. Error: what is wrong, for people.
domain::Status decode_launch(std::string_view bytes, LaunchCheckpoint& launch);

std::string encode(const Rest& rest);
/// `groups`: of the launch.
domain::Result<Rest> decode_rest(std::string_view bytes, std::uint64_t groups);

}  // namespace skmd::checkpoint
