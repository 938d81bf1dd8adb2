// SPDX-License-Identifier: Apache-2.0
#include "bench/support/runner.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

namespace bench {
namespace {

/// Wrong in its `wrong`-th run, counted from 1.
class Faulty : public Workload {
 public:
  explicit Faulty(int wrong) : wrong_(wrong) {}
  void prepare() override {}
  void run() override { ++runs_; }
  Verdict check() override { return {"all", runs_ != wrong_, "output 3"}; }

 private:
  int wrong_;
  int runs_ = 0;
};

struct Answer {
  int status;
  std::string out;
  std::string err;
};

Answer run(std::vector<std::string> arguments, const Factory& factory) {
  arguments.insert(arguments.begin(), "faulty");
  std::vector<char*> argv;
  for (std::string& argument : arguments) argv.push_back(argument.data());
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  const int status = run_workload(static_cast<int>(argv.size()), argv.data(), "faulty", "For tests", factory);
  return {status, testing::internal::GetCapturedStdout(), testing::internal::GetCapturedStderr()};
}

Factory wrong_in_run(int wrong) {
  return [wrong](const Device&, Size) { return std::make_unique<Faulty>(wrong); };
}

TEST(RunWorkload, WrongResultIsExitStatusOne) {
  const Answer answer = run({"--check"}, wrong_in_run(1));
  EXPECT_EQ(answer.status, 1);
  EXPECT_FALSE(nlohmann::json::parse(answer.out)["ok"]);
  EXPECT_NE(answer.err.find("output 3"), std::string::npos);
}

TEST(RunWorkload, OneWrongRepetitionIsEnough) {
  for (const int wrong : {1, 2, 3}) {
    const Answer answer = run({"--check", "--repeat", "3"}, wrong_in_run(wrong));
    EXPECT_EQ(answer.status, 1) << wrong;
    EXPECT_EQ(nlohmann::json::parse(answer.out)["seconds"].size(), 3u);
  }
}

TEST(RunWorkload, RightResultIsExitStatusZero) {
  const Answer answer = run({"--check", "--repeat", "3"}, wrong_in_run(0));
  EXPECT_EQ(answer.status, 0);
  EXPECT_TRUE(nlohmann::json::parse(answer.out)["ok"]);
  EXPECT_EQ(answer.err, "");
}

TEST(RunWorkload, PassesTheSizeOn) {
  std::vector<Size> sizes;
  const Factory factory = [&](const Device&, Size size) {
    sizes.push_back(size);
    return std::make_unique<Faulty>(0);
  };
  for (const char* name : {"small", "profile1", "profile2", "paper"}) run({"--size", name}, factory);
  EXPECT_EQ(sizes, (std::vector{Size::small, Size::profile1, Size::profile2, Size::paper}));
}

TEST(RunWorkload, FailedBuildShowsTheLog) {
  const Factory factory = [](const Device& device, Size) {
    device.build("__kernel void broken(__global int* p) { *p = nothing_of_that_name; }");
    return std::make_unique<Faulty>(0);
  };
  const Answer answer = run({}, factory);
  EXPECT_EQ(answer.status, 1);
  EXPECT_EQ(answer.out, "");
  EXPECT_NE(answer.err.find("nothing_of_that_name"), std::string::npos) << answer.err;
}

TEST(RunWorkload, FailedCallNamesCallAndCode) {
  const Factory factory = [](const Device& device, Size) {
    device.buffer(CL_MEM_READ_WRITE, 0);
    return std::make_unique<Faulty>(0);
  };
  const Answer answer = run({}, factory);
  EXPECT_EQ(answer.status, 1);
  EXPECT_NE(answer.err.find("clCreateBuffer failed with -61"), std::string::npos) << answer.err;
}

/// What `serve` answers, line by line.
std::vector<nlohmann::json> served(const std::string& requests, int wrong, bool accounts = true) {
  Faulty workload(wrong);
  Spent spent;
  spent.build = 0.5;
  std::istringstream in(requests);
  std::ostringstream out;
  serve(workload, accounts ? &spent : nullptr, in, out);
  std::vector<nlohmann::json> answers;
  std::istringstream lines(out.str());
  for (std::string line; std::getline(lines, line);) answers.push_back(nlohmann::json::parse(line));
  return answers;
}

TEST(Serve, AnswersEachRequest) {
  const auto answers = served("run\ncheck\nrun\ncheck\nbuild\n", 2);
  ASSERT_EQ(answers.size(), 5u);
  EXPECT_TRUE(answers[0].contains("seconds"));
  EXPECT_EQ(answers[0]["kernels"], 0);
  EXPECT_EQ(answers[1]["ok"], true);
  EXPECT_EQ(answers[3]["ok"], false);
  EXPECT_EQ(answers[3]["detail"], "output 3");
  EXPECT_EQ(answers[4]["build"], 0.5);
}

TEST(Serve, RefusesOtherRequests) { EXPECT_THROW(served("jump\n", 0), BadInput); }

TEST(Serve, TellsTheSecondsAloneWhereNothingIsAccounted) {
  const auto answers = served("run\n", 0, false);
  ASSERT_EQ(answers.size(), 1u);
  EXPECT_TRUE(answers[0].contains("seconds"));
  EXPECT_FALSE(answers[0].contains("kernels"));
  EXPECT_THROW(served("build\n", 0, false), BadInput);
}

TEST(Account, CountsBuildingAndKernels) {
  Device device("");
  Spent spent;
  device.account(&spent);
  const Program program = device.build("__kernel void k() {}");
  EXPECT_GT(spent.build, 0);
  device.launch(Kernel(program, "k"), range_1d(1, 1));
  EXPECT_GT(spent.kernels, 0);
  device.account(nullptr);
  const double before = spent.kernels;
  device.launch(Kernel(program, "k"), range_1d(1, 1));
  EXPECT_EQ(spent.kernels, before);
}

}  // namespace
}  // namespace bench
