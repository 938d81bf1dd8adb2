// SPDX-License-Identifier: Apache-2.0
// Checkpoint files of launches: as a file, and each section's contents as if its checksum were right.
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "profiler/checkpoint/launch_codec.h"
#include "profiler/checkpoint/launch_file.h"
#include "tests/fuzz/check.h"

namespace {

using namespace skmd::checkpoint;

void read_file(std::string_view bytes) {
  const int descriptor = memfd_create("checkpoint", MFD_CLOEXEC);
  FUZZ_CHECK(descriptor >= 0 && write(descriptor, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()));
  auto file = LaunchFile::on(descriptor, "checkpoint");
  if (!file) {
    FUZZ_CHECK(!file.error().reason.empty());
    return;
  }
  for (const BufferBytes& buffer : file->launch().buffers) {
    FUZZ_CHECK(buffer.defined.bytes() <= bytes.size());
    std::vector<std::byte> contents(buffer.defined.bytes());
    if (!file->read_buffer({contents})) return;
  }
  (void)file->end();
}

void check_launch(const LaunchCheckpoint& launch) {
  FUZZ_CHECK(launch.range.group_total() >= 1);
  for (const Argument& argument : launch.arguments) {
    const auto* view = std::get_if<BufferArgument>(&argument);
    if (view == nullptr) continue;
    FUZZ_CHECK(view->buffer < launch.buffers.size());
    const std::uint64_t bytes = launch.buffers[view->buffer].bytes;
    FUZZ_CHECK(view->size > 0 && view->offset <= bytes && view->size <= bytes - view->offset);
  }
  LaunchCheckpoint again;
  FUZZ_CHECK(decode_launch(encode_launch(launch), again).ok());
  FUZZ_CHECK(encode_launch(again) == encode_launch(launch));
}

void check_rest(const Rest& rest, std::uint64_t groups) {
  for (const RestSpan& one : rest.spans) {
    FUZZ_CHECK(one.span.first < one.span.last && one.span.last <= groups);
    for (const SavedGroup& saved : one.saved) FUZZ_CHECK(saved.group >= one.span.first && saved.group < one.span.last);
  }
  const auto again = decode_rest(encode(rest), groups);
  FUZZ_CHECK(again.ok() && encode(*again) == encode(rest));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  read_file(bytes);
  if (const auto program = decode_program(bytes)) FUZZ_CHECK(decode_program(encode(*program)).ok());
  LaunchCheckpoint launch;
  if (decode_launch(bytes, launch)) check_launch(launch);
  if (const auto rest = decode_rest(bytes, 1 << 20)) check_rest(*rest, 1 << 20);
  return 0;
}
