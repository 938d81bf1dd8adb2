// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "intercept/observe/stats.h"

namespace skmd::icd {
namespace {

using nlohmann::json;

TEST(Stats, KeepsTheLastCheckpoints) {
  Stats stats;
  EXPECT_EQ(json::parse(stats.document())["checkpoints"], json::array());
  stats.add_checkpoint({4096, 0.5});
  stats.add_checkpoint({8192, 0.25});
  EXPECT_EQ(json::parse(stats.document())["checkpoints"],
            json::parse(R"([{"bytes":4096,"seconds":0.5},{"bytes":8192,"seconds":0.25}])"));
  const std::size_t bound = Stats().tail_bound();
  for (std::uint64_t i = 0; i < 100; ++i) stats.add_checkpoint({~std::uint64_t{0} - i, 1e300 / 3});
  const json kept = json::parse(stats.document())["checkpoints"];
  EXPECT_EQ(kept.size(), 64u);
  EXPECT_EQ(kept.back()["bytes"], ~std::uint64_t{0} - 99);
  EXPECT_LE(stats.tail().size(), bound);
}

}  // namespace
}  // namespace skmd::icd
