// SPDX-License-Identifier: Apache-2.0
#include "intercept/backend/discovery/ask_ahead.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <new>
#include <string>
#include <thread>
#include <vector>

namespace skmd::icd {
namespace {

const IcdFile kNvidia{"/etc/v/nvidia.icd", "/usr/lib/libnvidia-opencl.so.1"};
const IcdFile kPocl{"/etc/v/pocl.icd", "libpocl.so.2.10.0"};
const IcdFile kOwn{"/etc/v/skmd.icd", "/opt/skmd/lib/libskmd.so"};
constexpr const char* kOwnLibrary = "/opt/skmd/lib/libskmd.so.0.1.0";

std::string asked(const std::vector<IcdFile>& files, unsigned processors = 4) {
  const auto file = worth_asking(files, kOwnLibrary, processors);
  return file ? file->path : "";
}

TEST(WorthAsking, PoclBesideAnotherDriver) {
  EXPECT_EQ(asked({kNvidia, kPocl, kOwn}), kPocl.path);
  EXPECT_EQ(asked({kNvidia, {"/etc/v/p.icd", "/usr/lib/x/libpocl.so.2"}}), "/etc/v/p.icd");
}

TEST(WorthAsking, NotWhereThereIsNothingToLoadMeanwhile) {
  EXPECT_EQ(asked({}), "");
  EXPECT_EQ(asked({kPocl}), "");
  EXPECT_EQ(asked({kOwn, kPocl}), "");
  EXPECT_EQ(asked({{"/etc/v/empty.icd", ""}, kPocl}), "");
  EXPECT_EQ(asked({kPocl, kNvidia}), "") << "its turn is the first";
  EXPECT_EQ(asked({kNvidia, kOwn}), "");
}

TEST(WorthAsking, NotOnOneProcessor) {
  EXPECT_EQ(asked({kNvidia, kPocl}, 1), "");
  EXPECT_EQ(asked({kNvidia, kPocl}, 2), kPocl.path);
}

TEST(WorthAsking, NotWhereTwoFilesMayNameIt) {
  EXPECT_EQ(asked({kNvidia, kPocl, {"/etc/v/second.icd", "/usr/lib/libpocl.so.2.10.0"}}), "");
}

TEST(AskedAhead, WaitsForTheAnswer) {
  std::atomic<bool> answered = false;
  std::string path;
  const std::thread::id here = std::this_thread::get_id();
  AskedAhead ahead(kPocl, [&](const std::string& icd_file) {
    EXPECT_EQ(std::this_thread::get_id(), here);
    path = icd_file;
    return [&] {
      EXPECT_NE(std::this_thread::get_id(), here);
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      answered = true;
    };
  });
  EXPECT_FALSE(ahead.asked(kNvidia));
  EXPECT_TRUE(ahead.asked(kPocl));
  EXPECT_TRUE(answered);
  EXPECT_EQ(path, kPocl.path);
}

TEST(AskedAhead, EndsOnlyAfterTheQuestion) {
  std::atomic<bool> answered = false;
  {
    const AskedAhead ahead(kPocl, [&](const std::string&) {
      return [&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        answered = true;
      };
    });
  }
  EXPECT_TRUE(answered);
}

TEST(AskedAhead, ThereMayBeNoMemory) {
  AskedAhead ahead(kPocl, [](const std::string&) { return [] { throw std::bad_alloc(); }; });
  EXPECT_TRUE(ahead.asked(kPocl));
  AskedAhead none(kPocl, [](const std::string&) -> std::function<void()> { throw std::bad_alloc(); });
  EXPECT_FALSE(none.asked(kPocl));
}

TEST(AskedAhead, AsksAboutNothing) {
  AskedAhead ahead(std::nullopt, [](const std::string&) -> std::function<void()> {
    ADD_FAILURE();
    return [] {};
  });
  EXPECT_FALSE(ahead.asked(kPocl));
}

}  // namespace
}  // namespace skmd::icd
