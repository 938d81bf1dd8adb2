// SPDX-License-Identifier: Apache-2.0
// The helper is started inside the application's process: with any signals and descriptors there, and however the
// helper ends, an answer comes and the application is not disturbed.
#include <dirent.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <thread>
#include <vector>

#include "fake_helper.h"

namespace skmd::compiler::test {
namespace {

CompileAnswer answer_of(const FakeHelper& helper, unsigned timeout_seconds = 60) {
  ClientOptions options = helper.options();
  options.limits.seconds = timeout_seconds;
  CompileRequest request;
  request.source = "kernel void k() {}";
  return Client(options).compile(request);
}

std::size_t open_descriptors() {
  std::size_t count = 0;
  DIR* folder = ::opendir("/proc/self/fd");
  while (::readdir(folder) != nullptr) ++count;
  ::closedir(folder);
  return count;
}

TEST(Helper, ThatCrashesGivesAnOpaqueAnswerWithTheReason) {
  const FakeHelper helper("kill -SEGV $$");
  const CompileAnswer answer = answer_of(helper);
  EXPECT_EQ(answer.outcome, Outcome::opaque);
  EXPECT_NE(answer.reason.find("ended without an answer"), std::string::npos) << answer.reason;
}

TEST(Helper, ThatCrashesInTheMiddleOfItsAnswerGivesAnOpaqueAnswer) {
  FakeHelper helper("/usr/bin/head -c 40 $HERE/reply\nkill -KILL $$");
  helper.set_reply(reply_named(std::string(1000, 'x')));
  const CompileAnswer answer = answer_of(helper);
  EXPECT_EQ(answer.outcome, Outcome::opaque);
  EXPECT_NE(answer.reason.find("ended without an answer"), std::string::npos) << answer.reason;
}

TEST(Helper, ThatAnswersGarbageGivesAnOpaqueAnswer) {
  const FakeHelper helper("echo 'Segmentation fault, core not dumped, please call again'");
  const CompileAnswer answer = answer_of(helper);
  EXPECT_EQ(answer.outcome, Outcome::opaque);
  EXPECT_NE(answer.reason.find("garbage"), std::string::npos) << answer.reason;
}

TEST(Helper, ThatHangsIsKilledAndGivesAFailedBuild) {
  const FakeHelper helper("echo $$ > $HERE/pid\nexec /bin/sleep 1000");
  const CompileAnswer answer = answer_of(helper, 1);
  EXPECT_EQ(answer.outcome, Outcome::failed);
  EXPECT_NE(answer.log.find("within 1 s"), std::string::npos) << answer.log;
  const int pid = std::atoi(read_file(helper.folder().file("pid")).c_str());
  ASSERT_GT(pid, 1);
  // Its new parent buries it; until then it is a zombie, which cannot be told from a process by kill().
  std::string state = "R";
  for (int i = 0; i < 6000 && !state.empty() && state[0] != 'Z'; ++i) {
    const std::string status = read_file("/proc/" + std::to_string(pid) + "/stat");
    state = status.empty() ? "" : status.substr(status.rfind(')') + 2, 1);
    ::usleep(10000);
  }
  EXPECT_TRUE(state.empty() || state == "Z") << state;
}

TEST(Helper, ThatIsMissingGivesAnOpaqueAnswer) {
  ClientOptions options;
  options.helper = "/nonexistent/skmd-compile";
  const CompileAnswer answer = Client(options).compile({});
  EXPECT_EQ(answer.outcome, Outcome::opaque);
  EXPECT_NE(answer.reason.find("/nonexistent/skmd-compile"), std::string::npos) << answer.reason;
}

TEST(Helper, ThatCannotBeExecutedGivesAnOpaqueAnswer) {
  const FakeHelper helper("");
  ASSERT_EQ(::chmod(helper.folder().file("helper").c_str(), 0600), 0);
  const CompileAnswer answer = answer_of(helper);
  EXPECT_EQ(answer.outcome, Outcome::opaque);
  EXPECT_NE(answer.reason.find("cannot start"), std::string::npos) << answer.reason;
}

TEST(Helper, ThatReadsNothingOfALargeRequestDoesNoHarm) {
  FakeHelper helper("/bin/cat $HERE/reply");
  helper.set_reply(reply_named("done"));
  CompileRequest request;
  request.source.assign(std::size_t{20} << 20, 'x');
  EXPECT_EQ(Client(helper.options()).compile(request).text, "done");
}

TEST(Helper, WithALargeAnswerIsReadToTheEnd) {
  FakeHelper helper(FakeHelper::answering());
  helper.set_reply(reply_named(std::string(std::size_t{5} << 20, 'y')));
  EXPECT_EQ(answer_of(helper).text.size(), std::size_t{5} << 20);
}

TEST(Helper, GetsACleanEnvironmentNoDescriptorsAndDefaultSignals) {
  FakeHelper helper(
      "/usr/bin/env > $HERE/environment\n/bin/ls /proc/self/fd > $HERE/descriptors\n"
      "/bin/grep Sig /proc/self/status > $HERE/signals\n/bin/cat $HERE/reply");
  helper.set_reply(reply_named("done"));
  ::setenv("LD_PRELOAD_IMITATION", "secret", 1);
  const int leaked = ::open("/dev/null", O_RDONLY);  // not close-on-exec
  sigset_t blocked;
  sigset_t before;
  ::sigemptyset(&blocked);
  ::sigaddset(&blocked, SIGTERM);
  ::pthread_sigmask(SIG_BLOCK, &blocked, &before);
  const auto handler_before = ::signal(SIGPIPE, SIG_IGN);
  EXPECT_EQ(answer_of(helper).text, "done");
  sigset_t after;
  ::pthread_sigmask(SIG_SETMASK, &before, &after);
  ::signal(SIGPIPE, handler_before);
  ::close(leaked);

  EXPECT_EQ(::sigismember(&after, SIGTERM), 1) << "our own mask must survive";
  EXPECT_EQ(::sigismember(&after, SIGUSR1), 0);
  EXPECT_EQ(read_file(helper.folder().file("environment")).find("LD_PRELOAD"), std::string::npos);
  // 0 to 2, and the folder that ls itself reads.
  EXPECT_EQ(read_file(helper.folder().file("descriptors")), "0\n1\n2\n3\n");
  const std::string signals = read_file(helper.folder().file("signals"));
  EXPECT_NE(signals.find("SigBlk:\t0000000000000000"), std::string::npos) << signals;
  EXPECT_NE(signals.find("SigIgn:\t0000000000000000"), std::string::npos) << signals;
}

std::atomic<int> children_reported{0};

TEST(Application, SeesNoSigchldAndNoChild) {
  FakeHelper helper(FakeHelper::answering());
  helper.set_reply(reply_named("done"));
  const auto handler_before = ::signal(SIGCHLD, [](int) { children_reported.fetch_add(1); });
  EXPECT_EQ(answer_of(helper).text, "done");
  EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1);
  EXPECT_EQ(errno, ECHILD);
  EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG | __WALL), -1) << "not even a silent child";
  ::signal(SIGCHLD, handler_before);
  EXPECT_EQ(children_reported.load(), 0);
}

TEST(Application, MayIgnoreSigchld) {
  FakeHelper helper(FakeHelper::answering());
  helper.set_reply(reply_named("done"));
  const auto handler_before = ::signal(SIGCHLD, SIG_IGN);
  EXPECT_EQ(answer_of(helper).text, "done");
  ::signal(SIGCHLD, handler_before);
}

TEST(Application, KeepsItsDescriptors) {
  FakeHelper helper(FakeHelper::answering());
  helper.set_reply(reply_named("done"));
  const FakeHelper crashing("kill -SEGV $$");
  answer_of(helper);
  const std::size_t before = open_descriptors();
  ClientOptions uncached = helper.options();
  uncached.cache.clear();
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ(Client(uncached).compile({}).text, "done");
    answer_of(crashing);
  }
  EXPECT_EQ(open_descriptors(), before);
}

int status_with_closed_standard_descriptors(const FakeHelper& helper) {
  for (int handle = 0; handle < 3; ++handle) ::close(handle);
  return answer_of(helper).text == "done" ? 42 : 1;
}

int status_without_free_descriptors(const FakeHelper& helper) {
  for (int handle = 3; handle < 1024; ++handle) ::close(handle);
  const rlimit none{3, 3};
  ::setrlimit(RLIMIT_NOFILE, &none);
  return answer_of(helper).outcome == Outcome::opaque ? 42 : 1;
}

TEST(ApplicationDeathTest, MayHaveClosedItsStandardDescriptors) {
  FakeHelper helper(FakeHelper::answering());
  helper.set_reply(reply_named("done"));
  EXPECT_EXIT(::_exit(status_with_closed_standard_descriptors(helper)), testing::ExitedWithCode(42), "");
}

TEST(ApplicationDeathTest, WithoutFreeDescriptorsGetsAnOpaqueAnswer) {
  const FakeHelper helper(FakeHelper::answering());
  EXPECT_EXIT(::_exit(status_without_free_descriptors(helper)), testing::ExitedWithCode(42), "");
}

TEST(Client, CompilesInParallel) {
  FakeHelper helper(FakeHelper::answering());
  helper.set_reply(reply_named("done"));
  const Client client(helper.options());
  std::atomic<int> good{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 5; ++i) {
        CompileRequest request;
        request.source = std::to_string(t * 3 + i);  // some requests meet
        if (client.compile(request).text == "done") good.fetch_add(1);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(good.load(), 40);
}

}  // namespace
}  // namespace skmd::compiler::test
