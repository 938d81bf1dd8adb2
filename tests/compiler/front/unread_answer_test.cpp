// SPDX-License-Identifier: Apache-2.0
// An answer that its client no longer reads is in the cache for the next process.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>

#include "compiler/client/keep.h"
#include "tests/temporary_folder.h"

namespace skmd::compiler {
namespace {

class UnreadAnswer : public testing::Test {
 protected:
  /// Runs skmd-compile with a standard output that nothing reads. Returns its exit status, -1 if a signal ended it.
  int leave_unread(const CompileRequest& request) {
    const std::string path = folder_.file("request");
    std::ofstream(path, std::ios::binary) << encode(request);
    int ends[2] = {-1, -1};
    if (::pipe(ends) != 0) return -1;
    ::close(ends[0]);  // before the child runs: its first write fails, however late this process goes on
    const pid_t child = ::fork();
    if (child == 0) {
      const int input = ::open(path.c_str(), O_RDONLY);
      ::dup2(input, STDIN_FILENO);
      ::dup2(ends[1], STDOUT_FILENO);
      ::close(ends[1]);
      ::execl(SKMD_COMPILE, "skmd-compile", nullptr);
      ::_exit(127);
    }
    ::close(ends[1]);
    int status = 0;
    if (::waitpid(child, &status, 0) != child || !WIFEXITED(status)) return -1;
    return WEXITSTATUS(status);
  }

  CompileRequest request_for(const std::string& source) const {
    CompileRequest request;
    request.source = source;
    request.target.isa = "x86-64-v2";
    request.unread = {folder_.file("cache"), SKMD_COMPILE};
    return request;
  }

  std::optional<Reply> kept(const CompileRequest& request) const {
    const domain::Result<std::string> key = key_of(request, SKMD_COMPILE);
    return key ? Cache(folder_.file("cache")).find(*key, {}) : std::nullopt;
  }

  const skmd::test::TemporaryFolder folder_;
};

constexpr char kSource[] = "kernel void k(global int* a) { a[get_global_id(0)] += 1; }";

TEST_F(UnreadAnswer, IsKeptAndSoIsItsCode) {
  const CompileRequest request = request_for(kSource);
  EXPECT_EQ(leave_unread(request), 1);
  const std::optional<Reply> build = kept(request);
  ASSERT_TRUE(build.has_value());
  ASSERT_EQ(build->answer.outcome, Outcome::analysed);
  EXPECT_EQ(build->answer.kernel_code, "");
  const std::optional<Reply> code =
      kept(code_request(build->answer.text, build->answer.vendor_options, request.language, request.target));
  ASSERT_TRUE(code.has_value());
  ASSERT_EQ(code->answer.kernel_notes.size(), 1u);
  EXPECT_EQ(code->answer.kernel_notes[0].name, "k");
}

TEST_F(UnreadAnswer, IsTheOneThatAClientWouldHaveKept) {
  const CompileRequest request = request_for(kSource);
  leave_unread(request);
  const std::optional<Reply> unread = kept(request);
  const skmd::test::TemporaryFolder other;
  const CompileAnswer read = Client({SKMD_COMPILE, other.path(), {}}).compile(request);
  ASSERT_TRUE(unread.has_value());
  EXPECT_EQ(encode(unread->answer), encode(read));
}

TEST_F(UnreadAnswer, OfAWrongProgramIsNotKept) {
  const CompileRequest request = request_for("kernel void k( {");
  EXPECT_EQ(leave_unread(request), 1);
  EXPECT_FALSE(kept(request).has_value());
}

TEST_F(UnreadAnswer, IsDroppedWhereThereIsNoCache) {
  CompileRequest request = request_for(kSource);
  request.unread.cache.clear();
  EXPECT_EQ(leave_unread(request), 1);
  EXPECT_FALSE(kept(request).has_value());
}

}  // namespace
}  // namespace skmd::compiler
