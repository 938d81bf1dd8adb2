// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>

#include "intercept/observe/shared_pieces.h"
#include "tests/observe/support.h"

namespace skmd::icd {
namespace {

using nlohmann::json;
using test::read_file;
using test::TemporaryFolder;

template <class T>
T at(const std::string& bytes, std::size_t place) {
  T value{};
  std::memcpy(&value, bytes.data() + place, sizeof value);
  return value;
}

/// Puts a document together as shared_pieces.h describes it.
std::string assemble(const std::string& bytes) {
  EXPECT_EQ(bytes.substr(0, 8), "SKMDPIEC");
  EXPECT_EQ(at<std::uint32_t>(bytes, 8), 1u);
  std::string head, elements, tail;
  for (std::size_t place = 64; place < at<std::uint32_t>(bytes, 12);) {
    const auto capacity = at<std::uint32_t>(bytes, place);
    const auto kind = at<std::uint32_t>(bytes, place + 4);
    const auto word = at<std::uint64_t>(bytes, place + 8);
    const std::string text = bytes.substr(place + 16 + (word & 1) * capacity, word >> 1);
    if (kind == 0) head = text;
    if (kind == 1 && !text.empty()) elements += (elements.empty() ? "" : ",") + text;
    if (kind == 2) tail = text;
    place += 16 + 2 * capacity;
  }
  return head + elements + tail;
}

TEST(SharedPieces, AreWhatWasSetLast) {
  const TemporaryFolder folder;
  SharedPieces pieces;
  ASSERT_TRUE(pieces.open_in(folder.path()));
  const auto head = pieces.add(SharedPieces::Kind::head, 3);
  const auto element = pieces.add(SharedPieces::Kind::element, 16);
  pieces.set(pieces.add(SharedPieces::Kind::tail, 1), "]");
  pieces.set(head, "[");
  for (const char* text : {"1", "22", "333"}) {
    pieces.set(element, text);
    EXPECT_EQ(assemble(read_file(folder.file(std::to_string(getpid()) + ".pieces"))), std::string("[") + text + "]");
  }
}

TEST(SharedPieces, ATextThatDoesNotFitLeavesTheOldOne) {
  const TemporaryFolder folder;
  SharedPieces pieces;
  ASSERT_TRUE(pieces.open_in(folder.path()));
  const auto head = pieces.add(SharedPieces::Kind::head, 8);
  pieces.set(head, "12345678");
  pieces.set(head, "123456789");
  EXPECT_EQ(assemble(read_file(folder.file(std::to_string(getpid()) + ".pieces"))), "12345678");
}

TEST(SharedPieces, AFullFileRefusesFurtherPieces) {
  const TemporaryFolder folder;
  SharedPieces pieces;
  ASSERT_TRUE(pieces.open_in(folder.path()));
  int added = 0;
  while (pieces.add(SharedPieces::Kind::element, 2u << 20) != SharedPieces::kNoPiece) ++added;
  EXPECT_EQ(added, 3);
  pieces.set(SharedPieces::kNoPiece, "nothing happens");
}

TEST(SharedPieces, AMissingFolderIsNoTrouble) {
  SharedPieces pieces;
  EXPECT_FALSE(pieces.open_in("/nonexistent/folder"));
  EXPECT_EQ(pieces.add(SharedPieces::Kind::head, 8), SharedPieces::kNoPiece);
}

TEST(SharedCounters, OutliveAProcessThatIsKilledRightAfterItsLastLaunch) {
  const TemporaryFolder folder;
  const pid_t child = fork();
  if (child == 0) {
    ObserverOptions options;
    options.shared_folder = folder.path();
    Observer observer(options);
    observer.devices(test::two_devices());
    for (int i = 0; i < 1000; ++i) observer.launch(test::split_launch(i % 2 == 0 ? "even" : "odd"));
    observer.transfer({1, 77, 0, 0, 0, ""});
    kill(getpid(), SIGKILL);
  }
  int status = 0;
  waitpid(child, &status, 0);
  ASSERT_TRUE(WIFSIGNALED(status));
  const json document = json::parse(assemble(read_file(folder.file(std::to_string(child) + ".pieces"))));
  ASSERT_EQ(document["kernels"].size(), 2u);
  EXPECT_EQ(document["kernels"][0]["launches"], 500);
  EXPECT_EQ(document["kernels"][1]["groups"], (json{15000, 35000}));
  EXPECT_EQ(document["transfers"][1]["bytes_to"], 77);
  EXPECT_EQ(document["devices"][1]["name"], "big GPU");
}

TEST(SharedCounters, AreTheSameDocumentAsTheObservers) {
  const TemporaryFolder folder;
  ObserverOptions options;
  options.shared_folder = folder.path();
  Observer observer(options);
  observer.devices(test::two_devices());
  observer.launch(test::split_launch("k"));
  observer.partition(1500);
  VerifyReport verify;
  verify.mismatching_bytes = 1;
  observer.verify(verify);
  std::string whole = observer.stats_json();
  const std::string cached = ",\"cached\":0";  // which readers of the pieces add
  ASSERT_NE(whole.find(cached), std::string::npos);
  whole.erase(whole.find(cached), cached.size());
  EXPECT_EQ(assemble(read_file(folder.file(std::to_string(getpid()) + ".pieces"))), whole);
}

}  // namespace
}  // namespace skmd::icd
