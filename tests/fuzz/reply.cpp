// SPDX-License-Identifier: Apache-2.0
// Replies of skmd-compile and cache files: a frame, and what is inside one whose hash is right.
#include <cstdint>
#include <string_view>

#include "compiler/client/codec.h"
#include "tests/fuzz/check.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace skmd::compiler;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  (void)frame_ended(bytes);
  (void)unframe(bytes);
  const auto inside = unframe(frame(bytes));
  FUZZ_CHECK(inside.ok() && *inside == bytes);
  FUZZ_CHECK(frame_ended(frame(bytes)));
  (void)decode_request(bytes);
  if (const auto reply = decode_reply(bytes)) {
    const auto again = decode_reply(encode(*reply));
    FUZZ_CHECK(again.ok() && encode(*again) == encode(*reply));
  }
  return 0;
}
