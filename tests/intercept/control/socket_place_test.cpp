// SPDX-License-Identifier: Apache-2.0
#include "intercept/control/socket_place.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "tests/temporary_folder.h"

namespace skmd::icd::control {
namespace {

namespace fs = std::filesystem;

TEST(ControlFolder, IsMadeForItsUserAlone) {
  const skmd::test::TemporaryFolder outer;
  const std::string folder = outer.file("sockets");
  ASSERT_TRUE(private_folder(folder).ok());
  struct stat made {};
  ASSERT_EQ(stat(folder.c_str(), &made), 0);
  EXPECT_EQ(made.st_mode & 0777, 0700u);
  EXPECT_TRUE(private_folder(folder).ok()) << "it is there already";
}

TEST(ControlFolder, OneThatOthersMayEnterIsNotUsed) {
  const skmd::test::TemporaryFolder outer;
  const std::string folder = outer.file("open");
  ASSERT_EQ(mkdir(folder.c_str(), 0700), 0);
  ASSERT_EQ(chmod(folder.c_str(), 0750), 0);
  const auto status = private_folder(folder);
  ASSERT_FALSE(status.ok());
  EXPECT_NE(status.error().reason.find("0700"), std::string::npos) << status.error().reason;
  const std::string file = outer.file("file");
  std::ofstream(file) << "text";
  EXPECT_FALSE(private_folder(file).ok());
  fs::create_symlink(outer.file("elsewhere"), outer.file("link"));
  EXPECT_FALSE(private_folder(outer.file("link")).ok());
  EXPECT_FALSE(private_folder(outer.file("none/below")).ok());
}

TEST(ControlFolder, SocketsOfProcessesThatAreGoneAreRemoved) {
  const skmd::test::TemporaryFolder outer;
  const auto stale = listen_at(outer.file("1234"));
  ASSERT_TRUE(stale.ok());
  close(*stale);
  const auto live = listen_at(outer.file("1235"));
  ASSERT_TRUE(live.ok());
  const auto other = listen_at(outer.file("notes"));
  ASSERT_TRUE(other.ok());
  close(*other);
  std::ofstream(outer.file("1236")) << "no socket";
  remove_stale(outer.file("."));
  EXPECT_FALSE(fs::exists(outer.file("1234")));
  EXPECT_TRUE(fs::exists(outer.file("1235")));
  EXPECT_TRUE(fs::exists(outer.file("1236")));
  EXPECT_TRUE(fs::exists(outer.file("notes"))) << "its name is no number";
  close(*live);
}

TEST(ControlSocket, TakesThePlaceOfOneThatWasLeft) {
  const skmd::test::TemporaryFolder outer;
  const std::string path = outer.file("1234");
  const auto first = listen_at(path);
  ASSERT_TRUE(first.ok()) << first.error().reason;
  close(*first);
  EXPECT_TRUE(fs::is_socket(path)) << "as after a kill";
  const auto second = listen_at(path);
  ASSERT_TRUE(second.ok()) << second.error().reason;
  close(*second);
  EXPECT_FALSE(fs::exists(outer.file(".1234")));
  EXPECT_FALSE(listen_at(std::string(200, 'x')).ok());
  EXPECT_FALSE(listen_at(outer.file("none/1234")).ok());
}

}  // namespace
}  // namespace skmd::icd::control
