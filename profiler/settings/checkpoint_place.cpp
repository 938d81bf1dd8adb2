// SPDX-License-Identifier: Apache-2.0
#include "profiler/settings/checkpoint_place.h"

#include <charconv>

#include "profiler/settings/variables.h"

namespace skmd::settings {

domain::Result<std::optional<CheckpointPlace>> parse_checkpoint(const std::string& value) {
  if (value.empty()) return std::optional<CheckpointPlace>();
  const std::size_t colon = value.rfind(':');
  double seconds = 0;
  if (colon != std::string::npos) {
    const char* const last = value.data() + value.size();
    const auto [end, error] = std::from_chars(value.data() + colon + 1, last, seconds);
    if (error != std::errc() || end != last) seconds = 0;
  }
  if (colon == std::string::npos || colon == 0 || !(seconds >= 0.01 && seconds <= 31536000))
    return domain::Error{
        -1, expected(kCheckpoint, value, "FOLDER:SECONDS, with a number of seconds from 0.01 to 31536000")};
  return std::optional<CheckpointPlace>({value.substr(0, colon), std::chrono::duration<double>(seconds)});
}

}  // namespace skmd::settings
