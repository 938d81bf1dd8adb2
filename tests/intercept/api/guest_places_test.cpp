// SPDX-License-Identifier: Apache-2.0
// The driver in unusual applications: relative folders, other locales, no further process allowed, captured standard
// streams, binaries of an earlier process.
#include <gtest/gtest.h>
#include <locale.h>
#include <sys/resource.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

#include "tests/intercept/api/guest.h"

namespace skmd::test {
namespace {

namespace fs = std::filesystem;

std::string content_of(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

void write(const fs::path& file, const std::string& content) {
  fs::create_directories(file.parent_path());
  std::ofstream(file, std::ios::binary) << content;
}

TEST(Guest, ReadsRelativeFoldersFromWhereTheApplicationIsNow) {
  EXPECT_EQ(in_process([] {
              const fs::path house = fresh_cache();
              setenv("SKMD_CACHE_DIR", fresh_cache().c_str(), 1);
              write(house / "one/include/value.h", "#define VALUE 1\n");
              write(house / "two/include/value.h", "#define VALUE 2\n");
              const char* const text =
                  "#include \"value.h\"\nkernel void k(global int* out) { out[get_global_id(0)] = VALUE; }";
              Guest guest;
              if (!guest.open()) return 1;
              for (const auto& [folder, value] : {std::pair{"one", 1}, {"two", 2}, {"one", 1}}) {
                if (chdir((house / folder).c_str()) != 0) return 2;
                if (!guest.build(text, "-I include") || !guest.launch()) return 3;
                if (guest.last_item() != value) return 4;
                if (opaque(guest)) return 5;
              }
              if (chdir(house.c_str()) != 0) return 6;
              return guest.build(text, "-I include") ? 7 : 0;
            }),
            0);
}

TEST(Guest, CountsWithPointsWhereOthersUseCommas) {
  EXPECT_EQ(in_process([] {
              const fs::path house = fresh_cache();
              const std::string made = "localedef -c -i de_DE -f UTF-8 " + (house / "de_DE.UTF-8").string() + " 2>&1";
              if (std::system((made + " >/dev/null").c_str()) == -1) return 1;
              setenv("LOCPATH", house.c_str(), 1);
              if (setlocale(LC_ALL, "de_DE.UTF-8") == nullptr || *localeconv()->decimal_point != ',') return 77;
              const fs::path stats = house / "stats.json";
              setenv("SKMD_CACHE_DIR", fresh_cache().c_str(), 1);
              setenv("SKMD_STATS", stats.c_str(), 1);
              Guest guest;
              const char* const text =
                  "kernel void k(global int* out) { out[get_global_id(0)] = (int)(FACTOR * 42.0f); }";
              if (!guest.open() || !guest.build(text, "-D FACTOR=1.5f") || !guest.launch()) return 2;
              if (guest.last_item() != 63 || opaque(guest)) return 3;
              for (const auto kept :
                   {clReleaseKernel(guest.kernel), clReleaseProgram(guest.program), clReleaseMemObject(guest.memory),
                    clReleaseCommandQueue(guest.queue), clReleaseContext(guest.context)})
                if (kept != CL_SUCCESS) return 4;
              for (int i = 0; i < 1000 && content_of(stats).find("\"launches\":1") == std::string::npos; ++i)
                usleep(10000);
              const std::string check = "python3 -c 'import json,sys; json.load(open(sys.argv[1]))' ";
              return std::system((check + stats.string()).c_str()) == 0 ? 0 : 5;
            }),
            0);
}

// What attached objects, or threads of ours that are not done with a launch, still hold may live until the process has
// ended.
TEST(Guest, StatisticsAreCompleteWhenTheContextIsReleasedWhateverHoldsIt) {
  EXPECT_EQ(in_process([] {
              const fs::path stats = fs::path(fresh_cache()) / "stats.json";
              setenv("SKMD_CACHE_DIR", fresh_cache().c_str(), 1);
              setenv("SKMD_STATS", stats.c_str(), 1);
              Guest guest;
              const char* const text = "kernel void k(global int* out) { out[get_global_id(0)] = 42; }";
              if (!guest.open() || !guest.build(text)) return 1;
              for (int i = 0; i < 20; ++i)
                if (!guest.launch() || clFinish(guest.queue) != CL_SUCCESS) return 2;
              if (clReleaseContext(guest.context) != CL_SUCCESS) return 3;
              return content_of(stats).find("\"launches\":20") == std::string::npos ? 4 : 0;
            }),
            0);
}

TEST(Guest, PrintsOnceWhateverTheMode) {
  for (const char* mode : {"equal", "fixed:30,70", "auto"})
    EXPECT_EQ(in_process([mode] {
                const fs::path printed = fs::path(fresh_cache()) / "printed";
                setenv("SKMD_PARTITION", mode, 1);
                if (freopen(printed.c_str(), "w", stdout) == nullptr) return 1;
                Guest guest;
                const char* const text =
                    "kernel void k(global int* out) { out[get_global_id(0)] = (int)get_group_id(0);"
                    " if (get_local_id(0) == 0) printf(\"group %d\\n\", (int)get_group_id(0)); }";
                if (!guest.open() || !guest.build(text) || !guest.launch() || !guest.finish_and_check()) return 2;
                fflush(stdout);
                std::ifstream lines(printed);
                std::vector<int> times(64, 0);
                std::string word;
                for (int group = 0; lines >> word >> group;)
                  if (group >= 0 && group < 64) ++times[static_cast<std::size_t>(group)];
                return times == std::vector<int>(64, 1) ? 0 : 3;
              }),
              0)
        << mode;
}

TEST(Guest, TakesTheBinaryOfAnEarlierLifeAndNoDamagedOne) {
  const fs::path file = fs::path(fresh_cache()) / "binary";
  ASSERT_EQ(in_process([&file] {
              Guest guest;
              if (!guest.open() || !guest.build(kText)) return 1;
              size_t bytes = 0;
              clGetProgramInfo(guest.program, CL_PROGRAM_BINARY_SIZES, sizeof bytes, &bytes, nullptr);
              std::string binary(bytes, '\0');
              char* pointer = binary.data();
              if (clGetProgramInfo(guest.program, CL_PROGRAM_BINARIES, sizeof pointer, &pointer, nullptr) != CL_SUCCESS)
                return 2;
              write(file, binary);
              return 0;
            }),
            0);
  EXPECT_EQ(in_process([&file] {
              setenv("SKMD_CACHE_DIR", fresh_cache().c_str(), 1);
              Guest guest;
              if (!guest.open()) return 1;
              const std::string binary = content_of(file);
              const auto load = [&guest](const std::string& content) {
                const auto* bytes = reinterpret_cast<const unsigned char*>(content.data());
                const size_t size = content.size();
                cl_int status = CL_SUCCESS, code = CL_SUCCESS;
                guest.program =
                    clCreateProgramWithBinary(guest.context, 1, &guest.device, &size, &bytes, &status, &code);
                return code;
              };
              for (std::size_t i = 0; i < binary.size(); i += binary.size() / 40 + 1) {
                std::string damaged = binary;
                damaged[i] = static_cast<char>(damaged[i] ^ 1 << i % 8);
                if (load(damaged) != CL_INVALID_BINARY || load(binary.substr(0, i + 1)) != CL_INVALID_BINARY) return 2;
              }
              if (load(binary) != CL_SUCCESS) return 3;
              if (clBuildProgram(guest.program, 0, nullptr, "", nullptr, nullptr) != CL_SUCCESS) return 4;
              guest.kernel = clCreateKernel(guest.program, "k", nullptr);
              return guest.launch() && guest.finish_and_check() && !opaque(guest) ? 0 : 5;
            }),
            0);
}

/// Over the stub driver, which starts no processes and knows this kernel by its name.
TEST(Guest, RunsWholeWhatItMayStartNoProcessFor) {
  EXPECT_EQ(in_process([] {
              const fs::path house = fresh_cache();
              const fs::path log = house / "log";
              setenv("SKMD_VENDORS", SKMD_TEST_STUB_VENDORS, 1);
              setenv("STUB_DEVICES", "2", 1);
              setenv("SKMD_DEVICES", "stub:0,stub:1", 1);
              setenv("SKMD_CACHE_DIR", (house / "cache").c_str(), 1);
              setenv("SKMD_LOG", ("info:" + log.string()).c_str(), 1);
              // The superuser has no such limit.
              constexpr uid_t kNobody = 65534;
              if (geteuid() == 0 && (chown(house.c_str(), kNobody, kNobody) != 0 || setuid(kNobody) != 0)) return 1;
              Guest guest;
              if (!guest.open()) return 2;
              const cl_int zero = 0;
              if (clEnqueueFillBuffer(guest.queue, guest.memory, &zero, sizeof zero, 0, 4096 * sizeof zero, 0, nullptr,
                                      nullptr) != CL_SUCCESS)
                return 3;
              const rlimit none{0, 0};
              if (setrlimit(RLIMIT_NPROC, &none) != 0) return 4;
              const char* const text = "kernel void stub_count(global uint* c) { c[get_global_id(0)] += 1; }";
              if (!guest.build(text, "", "stub_count") || !opaque(guest)) return 5;
              for (int i = 0; i < 3; ++i)
                if (!guest.launch()) return 6;
              if (guest.last_item() != 3) return 7;
              return content_of(log).find("cannot start") != std::string::npos ? 0 : 8;
            }),
            0);
}

}  // namespace
}  // namespace skmd::test
