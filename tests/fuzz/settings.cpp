// SPDX-License-Identifier: Apache-2.0
// SKMD_DEVICES, SKMD_PARTITION, SKMD_DEVICE_TYPE and SKMD_TEST_RUNGS: the user's text.
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "intercept/backend/discovery/selectors.h"
#include "intercept/machine/device_type.h"
#include "intercept/machine/preempt_settings.h"
#include "partitioner/merge/merge.h"
#include "partitioner/plan/partition.h"
#include "tests/fuzz/check.h"

namespace {

using namespace skmd;

std::vector<icd::Candidate> machine() {
  std::vector<icd::Candidate> candidates(4);
  const char* const names[] = {"pthread-cpu", "basic", "NVIDIA H200", "NVIDIA H200"};
  for (std::uint32_t i = 0; i < candidates.size(); ++i) {
    candidates[i].platform_index = i / 2;
    candidates[i].device_index = i % 2;
    candidates[i].platform = i < 2 ? "Portable Computing Language" : "NVIDIA CUDA";
    candidates[i].name = names[i];
    candidates[i].kind = i < 2 ? icd::DeviceKind::cpu : icd::DeviceKind::gpu;
    candidates[i].compute_units = i + 1;
  }
  candidates[1].unfit = "has no compiler";
  return candidates;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  const std::vector<icd::Candidate> candidates = machine();
  if (const auto selection = icd::select_devices(candidates, text)) {
    std::vector<bool> seen(candidates.size(), false);
    for (const icd::Selected& selected : selection->devices) {
      FUZZ_CHECK(selected.candidate < candidates.size() && !seen[selected.candidate]);
      seen[selected.candidate] = true;
    }
  }
  for (const std::size_t devices : {std::size_t{1}, std::size_t{2}, std::size_t{5}}) {
    (void)domain::parse_policy(text, devices);
  }
  (void)domain::parse_rungs(text);
  // What is taken is spelled as settings are shown.
  if (const auto type = icd::parse_device_type(text); type && !text.empty())
    FUZZ_CHECK(text == icd::device_type_word(*type));
  (void)icd::parse_preempt_mode(text);
  if (const auto seconds = icd::parse_preempt_ms(text)) FUZZ_CHECK(*seconds > 0);
  if (const auto test = icd::parse_preempt_test(text, 2)) FUZZ_CHECK(test->nanoseconds > 0 && test->device < 2);
  return 0;
}
