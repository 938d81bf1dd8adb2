// SPDX-License-Identifier: Apache-2.0
#include "intercept/control/request.h"

#include <gtest/gtest.h>

namespace skmd::icd::control {
namespace {

TEST(ControlRequest, EachCommandHasItsNames) {
  EXPECT_EQ(parse_request("status")->order, Order::status);
  EXPECT_EQ(parse_request("suspend")->order, Order::suspend);
  EXPECT_EQ(parse_request("resume")->order, Order::resume);
  const auto stop = parse_request("stop\tNVIDIA H100");
  ASSERT_TRUE(stop.ok());
  EXPECT_EQ(stop->order, Order::stop);
  EXPECT_EQ(stop->device, "NVIDIA H100");
  EXPECT_EQ(parse_request("start\t1")->device, "1");
  const auto move = parse_request("move\tnbody\tcpu");
  ASSERT_TRUE(move.ok());
  EXPECT_EQ(move->order, Order::move);
  EXPECT_EQ(move->kernel, "nbody");
  EXPECT_EQ(move->device, "cpu");
  const auto checkpoint = parse_request("checkpoint\t/a file");
  ASSERT_TRUE(checkpoint.ok());
  EXPECT_EQ(checkpoint->order, Order::checkpoint);
  EXPECT_EQ(checkpoint->file, "/a file");
}

TEST(ControlRequest, WhatIsWrongIsNamed) {
  EXPECT_EQ(parse_request("halt").error().reason, "\"halt\" is no command");
  EXPECT_EQ(parse_request("").error().reason, "\"\" is no command");
  EXPECT_EQ(parse_request("stop").error().reason, "stop takes 1 names, and 0 were given");
  EXPECT_EQ(parse_request("status\tx").error().reason, "status takes 0 names, and 1 were given");
  EXPECT_FALSE(parse_request("move\tnbody").ok());
  EXPECT_FALSE(parse_request("move\ta\tb\tc").ok());
}

}  // namespace
}  // namespace skmd::icd::control
