// SPDX-License-Identifier: Apache-2.0
#include "bench/launches/preempt_rows.h"

#include <gtest/gtest.h>

namespace bench {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

TEST(PreemptRows, EachFormOfTheStatisticsHasAKey) {
  EXPECT_EQ(key_of_form(json{{"form", "none"}}), "");
  EXPECT_EQ(key_of_form(json{{"form", "cut"}}), "cut");
  EXPECT_EQ(key_of_form(json{{"form", "group"}}), "cut");
  EXPECT_EQ(key_of_form(json{{"form", "item"}}), "item");
}

TEST(PreemptRows, ASummaryHasTheGeometricMeanAndTheWorst) {
  const ordered_json summary = summary_of(ordered_json::parse(
      R"([{"name":"a","ratio":0.5,"launch_ms":1},{"name":"b","ratio":4.0,"launch_ms":2},{"name":"c","ratio":0.5,"launch_ms":3}])"));
  EXPECT_DOUBLE_EQ(summary["geomean"].get<double>(), 1.0);
  EXPECT_EQ(summary["worst"], (ordered_json{"b", 4.0}));
  EXPECT_EQ(summary["workloads"].size(), 3u);
  EXPECT_EQ(summary_of(ordered_json::array()).dump(), R"({"geomean":null,"worst":null,"workloads":[]})");
}

}  // namespace
}  // namespace bench
