// SPDX-License-Identifier: Apache-2.0
#include "profiler/cached_kernels.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "compiler/client/cache.h"
#include "compiler/client/late_failures.h"
#include "tests/observe/support.h"

namespace skmd::profiler {
namespace {

using icd::test::TemporaryFolder;
using nlohmann::json;

domain::KernelTraits kernel(const std::string& name, std::uint32_t facts) {
  domain::KernelTraits traits;
  traits.name = name;
  traits.facts = facts;
  return traits;
}

compiler::Reply analysed(const std::string& hash, std::vector<domain::KernelTraits> kernels) {
  compiler::Reply reply;
  reply.answer.outcome = compiler::Outcome::analysed;
  reply.answer.hash = hash;
  reply.answer.kernels = std::move(kernels);
  return reply;
}

TEST(CachedKernels, AreClassifiedAsTheDriverWould) {
  const TemporaryFolder folder;
  const compiler::Cache cache(folder.path());
  auto contiguous = kernel("a", 0);
  contiguous.access = domain::AccessClass::contiguous;
  contiguous.hidden_record = true;
  cache.store("one", analysed("h1", {contiguous, kernel("b", domain::kFactPrintf)}));
  cache.store("two", analysed("h2", {kernel("c", domain::kFactFloatDecidesAddress)}));
  cache.store("three", analysed("h2", {kernel("c", domain::kFactFloatDecidesAddress)}));
  const json found = cached_kernels(folder.path());
  ASSERT_EQ(found.size(), 3u);
  EXPECT_EQ(
      found[0],
      (json{
          {"name", "a"}, {"program", "h1"}, {"access", "contiguous"}, {"split", "yes"}, {"form", "partition-ready"}}));
  EXPECT_EQ(found[1]["split"], "printf");
  EXPECT_EQ(found[1]["form"], "untouched");
  EXPECT_EQ(found[2]["split"], "like devices");
}

TEST(CachedFailures, AreThoseThatApplicationsCouldNotBeTold) {
  const TemporaryFolder folder;
  for (int i = 0; i < 2; ++i)  // once more is the same
    compiler::keep_late_failure(folder.path(), {"h1", "platform\nname\n1.0", "error: refused"});
  const json found = cached_failures(folder.path());
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(
      found[0],
      (json{{"program", "h1"},
            {"builds",
             json::array({{{"device", "platform name 1.0"}, {"state", "failed"}, {"reason", "error: refused"}}})}}));
  EXPECT_TRUE(cached_kernels(folder.path()).empty());
}

TEST(CachedKernels, AnOpaqueProgramSaysWhy) {
  const TemporaryFolder folder;
  compiler::Reply reply;
  reply.answer.outcome = compiler::Outcome::opaque;
  reply.answer.reason = "the compiler crashed";
  compiler::Cache(folder.path()).store("key", reply);
  const json found = cached_kernels(folder.path());
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0]["split"], "opaque_program");
  EXPECT_EQ(found[0]["reason"], "the compiler crashed");
}

TEST(CachedKernels, DamagedAndForeignFilesAreLeftOut) {
  const TemporaryFolder folder;
  std::ofstream(folder.file("damaged.compiled")) << "nothing";
  std::ofstream(folder.file("README")) << "nothing";
  EXPECT_EQ(cached_kernels(folder.path()), json::array());
}

TEST(CachedKernels, AMissingFolderIsNotMade) {
  const TemporaryFolder folder;
  EXPECT_EQ(cached_kernels(folder.file("absent")), json::array());
  EXPECT_FALSE(std::filesystem::exists(folder.file("absent")));
}

}  // namespace
}  // namespace skmd::profiler
