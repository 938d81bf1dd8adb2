// SPDX-License-Identifier: Apache-2.0
// Code generation that dies over a kernel costs that kernel its vectors, or its code, and no other one anything.
#include "cpu-driver/codegen/pipeline/attempts.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>

namespace skmd::codegen {
namespace {

using Names = std::vector<std::string>;

bool has(const Names& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// "Code" is the kernels' names, "v" before what has vectors. The process ends where `dies` says so.
Generated generated(const Names& kernels, const std::function<bool(const std::string& kernel, bool vectors)>& dies,
                    bool without_vectors = false) {
  return in_attempts(kernels, without_vectors, [&](const Attempt& attempt, Progress& progress) {
    Generated made;
    for (std::size_t i = 0; i < attempt.kernels.size(); ++i) {
      const std::string& name = attempt.kernels[i];
      const bool vectors = !without_vectors && !has(attempt.by_items, name);
      progress.at(i + 1);
      if (dies(name, vectors)) ::_exit(1);
      made.code += (vectors ? "v" : "") + name;
      made.notes.push_back({name, "", {}});
    }
    progress.at(Progress::kNone);
    if (dies("", attempt.by_items.size() < attempt.kernels.size() && !without_vectors)) ::_exit(1);
    return made;
  });
}

TEST(Attempts, OneIsEnoughForMostPrograms) {
  const Generated made = generated({"a", "b"}, [](const std::string&, bool) { return false; });
  EXPECT_EQ(made.code, "vavb");
  ASSERT_EQ(made.notes.size(), 2u);
  EXPECT_TRUE(made.notes[0].remarks.empty());
}

TEST(Attempts, KernelLosesItsVectorsAlone) {
  const Generated made =
      generated({"a", "b", "c"}, [](const std::string& kernel, bool vectors) { return kernel == "b" && vectors; });
  EXPECT_EQ(made.code, "vabvc");
  ASSERT_EQ(made.notes.size(), 3u);
  EXPECT_EQ(made.notes[1].obstacle, "");
  ASSERT_EQ(made.notes[1].remarks.size(), 1u);
  EXPECT_NE(made.notes[1].remarks[0].find("without vectors"), std::string::npos);
  EXPECT_TRUE(made.notes[0].remarks.empty() && made.notes[2].remarks.empty());
}

TEST(Attempts, KernelLosesItsCodeAlone) {
  const auto dies = [](const std::string& kernel, bool) { return kernel == "a"; };
  for (const bool without_vectors : {false, true}) {
    const Generated made = generated({"a", "b"}, dies, without_vectors);
    EXPECT_EQ(made.code, without_vectors ? "b" : "vb");
    ASSERT_EQ(made.notes.size(), 2u);
    EXPECT_EQ(made.notes[0].name, "a");
    EXPECT_EQ(made.notes[0].obstacle, "the code generator failed");
    EXPECT_EQ(made.notes[1].name, "b");
    EXPECT_EQ(made.notes[1].obstacle, "");
  }
}

TEST(Attempts, WhatAllHaveInCommonIsTriedWithoutVectors) {
  const Generated made =
      generated({"a", "b"}, [](const std::string& kernel, bool vectors) { return kernel.empty() && vectors; });
  EXPECT_EQ(made.code, "ab");
}

TEST(Attempts, EndWhereNothingHelps) {
  for (const Names& kernels : {Names{}, Names{"a"}, Names{"a", "b", "c", "d", "e", "f", "g"}}) {
    const Generated made = generated(kernels, [](const std::string&, bool) { return true; });
    EXPECT_EQ(made.code, "");
    ASSERT_EQ(made.notes.size(), kernels.size());
    for (std::size_t i = 0; i < kernels.size(); ++i) {
      EXPECT_EQ(made.notes[i].name, kernels[i]);
      EXPECT_EQ(made.notes[i].obstacle, "the code generator failed");
      EXPECT_TRUE(made.notes[i].remarks.empty());
    }
  }
}

}  // namespace
}  // namespace skmd::codegen
