// SPDX-License-Identifier: Apache-2.0
// However skmd-compile ends early, the client still gets a whole answer.
#include "compiler/tool/crash_report.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>
#include <thread>

#include "compiler/client/codec.h"

namespace skmd::compiler {
namespace {

/// What a process writes that prepares for the worst and then does `end`.
std::string words_of(const std::function<void()>& end) {
  int ends[2];
  if (::pipe(ends) != 0) return "no pipe";
  const pid_t child = ::fork();
  if (child == 0) {
    const rlimit no_core{0, 0};
    ::setrlimit(RLIMIT_CORE, &no_core);
    prepare_crash_report(ends[1], {7, std::size_t{5} << 20});
    watch_this_stack();
    end();
    ::_exit(42);
  }
  ::close(ends[1]);
  std::string bytes;
  char chunk[4096];
  for (ssize_t got = 0; (got = ::read(ends[0], chunk, sizeof chunk)) > 0;) {
    bytes.append(chunk, static_cast<std::size_t>(got));
  }
  ::close(ends[0]);
  int status = 0;
  ::waitpid(child, &status, 0);
  return bytes;
}

std::string log_of(const std::string& framed) {
  const auto bytes = unframe(framed);
  if (!bytes) return "no frame";
  const auto reply = decode_reply(*bytes);
  if (!reply) return "no reply";
  return reply->answer.outcome == Outcome::failed ? reply->answer.log : "not failed";
}

void allocate_for_ever() {
  const rlimit small{std::size_t{1} << 30, std::size_t{1} << 30};
  ::setrlimit(RLIMIT_AS, &small);
  for (;;) *static_cast<volatile char*>(::operator new(1u << 20)) = 1;
}

unsigned recurse(unsigned depth) {
  volatile char room[256] = {static_cast<char>(depth)};
  return depth == 0 ? static_cast<unsigned>(room[0]) : recurse(depth + 1) + static_cast<unsigned>(room[1]);
}

TEST(CrashReport, NameTheLimitThatWasReached) {
  EXPECT_NE(log_of(words_of([] { ::raise(SIGXCPU); })).find("7 s of processor time"), std::string::npos);
  EXPECT_NE(log_of(words_of(allocate_for_ever)).find("5 MiB of memory"), std::string::npos);
}

TEST(CrashReport, TellOfAStackThatEnded) {
  const std::string framed = words_of([] {
    // Not the first thread, whose stack may grow.
    std::thread([] {
      watch_this_stack();
      ::_exit(static_cast<int>(recurse(1)));
    }).join();
  });
  EXPECT_NE(log_of(framed).find("nested too deeply"), std::string::npos);
}

TEST(CrashReport, OfACrashAreNone) {
  EXPECT_EQ(words_of([] { ::raise(SIGABRT); }), "");
  EXPECT_EQ(words_of([] { ::raise(SIGSEGV); }), "");
}

TEST(CrashReport, AreTheConservativeAnswerOnceThereIsOne) {
  for (const int signal : {SIGXCPU, SIGABRT, SIGSEGV, SIGBUS, SIGILL, SIGFPE}) {
    EXPECT_EQ(words_of([&] {
                use_crash_report("conservative");
                ::raise(signal);
              }),
              "conservative");
  }
  EXPECT_EQ(words_of([] {
              use_crash_report("conservative");
              allocate_for_ever();
            }),
            "conservative");
}

TEST(CrashReport, AreNotSaidByAForkedProcess) {
  EXPECT_EQ(words_of([] {
              use_crash_report("conservative");
              const pid_t part = ::fork();
              if (part == 0) ::raise(SIGSEGV);
              ::waitpid(part, nullptr, 0);
              ::raise(SIGXCPU);
            }),
            "conservative");
}

TEST(CrashReport, AreNotSaidAfterTheAnswerBegan) {
  EXPECT_EQ(words_of([] {
              use_crash_report("conservative");
              if (claim_output()) ::raise(SIGXCPU);
              ::raise(SIGSEGV);
            }),
            "");
}

}  // namespace
}  // namespace skmd::compiler
