// SPDX-License-Identifier: Apache-2.0
#include "profiler/serve/serve_options.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "profiler/serve/drivers_folder.h"
#include "profiler/serve/socket_folder.h"
#include "tests/temporary_folder.h"

namespace skmd::profiler {
namespace {

using Words = std::vector<std::string>;

Reach reach(const std::string& host) {
  const auto address = parse_listen_address(host + ":10998");
  EXPECT_TRUE(address.ok()) << (address ? "" : address.error().reason);
  return address ? reach_of(address->ip) : Reach::anyone;
}

TEST(ListenAddress, TellsWhoReachesIt) {
  for (const char* host : {"127.0.0.1", "127.255.255.255", "localhost"}) EXPECT_EQ(reach(host), Reach::host) << host;
  for (const char* host : {"10.0.0.0", "10.255.255.255", "172.16.0.0", "172.31.255.255", "192.168.0.1",
                           "192.168.255.255", "169.254.0.1", "169.254.255.255"})
    EXPECT_EQ(reach(host), Reach::network) << host;
  for (const char* host :
       {"0.0.0.0", "9.255.255.255", "11.0.0.0", "126.255.255.255", "128.0.0.0", "172.15.255.255", "172.32.0.0",
        "192.167.255.255", "192.169.0.0", "169.253.255.255", "169.255.0.0", "8.8.8.8", "255.255.255.255"})
    EXPECT_EQ(reach(host), Reach::anyone) << host;
}

TEST(ListenAddress, IsAnAddressAndAPortWithTwoMoreBehindIt) {
  const auto address = parse_listen_address("10.77.0.2:65533");
  ASSERT_TRUE(address.ok());
  EXPECT_EQ(address->host, "10.77.0.2");
  EXPECT_EQ(address->port, 65533);
  EXPECT_EQ(address->text(), "10.77.0.2:65533");
  EXPECT_EQ(address->local_text(), "10.77.0.2:65533");
  EXPECT_EQ(parse_listen_address("0.0.0.0:1")->local_text(), "127.0.0.1:1");
  for (const char* text :
       {"", ":", "10.0.0.1", "10.0.0.1:", ":10998", "10.0.0.1:0", "10.0.0.1:65534", "10.0.0.1:70000", "10.0.0.1:-1",
        "10.0.0.1:1x", "10.0.0.1: 1", "10.0.0:1", "10.0.0.256:1", "host:1", "::1:1", "10.0.0.1/8:1", " 10.0.0.1:1"}) {
    const auto wrong = parse_listen_address(text);
    ASSERT_FALSE(wrong.ok()) << text;
    EXPECT_NE(wrong.error().reason.find(std::string("--listen ") + text), std::string::npos) << wrong.error().reason;
  }
}

TEST(ListenAddress, MayBeAFolder) {
  const auto address = parse_listen_address("unix:/run/me/skmd/");
  ASSERT_TRUE(address.ok()) << address.error().reason;
  EXPECT_EQ(address->folder, "/run/me/skmd");
  EXPECT_EQ(address->text(), "unix:/run/me/skmd");
  EXPECT_EQ(address->local_text(), "unix:/run/me/skmd");
  const std::string longest(98, 'x');
  EXPECT_TRUE(parse_listen_address("unix:/" + longest).ok());
  for (const std::string& text : {std::string("unix:"), std::string("unix:/"), std::string("unix:skmd"),
                                  std::string("unix:10.0.0.1:1"), "unix:/" + longest + "x"}) {
    const auto wrong = parse_listen_address(text);
    ASSERT_FALSE(wrong.ok()) << text;
    EXPECT_NE(wrong.error().reason.find("--listen " + text + ": expected an absolute path of at most 99 characters"),
              std::string::npos)
        << wrong.error().reason;
  }
}

TEST(SocketFolder, IsMadeForOneUserAndRemoved) {
  const test::TemporaryFolder folder;
  const std::filesystem::path path = folder.file("sockets");
  {
    SocketFolder made;
    ASSERT_TRUE(made.make(path.string()));
    EXPECT_EQ(std::filesystem::status(path).permissions(), std::filesystem::perms::owner_all);
    std::ofstream(path / "command") << "";
    // It may be another user's.
    SocketFolder second;
    const auto taken = second.make(path.string());
    ASSERT_FALSE(taken);
    EXPECT_EQ(taken.error().reason, "cannot make the folder " + path.string() + ": File exists");
  }
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST(ServeOptions, AreTakenFromTheCommandLine) {
  ServeOptions options;
  const auto end = parse_serve_options({"--listen", "10.0.0.1:10998", "--devices", "cpu,nvidia:0"}, options);
  ASSERT_FALSE(end.has_value()) << end->text;
  EXPECT_EQ(options.address.text(), "10.0.0.1:10998");
  EXPECT_EQ(options.devices, "cpu,nvidia:0");
  EXPECT_FALSE(options.each);
  ServeOptions each;
  EXPECT_FALSE(parse_serve_options({"--each", "--listen", "127.0.0.1:1"}, each).has_value());
  EXPECT_TRUE(each.each);
  EXPECT_FALSE(each.until_eof);
  ServeOptions folder;
  EXPECT_FALSE(parse_serve_options({"--listen", "unix:/tmp/x", "--until-eof"}, folder).has_value());
  EXPECT_EQ(folder.address.folder, "/tmp/x");
  EXPECT_TRUE(folder.until_eof);
}

void expect_refused(const Words& arguments, const std::string& part) {
  ServeOptions options;
  const auto end = parse_serve_options(arguments, options);
  ASSERT_TRUE(end.has_value()) << part;
  EXPECT_EQ(end->status, 125) << part;
  EXPECT_NE(end->text.find(part), std::string::npos) << end->text;
}

TEST(ServeOptions, SayWhatIsWrong) {
  expect_refused({}, "--listen");
  expect_refused({"--listen"}, "--listen");
  expect_refused({"--listen", "host:1"}, "--listen host:1: expected an IPv4 address");
  expect_refused({"--listen", "10.0.0.1:1", "--devices", "cpu", "--each"}, "--each");
  expect_refused({"--listen", "10.0.0.1:1", "--what"}, "--what");
  expect_refused({"--listen", "10.0.0.1:1", "word"}, "word");
}

TEST(ServeOptions, RefuseToServeAnyoneUnlessTold) {
  for (const char* address : {"0.0.0.0:10998", "8.8.8.8:10998", "172.32.0.1:10998"}) {
    expect_refused({"--listen", address}, "--anyone");
    ServeOptions options;
    EXPECT_FALSE(parse_serve_options({"--listen", address, "--anyone"}, options).has_value()) << address;
  }
}

TEST(ServeOptions, HelpIsNoError) {
  ServeOptions options;
  const auto end = parse_serve_options({"--help"}, options);
  ASSERT_TRUE(end.has_value());
  EXPECT_EQ(end->status, 0);
  for (const char* option : {"--listen", "--devices", "--each", "--anyone", "--until-eof"})
    EXPECT_NE(end->text.find(option), std::string::npos) << option;
}

TEST(DaemonEnvironment, ShowsItsDriversAlone) {
  ServeOptions options;
  options.devices = "cpu";
  const Environment result = daemon_environment({{"OCL_ICD_VENDORS", "/else"},
                                                 {"OCL_ICD_FILENAMES", "/else.so"},
                                                 {"POCL_DEVICES", "cpu remote"},
                                                 {"SKMD_DEVICES", "gpu"},
                                                 {"SKMD_CPU_THREADS", "1"}},
                                                options, {"/drivers", "/a.so:/b.so"}, "/vendors");
  EXPECT_EQ(result, (Environment{{"OCL_ICD_FILENAMES", "/a.so:/b.so"},
                                 {"OCL_ICD_VENDORS", "/drivers"},
                                 {"OPENCL_VENDOR_PATH", "/drivers"},
                                 {"SKMD_CPU_THREADS", "1"},
                                 {"SKMD_DEVICES", "cpu"},
                                 {"SKMD_VENDORS", "/vendors"}}));
}

TEST(DaemonEnvironment, KeepsWhatTheUserSaysOfDevicesAndVendors) {
  const Environment outer{{"POCL_DEVICES", "cpu"}, {"SKMD_DEVICES", "gpu"}, {"SKMD_VENDORS", "/mine"}};
  Environment expected = outer;
  expected["OCL_ICD_FILENAMES"] = "/a.so";
  expected["OCL_ICD_VENDORS"] = "/drivers";
  expected["OPENCL_VENDOR_PATH"] = "/drivers";
  EXPECT_EQ(daemon_environment(outer, ServeOptions{}, {"/drivers", "/a.so"}, "/vendors"), expected);
}

TEST(DriversFolder, HasTheRealDrivers) {
  const test::TemporaryFolder folder;
  const std::filesystem::path vendors = folder.file("vendors"), target = folder.file("target");
  std::filesystem::create_directories(vendors);
  std::filesystem::create_directories(target);
  const auto write = [&](const char* name, const char* line) { std::ofstream(vendors / name) << line << '\n'; };
  write("pocl.icd", "libpocl.so.2");
  write("gpu.icd", "/opt/vendor/libgpu.so");
  write("skmd.icd", "/usr/lib/skmd/lib/libskmd.so.0");
  write("remote.icd", "/usr/lib/skmd/lib/skmd/libpocl-remote.so");
  write("note.txt", "libother.so");
  write("empty.icd", "");
  auto libraries = copy_real_drivers(vendors.string(), target.string());
  ASSERT_TRUE(libraries.ok()) << libraries.error().reason;
  std::sort(libraries->begin(), libraries->end());
  EXPECT_EQ(*libraries, (std::vector<std::string>{"/opt/vendor/libgpu.so", "libpocl.so.2"}));
  std::string line;
  std::ifstream(target / "gpu.icd") >> line;
  EXPECT_EQ(line, "/opt/vendor/libgpu.so");
  EXPECT_FALSE(std::filesystem::exists(target / "skmd.icd"));
  EXPECT_FALSE(std::filesystem::exists(target / "remote.icd"));

  const std::filesystem::path one = folder.file("one");
  std::filesystem::create_directories(one);
  const auto single = copy_real_drivers((vendors / "gpu.icd").string(), one.string());
  ASSERT_TRUE(single.ok()) << single.error().reason;
  EXPECT_EQ(*single, (std::vector<std::string>{"/opt/vendor/libgpu.so"}));
  EXPECT_TRUE(std::filesystem::exists(one / "gpu.icd"));

  const auto missing = copy_real_drivers(folder.file("none"), target.string());
  ASSERT_FALSE(missing.ok());
  EXPECT_NE(missing.error().reason.find("none"), std::string::npos);
}

}  // namespace
}  // namespace skmd::profiler
