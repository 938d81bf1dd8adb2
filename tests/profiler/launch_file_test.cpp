// SPDX-License-Identifier: Apache-2.0
// Checkpoints of launches as files: they come back, and what does not hold together is refused.
#include <gtest/gtest.h>

#include <cstring>
#include <fstream>

#include "profiler/checkpoint/launch_codec.h"
#include "profiler/checkpoint/launch_file.h"
#include "tests/temporary_folder.h"

namespace skmd::checkpoint {
namespace {

LaunchCheckpoint sample() {
  LaunchCheckpoint launch;
  launch.program = {"kernel void work(global int* a, global int* b, local int* c, int d) {}", "-cl-std=CL1.2"};
  launch.kernel = "work";
  launch.range = {2, {8, 0, 0}, {64, 4, 1}, {8, 2, 1}};
  launch.arguments = {BufferArgument{0, 0, 64}, BufferArgument{1, 128, 72}, LocalArgument{32},
                      ValueArgument{{std::byte{5}, std::byte{0}, std::byte{0}, std::byte{1}}}, NullArgument{}};
  launch.buffers = {{64, domain::ByteRange{0, 64}}, {200, {{128, 150}, {160, 200}}}};
  launch.rest.arithmetic = "a driver";
  launch.rest.spans = {{{2, 9}, {2, 5}, {{2, 77, {1, 2, 3}, {std::byte{9}}}, {4, 77, {}, {}}}}, {{12, 16}, {}, {}}};
  return launch;
}

std::vector<std::vector<std::byte>> contents(const LaunchCheckpoint& launch) {
  std::vector<std::vector<std::byte>> all;
  for (const BufferBytes& buffer : launch.buffers) {
    all.emplace_back(buffer.defined.bytes());
    for (std::size_t i = 0; i < all.back().size(); ++i) all.back()[i] = static_cast<std::byte>(i * 7 + all.size());
  }
  return all;
}

void write(const std::string& path, const LaunchCheckpoint& launch) {
  const auto bytes = contents(launch);
  std::vector<section_file::Parts> parts;
  for (const auto& buffer : bytes) parts.push_back({buffer});
  const auto written = write_launch(path, launch, parts);
  ASSERT_TRUE(written) << written.error().reason;
}

/// "" if the whole file is right.
std::string refusal(const std::string& path, std::vector<std::vector<std::byte>>* back = nullptr) {
  auto file = LaunchFile::open(path);
  if (!file) return file.error().reason;
  for (const BufferBytes& buffer : file->launch().buffers) {
    std::vector<std::byte> bytes(buffer.defined.bytes());
    if (const auto status = file->read_buffer({bytes}); !status) return status.error().reason;
    if (back != nullptr) back->push_back(std::move(bytes));
  }
  const auto status = file->end();
  return status ? "" : status.error().reason;
}

TEST(LaunchFile, ComesBack) {
  const test::TemporaryFolder folder;
  const std::string path = folder.path() + "/file";
  const LaunchCheckpoint launch = sample();
  write(path, launch);
  std::vector<std::vector<std::byte>> bytes;
  ASSERT_EQ(refusal(path, &bytes), "");
  EXPECT_EQ(bytes, contents(launch));
  const auto file = LaunchFile::open(path);
  ASSERT_TRUE(file);
  const LaunchCheckpoint& back = file->launch();
  EXPECT_EQ(encode(back.program), encode(launch.program));
  EXPECT_EQ(encode_launch(back), encode_launch(launch));
  EXPECT_EQ(encode(back.rest), encode(launch.rest));
  EXPECT_EQ(back.range, launch.range);
  EXPECT_EQ(back.buffers[1].defined, launch.buffers[1].defined);
  EXPECT_EQ(back.rest.spans[0].saved[0].words, (std::vector<std::uint32_t>{1, 2, 3}));
}

TEST(LaunchFile, IsRefusedAtEveryLengthAndWithEveryByteChanged) {
  const test::TemporaryFolder folder;
  const std::string path = folder.path() + "/file";
  write(path, sample());
  std::ifstream stream(path, std::ios::binary);
  const std::string whole(std::istreambuf_iterator<char>(stream), {});
  const auto put = [&](const std::string& bytes) { std::ofstream(path, std::ios::binary) << bytes; };
  for (std::size_t length = 0; length < whole.size(); ++length) {
    put(whole.substr(0, length));
    const std::string reason = refusal(path);
    EXPECT_EQ(reason.find(path + ": "), 0u) << length << ' ' << reason;
  }
  for (std::size_t i = 0; i < whole.size(); ++i) {
    std::string changed = whole;
    changed[i] = static_cast<char>(changed[i] ^ (1 << i % 8));
    put(changed);
    EXPECT_NE(refusal(path), "") << i;
  }
  put(whole);
  EXPECT_EQ(refusal(path), "");
}

/// What decoding says of a launch that was changed.
std::string launch_with(const std::function<void(LaunchCheckpoint&)>& change) {
  LaunchCheckpoint launch = sample();
  change(launch);
  LaunchCheckpoint back;
  if (const auto status = decode_launch(encode_launch(launch), back); !status) return status.error().reason;
  const auto rest = decode_rest(encode(launch.rest), launch.range.group_total());
  return rest ? "" : rest.error().reason;
}

TEST(LaunchCodec, RefusesWhatDoesNotHoldTogether) {
  EXPECT_EQ(launch_with([](auto&) {}), "");
  const std::pair<const char*, std::function<void(LaunchCheckpoint&)>> wrong[] = {
      {"work_dim", [](auto& launch) { launch.range.work_dim = 0; }},
      {"in dimension 1", [](auto& launch) { launch.range.local[1] = 3; }},
      {"in dimension 0", [](auto& launch) { launch.range.local[0] = 0; }},
      {"in dimension 2", [](auto& launch) { launch.range.global[2] = 2; }},
      {"counted",
       [](auto& launch) {
         launch.range.global = {std::uint64_t{1} << 62, 64, 1};
       }},
      {"no name", [](auto& launch) { launch.kernel.clear(); }},
      {"argument 1", [](auto& launch) { std::get<BufferArgument>(launch.arguments[1]).buffer = 2; }},
      {"argument 1", [](auto& launch) { std::get<BufferArgument>(launch.arguments[1]).size = 73; }},
      {"argument 0", [](auto& launch) { std::get<BufferArgument>(launch.arguments[0]).offset = UINT64_MAX; }},
      {"of a buffer of 199", [](auto& launch) { launch.buffers[1].bytes = 199; }},
      {"of 16", [](auto& launch) { launch.rest.spans[1].span.last = 17; }},
      {"left twice", [](auto& launch) { launch.rest.spans[1].span.first = 8; }},
      {"have begun", [](auto& launch) { launch.rest.spans[0].begun.last = 10; }},
      {"have begun", [](auto& launch) { launch.rest.spans[0].begun.first = 3; }},
      {"state of group 7", [](auto& launch) { launch.rest.spans[0].saved[1].group = 7; }},
      {"state of group 2", [](auto& launch) { launch.rest.spans[0].saved[1].group = 2; }},
      {"no group", [](auto& launch) { launch.rest.spans.clear(); }},
  };
  for (const auto& [text, change] : wrong) {
    const std::string reason = launch_with(change);
    EXPECT_NE(reason.find(text), std::string::npos) << text << ": " << reason;
  }
}

}  // namespace
}  // namespace skmd::checkpoint
