// SPDX-License-Identifier: Apache-2.0
// Programs that would keep a compiler busy for ever, or fill the machine's memory. Within small limits each is
// answered: refused with a log, or taken with facts that are true of any kernel. None is handed on to a vendor's
// compiler, which would blow up inside the application.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <ostream>

#include "compiler/client/client.h"
#include "tests/temporary_folder.h"

namespace skmd::compiler {
namespace {

using std::to_string;

struct Bomb {
  std::string name;
  std::string source;
  Outcome outcome = Outcome::failed;
  std::string log;  // a part of it
  unsigned cpu_seconds = 20;
};

void PrintTo(const Bomb& bomb, std::ostream* out) { *out << bomb.name; }

std::string repeated(const std::string& text, std::size_t count) {
  std::string all;
  all.reserve(text.size() * count);
  for (std::size_t i = 0; i < count; ++i) all += text;
  return all;
}

template <class Make>
std::string joined(std::size_t count, Make&& make) {
  std::string all;
  for (std::size_t i = 0; i < count; ++i) all += make(to_string(i));
  return all;
}

/// Each macro doubles what the one before gives: 2^40 tokens.
std::string doubling_macros() {
  std::string text = "#define A0 + 1\n";
  for (int i = 1; i <= 40; ++i) {
    const std::string before = "A" + to_string(i - 1);
    text += "#define A" + to_string(i) + " " + before + " " + before + "\n";
  }
  return text + "kernel void k(global int* o) { o[0] = 1 A40; }";
}

std::string in_kernel(const std::string& body) {
  return "kernel void k(global int* o, int n) { int x = get_global_id(0); " + body + " }";
}

/// What the compiler or its limits refuse, and what it says endlessly.
std::vector<Bomb> refused_bombs() {
  return {
      {"macros_that_double", doubling_macros(), Outcome::failed, "too much for the compiler"},
      {"a_string_of_a_gigabyte",
       "#define S(x) #x\n#define B(x) x x x x x x x x x x x x x x x x\n#define T(x) S(x)\n"
       "constant char* s = T(B(B(B(B(B(B(B(aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa))))))));\n" +
           in_kernel("o[x] = s[n];"),
       Outcome::failed, "too much for the compiler"},
      {"a_table_of_a_gigabyte", "constant int t[1 << 28] = {[0 ... (1 << 28) - 1] = 1};\n" + in_kernel("o[x] = t[n];"),
       Outcome::failed, "too much for the compiler"},
      {"parentheses", in_kernel("o[x] = " + repeated("(", 100000) + "1" + repeated(")", 100000) + ";"), Outcome::failed,
       "nest"},
      {"blocks", in_kernel(repeated("{", 100000) + "o[x] = 1;" + repeated("}", 100000)), Outcome::failed, "nest"},
      {"signs", in_kernel("o[x] = " + repeated("- ", 2000000) + "n;"), Outcome::failed, "nest"},
      {"a_long_sum", in_kernel("o[x] = " + repeated("n + ", 500000) + "1;"), Outcome::failed,
       "too much for the compiler", 2},
      {"conditions_in_conditions", in_kernel(repeated("if (n) ", 100000) + "o[x] = 1;"), Outcome::failed,
       "too much for the compiler", 2},
      {"an_error_on_every_line", in_kernel(repeated("y = 1;\n", 20000)), Outcome::failed, "error"},
      {"a_warning_on_every_line", in_kernel(repeated("x == 1;\n", 20000) + "o[x] = 1;"), Outcome::analysed, "warning"},
      {"types_that_double",
       "typedef int t0;\n" +
           joined(60,
                  [](const std::string& i) {
                    return "typedef struct { t" + i + " a[2]; t" + i + " b[2]; } t" + to_string(std::stoi(i) + 1) +
                           ";\n";
                  }) +
           "kernel void k(global t60* o) { o[0] = o[1]; }",
       Outcome::failed, "error"},
  };
}

/// Right programs that are long.
std::vector<Bomb> long_bombs() {
  return {
      {"a_long_line_of_code", in_kernel(repeated("x = x * 3 + n;\n", 100000) + "o[get_global_id(0)] = x;"),
       Outcome::analysed, ""},
      {"many_loops",
       in_kernel(joined(3000,
                        [](const std::string& i) {
                          return "for (int i = 0; i < n + " + i + "; i++) x += o[i * " + i + "];";
                        }) +
                 "o[x] = 1;"),
       Outcome::analysed, ""},
      {"many_branches",
       in_kernel(joined(20000, [](const std::string& i) { return "if (n > " + i + ") o[x * 7 + " + i + "] = 1;\n"; })),
       Outcome::analysed, ""},
      {"a_large_switch",
       in_kernel("switch (n) {" +
                 joined(10000, [](const std::string& i) { return "case " + i + ": o[" + i + " * x] = 1; break;\n"; }) +
                 "}"),
       Outcome::analysed, ""},
      {"many_stores", in_kernel(joined(20000, [](const std::string& i) { return "o[x * 7 + " + i + "] = 1;\n"; })),
       Outcome::analysed, ""},
      {"choices_of_choices",
       in_kernel(joined(10000, [](const std::string& i) { return "x = x & " + i + " ? x + " + i + " : x * n;\n"; }) +
                 "o[x] = 1;"),
       Outcome::analysed, ""},
      {"calls_that_double",
       "int f0(int x) { return x + 1; }\n" +
           joined(40,
                  [](const std::string& i) {
                    return "int f" + to_string(std::stoi(i) + 1) + "(int x) { return f" + i + "(x) * 3 + f" + i +
                           "(x + 1); }\n";
                  }) +
           in_kernel("o[x] = f40(n);"),
       Outcome::analysed, ""},
      {"a_private_gigabyte", in_kernel("int a[1 << 28]; for (int i = 0; i < 1 << 28; i++) a[i] = i; o[x] = a[n];"),
       Outcome::analysed, ""},
      {"many_kernels",
       joined(
           2000,
           [](const std::string& i) { return "kernel void k" + i + "(global int* o) { o[get_global_id(0)] = 1; }\n"; }),
       Outcome::analysed, ""},
      {"many_arguments",
       "kernel void k(int n" + joined(3000, [](const std::string& i) { return ", global int* a" + i; }) + ") {" +
           joined(3000, [](const std::string& i) { return "a" + i + "[get_global_id(0)] = n;\n"; }) + "}",
       Outcome::analysed, ""},
  };
}

std::vector<Bomb> bombs() {
  std::vector<Bomb> all = refused_bombs();
  for (Bomb& bomb : long_bombs()) all.push_back(std::move(bomb));
  return all;
}

class CompilerBombs : public testing::TestWithParam<Bomb> {};

TEST_P(CompilerBombs, EndWithinTheLimits) {
  CompileRequest request;
  request.source = GetParam().source;
  request.working_directory = "/";
  const Client client(
      {SKMD_COMPILE,
       "",
       {.cpu_seconds = GetParam().cpu_seconds, .seconds = 300, .memory_bytes = std::uint64_t{1} << 30}});
  const CompileAnswer answer = client.compile(request);
  EXPECT_EQ(static_cast<int>(answer.outcome), static_cast<int>(GetParam().outcome)) << answer.reason;
  EXPECT_NE(answer.log.find(GetParam().log), std::string::npos) << answer.log.substr(0, 1000);
  EXPECT_LT(answer.log.size(), std::size_t{2} << 20);
}

class BombsInFiles : public testing::Test {
 protected:
  BombsInFiles() { request_.working_directory = folder_.path(); }

  void write(const std::string& name, const std::string& text) { std::ofstream(folder_.file(name)) << text; }
  CompileAnswer compile(const std::string& source, const HelperLimits& limits) {
    request_.source = source;
    return Client({SKMD_COMPILE, "", limits}).compile(request_);
  }

  const skmd::test::TemporaryFolder folder_;
  CompileRequest request_;
};

constexpr HelperLimits kSmall{.cpu_seconds = 2, .seconds = 300, .memory_bytes = std::uint64_t{1} << 30};

TEST_F(BombsInFiles, AFileThatIncludesItself) {
  write("a.h", "#include \"a.h\"\n");
  const CompileAnswer answer = compile("#include \"a.h\"\nkernel void k() {}", kSmall);
  EXPECT_EQ(answer.outcome, Outcome::failed);
  EXPECT_NE(answer.log.find("nested too deeply"), std::string::npos) << answer.log;
}

TEST_F(BombsInFiles, FilesThatIncludeEachOtherTwice) {
  for (int i = 0; i < 60; ++i) {
    const std::string next = "#include \"" + to_string(i + 1) + ".h\"\n";
    write(to_string(i) + ".h", next + next);
  }
  write("60.h", "");
  const CompileAnswer answer = compile("#include \"0.h\"\nkernel void k() {}", kSmall);
  EXPECT_EQ(answer.outcome, Outcome::failed);
  EXPECT_NE(answer.log.find("2 s of processor time"), std::string::npos) << answer.log;
}

TEST_F(BombsInFiles, AFileWithoutEnd) {
  // Clang believes its size, which is zero.
  const CompileAnswer answer = compile("#include \"/dev/zero\"\nkernel void k() {}", kSmall);
  EXPECT_EQ(answer.outcome, Outcome::analysed) << answer.log;
}

TEST_F(BombsInFiles, AFileThatNobodyWrites) {
  ASSERT_EQ(::mkfifo(folder_.file("pipe.h").c_str(), 0600), 0);
  const CompileAnswer answer =
      compile("#include \"pipe.h\"\nkernel void k() {}", {.cpu_seconds = 20, .seconds = 1, .memory_bytes = 1u << 30});
  EXPECT_EQ(answer.outcome, Outcome::failed);
  EXPECT_NE(answer.log.find("within 1 s"), std::string::npos) << answer.log;
}

INSTANTIATE_TEST_SUITE_P(All, CompilerBombs, testing::ValuesIn(bombs()),
                         [](const auto& bomb) { return bomb.param.name; });

}  // namespace
}  // namespace skmd::compiler
