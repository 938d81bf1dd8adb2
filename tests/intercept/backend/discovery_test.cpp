// SPDX-License-Identifier: Apache-2.0
// What the vendors' folder may hold: good drivers, broken ones, other things.
#include "intercept/backend/discovery/discovery.h"

#include <CL/cl_ext.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "cpu-driver/host_target.h"
#include "tests/stub-icd/control.h"
#include "tests/temporary_folder.h"

namespace skmd::icd {
namespace {

class DiscoveryFolder : public testing::Test {
 protected:
  void SetUp() override {
    stub::set_failure("");
    std::ifstream(std::string(STUB_ICD_VENDORS) + "/stub.icd") >> stub_library_;
  }
  void TearDown() override { stub::set_failure(""); }
  void put(const std::string& name, const std::string& text) { std::ofstream(folder_.file(name)) << text; }
  Result<Discovery> find(const std::string& selectors = "", const std::string& own = "") {
    return discover({.vendors_folder = folder_.path(), .selectors = selectors, .own_library = own});
  }
  /// With our own CPU driver.
  Result<Discovery> find_with_ours(const std::string& folder, const std::string& selectors = "", bool named = false) {
    return discover({.vendors_folder = folder,
                     .folder_is_named = named,
                     .selectors = selectors,
                     .own_library = "",
                     .cpu_driver = CpuDriverOptions{.compile = {}, .report = {}, .code_folder = "", .threads = 1}});
  }
  static bool mentions(const Discovery& found, const std::string& a, const std::string& b) {
    for (const std::string& line : found.left_out) {
      if (line.find(a) != std::string::npos && line.find(b) != std::string::npos) return true;
    }
    return false;
  }
  const skmd::test::TemporaryFolder folder_;
  std::string stub_library_;
};

TEST_F(DiscoveryFolder, BrokenFilesAreLeftOutWithAReason) {
  put("a-missing.icd", "libskmd-no-such-library.so\n");
  put("b-garbage.icd", "\x7f\x01 this is no library \n\xff\xfe");
  put("c-empty.icd", "");
  put("d-no-symbols.icd", "libz.so.1\n");
  put("e-text-file.icd", folder_.file("a-missing.icd") + "\n");
  put("f-stub.icd", "  " + stub_library_ + "  \r\n");
  put("readme.txt", stub_library_);
  const auto found = find();
  ASSERT_TRUE(found) << found.error().reason;
  EXPECT_EQ(found->devices.size(), 3u);
  EXPECT_TRUE(mentions(*found, "a-missing.icd", "libskmd-no-such-library.so"));
  EXPECT_TRUE(mentions(*found, "b-garbage.icd", ""));
  EXPECT_TRUE(mentions(*found, "c-empty.icd", "names no library"));
  EXPECT_TRUE(mentions(*found, "d-no-symbols.icd", "is no OpenCL driver"));
  EXPECT_TRUE(mentions(*found, "e-text-file.icd", ""));
  EXPECT_FALSE(mentions(*found, "readme.txt", ""));
}

TEST_F(DiscoveryFolder, AFileStandsForItself) {
  put("a-missing.icd", "libskmd-no-such-library.so\n");
  put("b-stub.icd", stub_library_);
  const auto files = read_icd_files(folder_.file("b-stub.icd"));
  ASSERT_TRUE(files.ok());
  ASSERT_EQ(files->size(), 1u);
  EXPECT_EQ(files->front().path, folder_.file("b-stub.icd"));
  EXPECT_EQ(files->front().library, stub_library_);
  EXPECT_FALSE(read_icd_files(folder_.file("none.icd")).ok());
}

TEST_F(DiscoveryFolder, SpacesAreAssignedInTheOrderOfTheSelectors) {
  put("stub.icd", stub_library_);
  const auto found = find("stub:1,stub:2,stub:0");
  ASSERT_TRUE(found) << found.error().reason;
  ASSERT_EQ(found->devices.size(), 3u);
  EXPECT_EQ(found->devices[0]->description().name, "Stub GPU 1");
  EXPECT_EQ(found->devices[0]->description().space, 1u);
  EXPECT_EQ(found->devices[1]->description().name, "Stub CPU 2");
  EXPECT_EQ(found->devices[1]->description().space, domain::kHostSpace);
  EXPECT_EQ(found->devices[2]->description().space, 2u);
}

TEST_F(DiscoveryFolder, ALibraryNamedTwiceCountsOnce) {
  put("a.icd", stub_library_);
  put("b.icd", stub_library_);
  const auto found = find();
  ASSERT_TRUE(found);
  EXPECT_EQ(found->devices.size(), 3u);
}

TEST_F(DiscoveryFolder, OurOwnLibraryIsSkippedAlsoThroughALink) {
  put("a.icd", stub_library_);
  const auto direct = find("", stub_library_);
  ASSERT_FALSE(direct);
  EXPECT_EQ(direct.error().code, CL_PLATFORM_NOT_FOUND_KHR);
  EXPECT_NE(direct.error().reason.find("is this driver itself"), std::string::npos);
  std::filesystem::create_symlink(stub_library_, folder_.file("link.so"));
  put("a.icd", folder_.file("link.so"));
  const auto linked = find("", stub_library_);
  ASSERT_FALSE(linked);
  EXPECT_NE(linked.error().reason.find("is this driver itself"), std::string::npos);
}

TEST_F(DiscoveryFolder, AnotherSkmdIsSkipped) {
  put("stub.icd", stub_library_);
  stub::set_platform_name("SKMD");
  const auto found = find();
  stub::set_platform_name("Stub");
  ASSERT_FALSE(found);
  EXPECT_NE(found.error().reason.find("is another SKMD"), std::string::npos) << found.error().reason;
  EXPECT_TRUE(find());
}

TEST_F(DiscoveryFolder, AFailedFirstQueryLeavesTheVendorOut) {
  put("stub.icd", stub_library_);
  for (const char* call : {"clIcdGetPlatformIDsKHR", "clGetDeviceIDs"}) {
    stub::set_failure(std::string(call) + ":1:-6");
    const auto found = find();
    ASSERT_FALSE(found) << call;
    EXPECT_EQ(found.error().code, CL_PLATFORM_NOT_FOUND_KHR);
    EXPECT_NE(found.error().reason.find(std::string(call) + " failed with CL_OUT_OF_HOST_MEMORY"), std::string::npos)
        << found.error().reason;
  }
}

TEST_F(DiscoveryFolder, ADeviceThatCannotBeOpenedIsLeftOut) {
  put("stub.icd", stub_library_);
  for (const char* call :
       {"clCreateContext", "clCreateCommandQueue", "clEnqueueFillBuffer", "run:clEnqueueFillBuffer"}) {
    stub::set_failure(std::string(call) + ":1:-5");
    const auto found = find("stub:cpu,stub:0");
    ASSERT_TRUE(found) << found.error().reason;
    ASSERT_EQ(found->devices.size(), 1u) << call;
    EXPECT_EQ(found->devices[0]->description().name, "Stub GPU 0");
    EXPECT_TRUE(mentions(*found, "Stub CPU 2", "failed with")) << call;
  }
}

TEST_F(DiscoveryFolder, ASelectorThatMatchesNothingIsAnErrorThatNamesIt) {
  put("stub.icd", stub_library_);
  const auto found = find("stub:0,nvidia:0");
  ASSERT_FALSE(found);
  EXPECT_NE(found.error().reason.find("'nvidia:0'"), std::string::npos);
}

TEST_F(DiscoveryFolder, OurCpuDriverNeedsNoOther) {
  if (!cpu::best_target()) GTEST_SKIP() << "our code does not run on this processor";
  for (const char* folder : {folder_.path().c_str(), "/no/such/folder"}) {
    for (const char* selectors : {"", "cpu"}) {
      const auto found = find_with_ours(folder, selectors);
      ASSERT_TRUE(found) << found.error().reason;
      ASSERT_EQ(found->devices.size(), 1u);
      const DeviceDescription& description = found->devices[0]->description();
      EXPECT_EQ(description.backend, "cpu-driver");
      EXPECT_EQ(description.platform, "SKMD");
      EXPECT_EQ(description.space, domain::kHostSpace);
    }
  }
  EXPECT_TRUE(mentions(*find_with_ours("/no/such/folder"), "/no/such/folder", ""));
  EXPECT_TRUE(find_with_ours(folder_.path(), "", true));
  const auto missing = find_with_ours("/no/such/folder", "", true);
  ASSERT_FALSE(missing);
  EXPECT_NE(missing.error().reason.find("/no/such/folder"), std::string::npos);
  ASSERT_TRUE(find_with_ours(folder_.path(), "cpu@discrete"));
  EXPECT_TRUE(find_with_ours(folder_.path(), "cpu@discrete")->devices[0]->description().discrete);
}

TEST_F(DiscoveryFolder, AVendorsCpuStandsBesideOurs) {
  if (!cpu::best_target()) GTEST_SKIP() << "our code does not run on this processor";
  put("stub.icd", stub_library_);
  const auto found = find_with_ours(folder_.path(), "cpu");
  ASSERT_TRUE(found) << found.error().reason;
  ASSERT_EQ(found->devices.size(), 1u);
  EXPECT_EQ(found->devices[0]->description().name, "Stub CPU 2");
  EXPECT_EQ(found->devices[0]->description().backend, "cpu-driver");
}

TEST_F(DiscoveryFolder, VariantsOfTheHostCpuStandInItsPlace) {
  if (!cpu::best_target()) GTEST_SKIP() << "our code does not run on this processor";
  put("stub.icd", stub_library_);
  const std::string best(cpu::name_of(*cpu::best_target()));
  const auto found =
      discover({.vendors_folder = folder_.path(),
                .selectors = "cpu,stub:0",
                .own_library = "",
                .cpu_driver = CpuDriverOptions{.compile = {}, .report = {}, .code_folder = "", .threads = 1},
                .cpu_variants = {{"best", best, 2, false}, {"sse", "x86-64-v2", 3, true}}});
  ASSERT_TRUE(found) << found.error().reason;
  ASSERT_EQ(found->devices.size(), 3u);
  const DeviceDescription& first = found->devices[0]->description();
  const DeviceDescription& second = found->devices[1]->description();
  EXPECT_EQ(first.name, "Stub CPU 2 (best)");
  EXPECT_EQ(first.code_target, best);
  EXPECT_FALSE(first.discrete);
  EXPECT_EQ(first.space, domain::kHostSpace);
  EXPECT_EQ(second.name, "Stub CPU 2 (sse)");
  EXPECT_EQ(second.code_target, "x86-64-v2");
  EXPECT_TRUE(second.discrete);
  EXPECT_NE(second.space, domain::kHostSpace);
  for (std::size_t i = 0; i < 2; ++i) {
    cl_uint units = 0;
    const auto answer = found->devices[i]->info(CL_DEVICE_MAX_COMPUTE_UNITS);
    ASSERT_TRUE(answer);
    std::memcpy(&units, answer->data(), sizeof units);
    EXPECT_EQ(units, i + 2);
  }
  EXPECT_EQ(found->devices[2]->description().backend, "icd");
}

// Of 70 devices, such as those of nine hosts of eight.
TEST_F(DiscoveryFolder, DevicesBeyondThe64thAreLeftOutWithAReason) {
  if (!cpu::best_target()) GTEST_SKIP() << "our code does not run on this processor";
  put("stub.icd", stub_library_);
  const std::string best(cpu::name_of(*cpu::best_target()));
  for (const auto& [discrete, most, reason] : {std::tuple{true, 63u, "only 64 memory spaces can be told apart"},
                                               std::tuple{false, 64u, "only 64 devices can be told apart"}}) {
    const auto found =
        discover({.vendors_folder = folder_.path(),
                  .selectors = "cpu",
                  .own_library = "",
                  .cpu_driver = CpuDriverOptions{.compile = {}, .report = {}, .code_folder = "", .threads = 1},
                  .cpu_variants = std::vector<CpuVariant>(70, {"best", best, 1, discrete})});
    ASSERT_TRUE(found) << found.error().reason;
    EXPECT_EQ(found->devices.size(), most);
    EXPECT_EQ(std::count_if(found->left_out.begin(), found->left_out.end(),
                            [&, text = std::string(reason)](const std::string& line) {
                              return line.find("Stub CPU 2") != std::string::npos && line.ends_with(text);
                            }),
              static_cast<std::ptrdiff_t>(70 - most));
    std::set<domain::SpaceId> spaces;
    for (const auto& device : found->devices) spaces.insert(device->description().space);
    EXPECT_EQ(spaces.size(), discrete ? most : 1u);
    EXPECT_LT(*spaces.rbegin(), domain::kMaxSpaces);
  }
}

TEST_F(DiscoveryFolder, NoFolderAndNoDeviceAreErrors) {
  EXPECT_EQ(find().error().code, CL_PLATFORM_NOT_FOUND_KHR);
  const auto missing = discover({.vendors_folder = "/no/such/folder", .selectors = "", .own_library = ""});
  ASSERT_FALSE(missing);
  EXPECT_NE(missing.error().reason.find("/no/such/folder"), std::string::npos);
}

}  // namespace
}  // namespace skmd::icd
