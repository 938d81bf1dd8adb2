// SPDX-License-Identifier: Apache-2.0
// Files of sections: what is written comes back, what was damaged does not, and nothing half written stays.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <numeric>
#include <random>

#include "profiler/section_file/checksum.h"
#include "profiler/section_file/format.h"
#include "profiler/section_file/section_reader.h"
#include "profiler/section_file/section_writer.h"
#include "tests/temporary_folder.h"

namespace skmd::section_file {
namespace {

constexpr std::uint32_t kKind = 7;

std::vector<std::byte> random_bytes(std::size_t count, unsigned seed) {
  std::mt19937_64 random(seed);
  std::vector<std::byte> bytes(count);
  for (auto& byte : bytes) byte = static_cast<std::byte>(random());
  return bytes;
}

std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void write_file(const std::string& path, const std::string& bytes) { std::ofstream(path, std::ios::binary) << bytes; }

/// "" if the file has exactly the sections 1 (text), 2 (bytes in `places`).
std::string refusal(const std::string& path, const Places& places) {
  auto reader = SectionReader::open(path, kKind);
  if (!reader) return reader.error().reason;
  if (const auto length = reader->next(1); !length) return length.error().reason;
  if (const auto text = reader->text(); !text) return text.error().reason;
  const auto length = reader->next(2);
  if (!length) return length.error().reason;
  std::uint64_t bytes = 0;
  for (const auto& place : places) bytes += place.size();
  if (*length != bytes) return "of another length";
  if (const auto status = reader->read(places); !status) return status.error().reason;
  const auto status = reader->end();
  return status ? "" : status.error().reason;
}

void write(const std::string& path, std::string_view text, const Parts& parts) {
  auto writer = SectionWriter::create(path, kKind);
  ASSERT_TRUE(writer) << writer.error().reason;
  ASSERT_TRUE(writer->add(1, text));
  ASSERT_TRUE(writer->add(2, parts));
  const auto bytes = writer->finish();
  ASSERT_TRUE(bytes) << bytes.error().reason;
  EXPECT_EQ(*bytes, std::filesystem::file_size(path));
}

TEST(Checksum, IsTheSameHoweverBytesCome) {
  const auto bytes = random_bytes(2 * kChunkBytes + 1234567, 1);
  Checksum whole;
  whole.add(bytes);
  Checksum pieces;
  std::mt19937 random(2);
  for (std::size_t at = 0; at < bytes.size();) {
    const std::size_t take = std::min<std::size_t>(bytes.size() - at, random() % 300000);
    pieces.add(std::span(bytes).subspan(at, take));
    at += take;
  }
  Checksum chunks;
  for (std::size_t at = 0; at < bytes.size(); at += kChunkBytes) {
    const auto chunk = std::span(bytes).subspan(at, std::min<std::size_t>(kChunkBytes, bytes.size() - at));
    Checksum one;
    one.add(chunk);
    chunks.add_chunk(one.finish_chunk(), chunk.size());
  }
  const std::uint64_t sum = whole.finish();
  EXPECT_EQ(pieces.finish(), sum);
  EXPECT_EQ(chunks.finish(), sum);
}

TEST(Checksum, TellsChangesOfAnyBitAndLength) {
  auto bytes = random_bytes(200, 3);
  const std::uint64_t sum = checksum_of(bytes);
  for (std::size_t i = 0; i < bytes.size(); ++i)
    for (int bit = 0; bit < 8; ++bit) {
      bytes[i] ^= static_cast<std::byte>(1 << bit);
      EXPECT_NE(checksum_of(bytes), sum) << i << ' ' << bit;
      bytes[i] ^= static_cast<std::byte>(1 << bit);
    }
  const std::vector<std::byte> zeros(300);
  std::vector<std::uint64_t> sums;
  for (std::size_t length = 0; length <= zeros.size(); ++length)
    sums.push_back(checksum_of(std::span(zeros).first(length)));
  std::sort(sums.begin(), sums.end());
  EXPECT_EQ(std::adjacent_find(sums.begin(), sums.end()), sums.end());
  // The top bits of two numbers of one row.
  const std::uint64_t before = checksum_of(bytes);
  bytes[7] ^= std::byte{0x80};
  bytes[64 + 7] ^= std::byte{0x80};
  EXPECT_NE(checksum_of(bytes), before);
}

TEST(SectionFile, WhatIsWrittenComesBack) {
  const test::TemporaryFolder folder;
  const std::string path = folder.path() + "/file";
  const auto bytes = random_bytes(3 * kChunkBytes + 4321, 4);
  // Small parts and large ones, and places that are cut otherwise.
  Parts parts;
  for (std::size_t at = 0, take = 1; at < bytes.size(); at += take, take = take * 3 + 1) {
    take = std::min(take, bytes.size() - at);
    parts.push_back(std::span(bytes).subspan(at, take));
  }
  write(path, "a text", parts);
  std::vector<std::byte> back(bytes.size());
  EXPECT_EQ(refusal(path, {std::span(back).first(1000), std::span(back).subspan(1000)}), "");
  EXPECT_EQ(back, bytes);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 1);
}

TEST(SectionFile, ADamagedFileIsRefused) {
  const test::TemporaryFolder folder;
  const std::string path = folder.path() + "/file";
  const auto bytes = random_bytes(300, 5);
  write(path, "a text", {bytes});
  const std::string whole = read_file(path);
  std::vector<std::byte> back(bytes.size());
  ASSERT_EQ(refusal(path, {back}), "");
  for (std::size_t length = 0; length < whole.size(); ++length) {
    write_file(path, whole.substr(0, length));
    EXPECT_NE(refusal(path, {back}), "") << length;
  }
  for (std::size_t i = 0; i < whole.size(); ++i) {
    for (const int mask : {0x01, 0x80, 0xFF}) {
      std::string changed = whole;
      changed[i] = static_cast<char>(changed[i] ^ mask);
      write_file(path, changed);
      EXPECT_NE(refusal(path, {back}), "") << i;
    }
  }
  write_file(path, whole + '\0');
  EXPECT_NE(refusal(path, {back}).find("goes on"), std::string::npos);
}

TEST(SectionFile, ALargeFileIsRefusedWhereverItIsDamaged) {
  const test::TemporaryFolder folder;
  const std::string path = folder.path() + "/file";
  const auto bytes = random_bytes(2 * kChunkBytes + 100, 6);
  write(path, "a text", {bytes});
  const std::string whole = read_file(path);
  std::vector<std::byte> back(bytes.size());
  std::mt19937_64 random(7);
  for (int i = 0; i < 20; ++i) {
    write_file(path, whole.substr(0, random() % whole.size()));
    EXPECT_NE(refusal(path, {back}), "");
    std::string changed = whole;
    changed[random() % whole.size()] ^= static_cast<char>(1 << random() % 8);
    write_file(path, changed);
    EXPECT_NE(refusal(path, {back}), "");
  }
}

TEST(SectionFile, AForeignFileIsRefusedWithAReason) {
  const test::TemporaryFolder folder;
  const std::string path = folder.path() + "/file";
  const auto says = [&](const std::string& text) {
    const std::string reason = refusal(path, {});
    return reason.find(path) == 0 && reason.find(text) != std::string::npos ? "" : reason + "?";
  };
  EXPECT_EQ(says("No such file"), "");
  write_file(path, std::string(4096, 'x'));
  EXPECT_EQ(says("no file of SKMD's"), "");
  auto other = SectionWriter::create(path, kKind + 1);
  ASSERT_TRUE(other && other->finish());
  EXPECT_EQ(says("kind 8"), "");
  std::string later = read_file(path);
  later[8] = 2;
  write_file(path, later);
  EXPECT_EQ(says("version 2"), "");
  std::filesystem::remove(path);
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  EXPECT_EQ(says("no regular file"), "");
}

// Processes of one number on two machines may write one file in a shared folder.
TEST(SectionFile, TwoWritersOfOneNameDoNotMeet) {
  const test::TemporaryFolder folder;
  const std::string path = folder.path() + "/one";
  auto first = SectionWriter::create(path, kKind);
  auto second = SectionWriter::create(path, kKind);
  ASSERT_TRUE(first && second);
  for (auto* writer : {&*first, &*second}) {
    ASSERT_TRUE(writer->add(1, writer == &*first ? "first" : "second"));
    ASSERT_TRUE(writer->add(2, Parts{}));
  }
  for (auto* writer : {&*first, &*second}) {
    ASSERT_TRUE(writer->finish());
    EXPECT_EQ(refusal(path, {}), "");
    EXPECT_NE(read_file(path).find(writer == &*first ? "first" : "second"), std::string::npos);
  }
}

TEST(SectionFile, NothingHalfWrittenStays) {
  const test::TemporaryFolder folder;
  const std::string path = folder.path() + "/file";
  write_file(path, "what was there");
  const auto bytes = random_bytes(1 << 20, 8);
  {
    auto given_up = SectionWriter::create(path, kKind);
    ASSERT_TRUE(given_up && given_up->add(2, Parts{bytes}));
  }
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  const auto handler = signal(SIGXFSZ, SIG_IGN);
  const rlimit little{1 << 16, before.rlim_max};
  setrlimit(RLIMIT_FSIZE, &little);
  std::string reason;
  {
    auto writer = SectionWriter::create(path, kKind);
    ASSERT_TRUE(writer);
    if (const auto status = writer->add(2, Parts{bytes}); !status) reason = status.error().reason;
  }
  setrlimit(RLIMIT_FSIZE, &before);
  signal(SIGXFSZ, handler);
  EXPECT_NE(reason.find("File too large"), std::string::npos) << reason;
  EXPECT_EQ(read_file(path), "what was there");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 1);
  const auto nowhere = SectionWriter::create(folder.path() + "/none/file", kKind);
  ASSERT_FALSE(nowhere);
  EXPECT_NE(nowhere.error().reason.find("No such file"), std::string::npos);
}

}  // namespace
}  // namespace skmd::section_file
