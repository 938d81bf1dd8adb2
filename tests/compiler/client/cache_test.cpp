// SPDX-License-Identifier: Apache-2.0
#include "compiler/client/cache.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <utime.h>

#include <filesystem>
#include <functional>

#include "fake_helper.h"

namespace skmd::compiler::test {
namespace {

CompileRequest request_for(const std::string& source) {
  CompileRequest request;
  request.source = source;
  return request;
}

std::string only_entry(const FakeHelper& helper) {
  std::string found;
  for (const auto& entry : std::filesystem::directory_iterator(helper.folder().file("cache"))) {
    EXPECT_TRUE(found.empty()) << "more than one file in the cache";
    found = entry.path().string();
  }
  return found;
}

class CompileCache : public testing::Test {
 protected:
  CompileCache() : helper_(FakeHelper::answering()), client_(helper_.options()) {
    helper_.set_reply(reply_named("first"));
  }

  void compile(const CompileRequest& request) { EXPECT_EQ(client_.compile(request).outcome, Outcome::analysed); }

  FakeHelper helper_;
  Client client_;
};

TEST_F(CompileCache, HitStartsNoProcess) {
  EXPECT_EQ(client_.compile(request_for("a")).text, "first");
  EXPECT_EQ(client_.compile(request_for("a")).text, "first");
  EXPECT_EQ(helper_.starts(), 1u);
}

/// The answer to a build that was told for which target its code will be wanted, as the helper gives it.
Reply with_code() {
  Reply reply = reply_named("text");
  reply.answer.vendor_options = "-cl-mad-enable";
  reply.answer.kernel_code = "code";
  reply.answer.kernel_notes = {{"k", "", {"1:1: a remark"}}};
  return reply;
}

CompileRequest build_for(const std::string& isa) {
  CompileRequest request = request_for("a");
  request.target.isa = isa;
  return request;
}

void expect_code(const CompileAnswer& code) {
  EXPECT_EQ(code.outcome, Outcome::analysed);
  EXPECT_EQ(code.kernel_code, "code");
  ASSERT_EQ(code.kernel_notes.size(), 1u);
  EXPECT_EQ(code.kernel_notes[0].remarks.size(), 1u);
}

TEST_F(CompileCache, BuildBringsItsCodeAlong) {
  helper_.set_reply(with_code());
  const CompileAnswer built = client_.compile(build_for("x86-64-v3"));
  EXPECT_EQ(built.text, "text");
  EXPECT_EQ(built.kernel_code, "") << "it has an entry of its own";
  EXPECT_TRUE(built.kernel_notes.empty());
  const CompileRequest wanted = code_request("text", "-cl-mad-enable", {}, {"x86-64-v3"});
  expect_code(client_.compile(wanted));
  expect_code(client_.compile(wanted));
  expect_code(Client(helper_.options()).compile(wanted));
  EXPECT_EQ(client_.compile(build_for("x86-64-v3")).kernel_code, "");
  EXPECT_EQ(client_.compile(request_for("a")).text, "text") << "a build's own entry is that of every target";
  EXPECT_EQ(helper_.starts(), 1u);
  (void)client_.compile(code_request("text", "-cl-mad-enable", {}, {"x86-64-v4"}));
  EXPECT_EQ(helper_.starts(), 2u);
  (void)client_.compile(code_request("text", "", {}, {"x86-64-v3"}));
  EXPECT_EQ(helper_.starts(), 3u);
}

TEST_F(CompileCache, CodeComesAlongWithoutACacheToo) {
  helper_.set_reply(with_code());
  ClientOptions options = helper_.options();
  options.cache = "";
  const Client client(options);
  (void)client.compile(build_for("x86-64-v3"));
  expect_code(client.compile(code_request("text", "-cl-mad-enable", {}, {"x86-64-v3"})));
  EXPECT_EQ(helper_.starts(), 1u);
}

TEST_F(CompileCache, BuildWithoutCodeLeavesTheQuestionOpen) {
  compile(build_for("x86-64-v3"));
  helper_.set_reply(with_code());
  expect_code(client_.compile(code_request("first", "", {}, {"x86-64-v3"})));
  EXPECT_EQ(helper_.starts(), 2u);
}

TEST_F(CompileCache, OfAnotherClientHitsToo) {
  compile(request_for("a"));
  const Client other(helper_.options());
  EXPECT_EQ(other.compile(request_for("a")).text, "first");
  EXPECT_EQ(helper_.starts(), 1u);
}

TEST_F(CompileCache, FolderAndEntriesAreForTheOwnerOnly) {
  compile(request_for("a"));
  struct stat info {};
  ASSERT_EQ(::stat(helper_.folder().file("cache").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0700u);
  ASSERT_EQ(::stat(only_entry(helper_).c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0600u);
}

TEST_F(CompileCache, FolderThatOthersMayWriteIsNotUsed) {
  std::filesystem::create_directory(helper_.folder().file("cache"));
  ASSERT_EQ(::chmod(helper_.folder().file("cache").c_str(), 0777), 0);
  compile(request_for("a"));
  compile(request_for("a"));
  EXPECT_EQ(helper_.starts(), 2u);
  EXPECT_TRUE(std::filesystem::is_empty(helper_.folder().file("cache")));
}

TEST_F(CompileCache, EntryThatOthersMayWriteIsNotBelieved) {
  compile(request_for("a"));
  ASSERT_EQ(::chmod(only_entry(helper_).c_str(), 0666), 0);
  compile(request_for("a"));
  EXPECT_EQ(helper_.starts(), 2u);
}

TEST_F(CompileCache, DamagedEntryIsCompiledAgainAndReplaced) {
  compile(request_for("a"));
  const std::string path = only_entry(helper_);
  const std::string good = read_file(path);
  std::size_t starts = 1;
  for (std::size_t at = 0; at < good.size(); at += 1 + good.size() / 16) {
    std::string damaged = good;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x40);
    write_file(path, damaged);
    EXPECT_EQ(client_.compile(request_for("a")).text, "first");
    EXPECT_EQ(helper_.starts(), ++starts) << "byte " << at;
    EXPECT_EQ(read_file(path), good);
  }
}

TEST_F(CompileCache, CutOffOrEmptyEntryIsCompiledAgain) {
  compile(request_for("a"));
  const std::string path = only_entry(helper_);
  const std::string good = read_file(path);
  write_file(path, good.substr(0, good.size() / 2));
  compile(request_for("a"));
  EXPECT_EQ(helper_.starts(), 2u);
  write_file(path, "");
  compile(request_for("a"));
  EXPECT_EQ(helper_.starts(), 3u);
  EXPECT_EQ(read_file(path), good);
}

TEST_F(CompileCache, EntryOfAnotherRequestIsNotBelieved) {
  compile(request_for("a"));
  const std::string a = only_entry(helper_);
  const std::string kept = read_file(a);
  std::filesystem::remove(a);
  helper_.set_reply(reply_named("second"));
  compile(request_for("b"));
  write_file(only_entry(helper_), kept);
  EXPECT_EQ(client_.compile(request_for("b")).text, "second");
  EXPECT_EQ(helper_.starts(), 3u);
}

TEST_F(CompileCache, KeyCoversEverythingThatDecidesTheAnswer) {
  const std::function<void(CompileRequest&)> changes[] = {
      [](CompileRequest&) {},
      [](CompileRequest& r) { r.source += " "; },
      [](CompileRequest& r) { r.options = "-DX"; },
      [](CompileRequest& r) {
        r.headers = {{"a", "b"}};
      },
      [](CompileRequest& r) { r.language.extensions = {"cl_khr_fp64"}; },
      [](CompileRequest& r) { r.language.features = {"cl_khr_fp64"}; },
      [](CompileRequest& r) { r.language.fp64 = true; },
      [](CompileRequest& r) { r.language.images = true; },
      [](CompileRequest& r) { r.stage = Stage::compile; },
      [](CompileRequest& r) { r.stage = Stage::code; },
      [](CompileRequest& r) {
        r.stage = Stage::code;
        r.target.isa = "x86-64-v3";
      },
      [](CompileRequest& r) {
        r.stage = Stage::code;
        r.target.width = 8;
      },
  };
  std::size_t starts = 0;
  for (const auto& change : changes) {
    CompileRequest request = request_for("a");
    change(request);
    compile(request);
    EXPECT_EQ(helper_.starts(), ++starts);
  }
}

TEST_F(CompileCache, WorkingDirectoryCountsOnlyForProgramsThatMayInclude) {
  CompileRequest plain = request_for("kernel void k() {}");
  compile(plain);
  plain.working_directory = "/tmp";
  compile(plain);
  EXPECT_EQ(helper_.starts(), 1u);
  CompileRequest including = request_for("#include \"a.h\"");
  compile(including);
  including.working_directory = "/tmp";
  compile(including);
  EXPECT_EQ(helper_.starts(), 3u);
}

TEST_F(CompileCache, NewHelperCompilesAgain) {
  compile(request_for("a"));
  const utimbuf earlier{1000, 1000};
  ASSERT_EQ(::utime(helper_.folder().file("helper").c_str(), &earlier), 0);
  compile(request_for("a"));
  EXPECT_EQ(helper_.starts(), 2u);
}

TEST_F(CompileCache, RefusedProgramIsCompiledAgain) {
  Reply reply = reply_named("wrong");
  reply.answer.outcome = Outcome::failed;
  helper_.set_reply(reply);
  EXPECT_EQ(client_.compile(request_for("a")).outcome, Outcome::failed);
  EXPECT_EQ(client_.compile(request_for("a")).outcome, Outcome::failed);
  EXPECT_EQ(helper_.starts(), 2u);
}

TEST_F(CompileCache, ChangedIncludedFileCompilesAgain) {
  const std::string header = helper_.folder().file("header.h");
  write_file(header, "int a;");
  Reply reply = reply_named("first");
  reply.files.push_back(*depend_on(header));
  helper_.set_reply(reply);
  compile(request_for("a"));
  compile(request_for("a"));
  EXPECT_EQ(helper_.starts(), 1u);

  write_file(header, "int b;");
  const utimbuf later{2000, 2000};
  ASSERT_EQ(::utime(header.c_str(), &later), 0);
  compile(request_for("a"));
  EXPECT_EQ(helper_.starts(), 2u) << "same size, other content";

  std::filesystem::remove(header);
  compile(request_for("a"));
  EXPECT_EQ(helper_.starts(), 3u) << "gone";
}

TEST_F(CompileCache, IncludedFileThatWasOnlyTouchedIsStillGood) {
  const std::string header = helper_.folder().file("header.h");
  write_file(header, "int a;");
  Reply reply = reply_named("first");
  reply.files.push_back(*depend_on(header));
  helper_.set_reply(reply);
  compile(request_for("a"));
  const utimbuf later{2000, 2000};
  ASSERT_EQ(::utime(header.c_str(), &later), 0);
  compile(request_for("a"));
  EXPECT_EQ(helper_.starts(), 1u);
}

TEST_F(CompileCache, RelativeIncludedFileIsLookedUpFromTheWorkingDirectory) {
  write_file(helper_.folder().file("header.h"), "int a;");
  Reply reply = reply_named("first");
  reply.files.push_back(*depend_on(helper_.folder().file("header.h")));
  reply.files[0].path = "header.h";
  helper_.set_reply(reply);
  CompileRequest request = request_for("#include");
  request.working_directory = helper_.folder().path();
  compile(request);
  compile(request);
  EXPECT_EQ(helper_.starts(), 1u);
}

TEST(CompileWithoutCache, AsksEveryTime) {
  FakeHelper helper(FakeHelper::answering());
  helper.set_reply(reply_named("first"));
  ClientOptions options = helper.options();
  options.cache.clear();
  const Client client(options);
  EXPECT_EQ(client.compile(request_for("a")).text, "first");
  EXPECT_EQ(client.compile(request_for("a")).text, "first");
  EXPECT_EQ(helper.starts(), 2u);
}

}  // namespace
}  // namespace skmd::compiler::test
