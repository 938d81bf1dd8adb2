// SPDX-License-Identifier: Apache-2.0
#include "cpu-driver/runtime/span_library.h"

#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <vector>

#include "tests/cpu-driver/runtime/kernel_code.h"
#include "tests/temporary_folder.h"

namespace skmd::cpu::test {
namespace {

namespace fs = std::filesystem;

const std::string& artifact() {
  static const std::string code =
      span_code_of("__kernel void fill(__global uint* out) { out[get_global_id(0) * 3 % 64] = 1; }");
  return code;
}

std::string with_header(const SpanHeader& header) {
  std::string bytes = artifact();
  std::memcpy(bytes.data(), &header, sizeof header);
  return bytes;
}

SpanHeader header() {
  SpanHeader header;
  std::memcpy(&header, artifact().data(), sizeof header);
  return header;
}

TEST(SpanLibrary, FindsTheFunctionsOfItsKernels) {
  const auto library = SpanLibrary::load(artifact(), "");
  ASSERT_TRUE(library.ok()) << library.error().reason;
  EXPECT_NE((*library)->merge_function("fill").run, nullptr);
  ASSERT_NE((*library)->merge_function("fill").units, nullptr);
  EXPECT_EQ((*library)->merge_function("fill").units[0], 4);
  EXPECT_EQ((*library)->merge_function("other").run, nullptr);
  EXPECT_EQ((*library)->merge_function("other").units, nullptr);
}

TEST(SpanLibrary, TwoArtifactsDoNotMix) {
  const std::string other =
      span_code_of("__kernel void fill(__global uint* out) { out[(get_global_id(0) + 5) % 64] = 1; }");
  std::vector<std::unique_ptr<SpanLibrary>> loaded;
  std::vector<SpanFunction> functions;
  for (const std::string& code : {artifact(), other, artifact(), other}) {
    auto library = SpanLibrary::load(code, "");
    ASSERT_TRUE(library.ok()) << library.error().reason;
    functions.push_back((*library)->merge_function("fill").run);
    loaded.push_back(std::move(*library));
  }
  // Item 1 stores at 3 in the one, at 6 in the other.
  for (std::size_t i = 0; i < functions.size(); ++i) {
    std::vector<std::uint32_t> out(64), result(64, 9);
    const SpanArgument arguments[] = {merged(out, result)};
    SpanFrame frame = line(2, 1);
    frame.arguments = arguments;
    functions[i](&frame, 1, 2);
    EXPECT_EQ(out[i % 2 == 0 ? 3 : 6], 9u);
    EXPECT_EQ(out[i % 2 == 0 ? 6 : 3], 0u);
  }
}

TEST(SpanLibrary, NoCodeIsMadeForStoresThatFootprintsTellApart) {
  EXPECT_EQ(span_code_of("__kernel void k(__global uint* out) { out[get_global_id(0) * 2 + 1] = 1; }"), "");
  EXPECT_NE(span_code_of("__kernel void k(__global uint* out) { out[get_global_id(0) ^ 1] = 1; }"), "");
}

TEST(SpanLibrary, RefusesWhatIsNotItsOwn) {
  const auto refuses = [](const std::string& bytes, const std::string& why) {
    const auto library = SpanLibrary::load(bytes, "");
    ASSERT_FALSE(library.ok()) << why;
    EXPECT_NE(library.error().reason.find(why), std::string::npos) << library.error().reason;
  };
  ASSERT_GT(artifact().size(), sizeof(SpanHeader));
  refuses("", "too short");
  refuses(artifact().substr(0, 40), "too short");
  SpanHeader wrong = header();
  wrong.magic ^= 1;
  refuses(with_header(wrong), "magic");
  wrong = header();
  ++wrong.version;
  refuses(with_header(wrong),
          "version " + std::to_string(kSpanVersion + 1) + ", expected " + std::to_string(kSpanVersion));
  wrong = header();
  wrong.target = wrong.target == SpanTarget::aarch64 ? SpanTarget::x86_64_v2 : SpanTarget::aarch64;
  refuses(with_header(wrong), "another machine");
  refuses(artifact().substr(0, artifact().size() - 1), "truncated");
  std::string no_elf = artifact();
  no_elf[sizeof(SpanHeader)] = 'X';
  refuses(no_elf, "shared object");
}

/// From here on this process gets no files in memory, as in some containers.
bool forbid_files_in_memory() {
  sock_filter rules[] = {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
                         BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_memfd_create, 0, 1),
                         BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
                         BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
  const sock_fprog program{static_cast<unsigned short>(std::size(rules)), rules};
  return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

int load_without_files_in_memory(const std::string& folder) {
  if (!forbid_files_in_memory()) return 1;
  if (SpanLibrary::load(artifact(), "").ok()) return 2;
  const auto library = SpanLibrary::load(artifact(), folder);
  if (!library.ok()) return 3;
  std::vector<std::uint32_t> out(64), result(64, 9);
  const SpanArgument arguments[] = {merged(out, result)};
  SpanFrame frame = line(2, 1);
  frame.arguments = arguments;
  (*library)->merge_function("fill").run(&frame, 1, 2);
  return out[3] == 9u && fs::is_empty(folder) ? 42 : 4;
}

TEST(SpanLibraryDeathTest, WithoutFilesInMemoryTakesOneInItsFolder) {
  const skmd::test::TemporaryFolder folder;
  ASSERT_FALSE(artifact().empty());
  EXPECT_EXIT(::_exit(load_without_files_in_memory(folder.path())), testing::ExitedWithCode(42), "");
}

TEST(SpanLibrary, LeavesNothingBehindInItsFolder) {
  const skmd::test::TemporaryFolder folder;
  EXPECT_TRUE(SpanLibrary::load(artifact(), folder.path()).ok());
  EXPECT_TRUE(fs::is_empty(folder.path()));
}

}  // namespace
}  // namespace skmd::cpu::test
