// SPDX-License-Identifier: Apache-2.0
// Kernel traits as they come out of caches and program binaries, and what is worked out from them at a launch.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "partitioner/footprint/footprint.h"
#include "partitioner/merge/merge.h"
#include "partitioner/model/group_work.h"
#include "partitioner/traits/traits_codec.h"
#include "tests/fuzz/check.h"

namespace {

using namespace skmd::domain;

void evaluate_all(const KernelTraits& kernel) {
  std::vector<ArgumentView> arguments(kernel.parameters.size());
  const std::byte value[16] = {std::byte{3}, std::byte{0}, std::byte{0}, std::byte{0x80}};
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    arguments[i].is_buffer = kernel.parameters[i].kind == ParameterKind::global_pointer;
    arguments[i].bytes = arguments[i].is_buffer ? 4096 : 0;
    arguments[i].value = std::span(value).first(i % 17);
  }
  const NdRange range{2, {1, 0, 0}, {24, 6, 1}, {4, 3, 1}};
  const GroupWork work = group_work(kernel, range, arguments);
  FUZZ_CHECK(std::isfinite(work.operations) && work.operations >= 0);
  FUZZ_CHECK(std::isfinite(work.bytes) && work.bytes >= 0);
  for (const GroupSpan span : {GroupSpan{0, 12}, GroupSpan{1, 5}}) {
    for (const Footprint& footprint : evaluate(kernel, range, span, arguments)) {
      RangeSet outside = footprint.may_write;
      outside.add(footprint.reads);
      for (const ByteRange& bytes : outside.ranges()) FUZZ_CHECK(bytes.end <= 4096);
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto kernels = decode_traits(std::as_bytes(std::span(data, size)));
  if (!kernels) return 0;
  for (const KernelTraits& kernel : *kernels) {
    FUZZ_CHECK(check_traits(kernel).ok());
    (void)forbids_split(kernel, false);
    evaluate_all(kernel);
  }
  const std::string again = encode(*kernels);
  const auto decoded = decode_traits(std::as_bytes(std::span(again.data(), again.size())));
  FUZZ_CHECK(decoded.ok() && *decoded == *kernels);
  return 0;
}
