// SPDX-License-Identifier: Apache-2.0
// Checked kernels: accesses outside of their buffer, of every kind, do not happen and are told. Buffers lie between
// inaccessible pages, so that an access that did happen would end the test.
#include "tests/cpu-driver/codegen/check/checks_fixture.h"

namespace skmd::cpu::test {
namespace {

TEST_P(Checks, NothingIsToldOfRightKernels) {
  Program program = checked(R"(
    kernel void right(global const int* in, global int* out, local int* l, int n) {
      local int mine[8];
      const int x = get_local_id(0), i = get_global_id(0);
      mine[x] = l[x] = in[i];
      barrier(CLK_LOCAL_MEM_FENCE);
      global const int* from = i & 1 ? in : out;
      int sum = 0;
      for (int k = 0; k < n; ++k) sum += from == in ? in[k] : mine[k % 8];
      out[i] = sum + l[7 - x];
    })");
  Guarded<int> in(64), out(64);
  Arguments arguments;
  arguments << in << out;
  arguments.local(8 * sizeof(int)).value(64);
  program.run("right", line(8, 8), arguments);
  EXPECT_EQ(program.failed(), "");
  for (int i = 0; i < 64; ++i) {
    int sum = i % 2 == 1 ? 64 * 65 / 2 : 0;
    for (int k = 0; i % 2 == 0 && k < 64; ++k) sum += i / 8 * 8 + k % 8 + 1;
    ASSERT_EQ(out[i], sum + i / 8 * 8 + 8 - i % 8) << i;
  }
}

TEST_P(Checks, OnePastTheEnd) {
  Program program = checked(R"(
    kernel void shift(global const int* in, global int* out) {
      const int i = get_global_id(0);
      out[i] = in[i + 1];
    })");
  Guarded<int> in(100), out(100);
  Arguments arguments;
  arguments << in << out;
  program.run("shift", line(4, 25), arguments);
  EXPECT_EQ(program.failed(), "kernel shift, line 4: reads 4 bytes at offset 400 of in, which has 400 bytes");
  for (int i = 0; i < 99; ++i) ASSERT_EQ(out[i], i + 2);
  EXPECT_EQ(out[99], 0);
}

TEST_P(Checks, NegativeOffsets) {
  Program program = checked(R"(
    kernel void back(global int* out, int by) {
      const int i = get_global_id(0);
      out[i - by] = i;
    })");
  Guarded<int> out(40, Guarded<int>::before);
  Arguments arguments;
  arguments << out;
  arguments.value(3);
  program.run("back", line(1, 40), arguments);
  expect(program, "kernel back, line 4: writes 4 bytes at offset -");
  EXPECT_NE(program.failed().find("of out, which has 160 bytes; 2 more accesses are outside"), std::string::npos);
  for (int i = 0; i < 37; ++i) ASSERT_EQ(out[i], i + 3);
  for (int i = 37; i < 40; ++i) ASSERT_EQ(out[i], i + 1) << "no item writes there";
}

TEST_P(Checks, ATailThatHoldsHalfAnElement) {
  Program program = checked(R"(
    kernel void tail(global int* out) { out[get_global_id(0)] = 7; })");
  Guarded<char> out(42);
  Arguments arguments;
  arguments << out;
  program.run("tail", line(1, 11), arguments);
  EXPECT_EQ(program.failed(), "kernel tail, line 2: writes 4 bytes at offset 40 of out, which has 42 bytes");
  EXPECT_EQ(out[40], 41);
  EXPECT_EQ(out[41], 42);
  EXPECT_EQ(out[36], 7);
}

TEST_P(Checks, MaskedLanesAndGathers) {
  Program program = checked(R"(
    kernel void pick(global const int* at, global const float* in, global float* out, int n) {
      const int i = get_global_id(0);
      if (i % 3 != 0)
        out[i] = in[at[i]];
      else if (i < n)
        out[at[i]] = 1;
    })");
  Guarded<int> at(96);
  Guarded<float> in(50), out(96);
  for (int i = 0; i < 96; ++i) at[i] = i % 3 != 0 ? i % 50 : i;
  Arguments arguments;
  arguments << at << in << out;
  arguments.value(96);
  program.run("pick", line(3, 32), arguments);
  EXPECT_EQ(program.failed(), "");
  for (int i = 0; i < 96; ++i) ASSERT_EQ(out[i], i % 3 == 0 ? 1 : static_cast<float>(i % 50 + 1)) << i;
  at[31] = 50;
  program.run("pick", line(3, 32), arguments);
  EXPECT_EQ(program.failed(), "kernel pick, line 5: reads 4 bytes at offset 200 of in, which has 200 bytes");
  EXPECT_EQ(out[31], 0);
  at[31] = 7;
  at[33] = -20;
  program.run("pick", line(3, 32), arguments);
  EXPECT_EQ(program.failed(), "kernel pick, line 7: writes 4 bytes at offset -80 of out, which has 384 bytes");
}

TEST_P(Checks, VectorsAndVloads) {
  Program program = checked(R"(
    kernel void wide(global const float4* in, global float* out) {
      const int i = get_global_id(0);
      out[i] = in[i].x + in[i].w;
    }
    kernel void three(global const float* in, global float* out) {
      const int i = get_global_id(0);
      vstore3(vload3(i, in) * 2, i, out);
    })");
  // Seven and a half; aligned as a float4 has to be, so that the page is before it.
  Guarded<float> halves(30, Guarded<float>::before), out(30);
  Arguments given;
  given << halves << out;
  program.run("wide", line(1, 8), given);
  expect(program, "kernel wide, line 4: reads ");
  EXPECT_NE(program.failed().find("of in, which has 120 bytes"), std::string::npos) << program.failed();
  EXPECT_EQ(out[6], 25 + 28);
  Guarded<float> in(30);
  Arguments arguments;
  arguments << in << out;
  program.run("three", line(1, 10), arguments);
  EXPECT_EQ(program.failed(), "");
  for (int i = 0; i < 30; ++i) ASSERT_EQ(out[i], 2 * (i + 1));
  Guarded<float> small(29);
  Arguments fewer;
  fewer << in << small;
  program.run("three", line(1, 10), fewer);
  EXPECT_EQ(program.failed(), "kernel three, line 8: writes 12 bytes at offset 108 of out, which has 116 bytes");
  EXPECT_EQ(small[26], 54);
  EXPECT_EQ(small[27], 28);
}

TEST_P(Checks, Atomics) {
  Program program = checked(R"(
    kernel void count(global int* bins, global const int* in, global int* before) {
      const int i = get_global_id(0);
      before[i] = atomic_add(&bins[in[i]], 1);
    }
    kernel void lock(global int* locks, int at) {
      while (atomic_cmpxchg(&locks[at], 0, 1) != 0);
      locks[1] += 1;
      atomic_xchg(&locks[at], 0);
    })");
  Guarded<int> bins(4), in(32), before(32);
  for (int i = 0; i < 4; ++i) bins[i] = 100;
  for (int i = 0; i < 32; ++i) in[i] = i % 4;
  in[9] = 4;
  Arguments arguments;
  arguments << bins << in << before;
  program.run("count", line(1, 32), arguments);
  EXPECT_EQ(program.failed(), "kernel count, line 4: updates 4 bytes at offset 16 of bins, which has 16 bytes");
  EXPECT_EQ(bins[0], 108);
  EXPECT_EQ(bins[1], 107);
  EXPECT_EQ(before[9], 0);
  Guarded<int> locks(2);
  locks[0] = locks[1] = 0;
  for (const int at : {0, 2}) {
    Arguments given;
    given << locks;
    given.value(at);
    program.run("lock", line(1, 20), given);
    expect(program, at == 0 ? "" : "kernel lock, line ");
    EXPECT_EQ(program.failed().empty(), at == 0);
    EXPECT_EQ(locks[1], at == 0 ? 20 : 40) << "a lock that is not there is one for all groups";
  }
}

TEST_P(Checks, AsyncCopies) {
  Program program = checked(R"(
    kernel void fetch(global const int* in, global int* out, local int* l, int n) {
      event_t e = async_work_group_copy(l, in + get_group_id(0) * n, n, 0);
      wait_group_events(1, &e);
      out[get_global_id(0)] = l[get_local_id(0)];
    })");
  Guarded<int> in(40), out(64);
  Arguments arguments;
  arguments << in << out;
  arguments.local(16 * sizeof(int)).value(16);
  program.run("fetch", line(4, 16), arguments);
  expect(program, "kernel fetch, line 3: reads 4 bytes at offset 1");
  EXPECT_NE(program.failed().find("of in, which has 160 bytes; 23 more"), std::string::npos) << program.failed();
  for (int i = 0; i < 64; ++i) ASSERT_EQ(out[i], i < 40 ? i + 1 : 0);
}

TEST_P(Checks, ConstantsAndLocalMemory) {
  Program program = checked(R"(
    constant int table[4] = {2, 3, 5, 7};
    kernel void tables(global int* out, constant int* more, local int* l, int by) {
      local int own[4];
      const int i = get_global_id(0);
      if (i < 4) own[i] = l[i] = i;
      barrier(CLK_LOCAL_MEM_FENCE);
      switch (by) {
        case 0: out[i] = table[i]; break;
        case 1: out[i] = more[i]; break;
        case 2: out[i] = l[i]; break;
        default: out[i] = own[i];
      }
    })");
  Guarded<int> out(16), more(5);
  const char* const told[] = {
      "kernel tables, line 9: reads 4 bytes at offset ", "kernel tables, line 10: reads 4 bytes at offset ",
      "kernel tables, line 11: reads 4 bytes at offset ", "kernel tables, line 12: reads 4 bytes at offset "};
  const char* const memory[] = {"of table, which has 16 bytes", "of more, which has 20 bytes",
                                "of l, which has 16 bytes", "of the local variables, which has 16 bytes"};
  for (const int by : {0, 1, 2, 3}) {
    Arguments arguments;
    arguments << out << more;
    arguments.local(16).value(by);
    program.run("tables", line(1, 4), arguments);
    EXPECT_EQ(program.failed(), "");
    program.run("tables", line(1, 16), arguments);
    expect(program, told[by]);
    EXPECT_NE(program.failed().find(memory[by]), std::string::npos) << program.failed();
    EXPECT_EQ(out[15], 0);
  }
}

TEST_P(Checks, PointersOfSeveralBuffers) {
  Program program = checked(R"(
    kernel void either(global const int* a, global const int* b, global int* out, int limit, int at) {
      const int i = get_global_id(0);
      global const int* from = i < limit ? a : b;
      out[i] = from[at + i];
    }
    kernel void through(global ulong* place, global int* out, int by) {
      if (get_global_id(0) == 0) *place = (ulong)(out + by);
      barrier(CLK_GLOBAL_MEM_FENCE);
      *(global int*)*place = 77;
    })");
  Guarded<int> a(16), b(16), out(16);
  Guarded<std::uint64_t> place(1);
  for (const int at : {0, 1}) {
    Arguments arguments;
    arguments << a << b << out;
    arguments.value(8).value(at);
    program.run("either", line(1, 16), arguments);
    expect(program, at == 0 ? "" : "kernel either, line 5: reads 4 bytes at offset ");
    EXPECT_EQ(program.failed().empty(), at == 0) << program.failed();
    EXPECT_EQ(program.failed().find("and outside of") == std::string::npos, at == 0);
    EXPECT_EQ(out[15], at == 0 ? 16 : 0);
  }
  for (const int by : {15, 16}) {
    Arguments arguments;
    arguments << place << out;
    arguments.value(by);
    program.run("through", line(1, 8), arguments);
    expect(program, by == 15 ? "" : "kernel through, line 10: writes 4 bytes at offset ");
    EXPECT_EQ(program.failed().empty(), by == 15) << program.failed();
  }
  EXPECT_EQ(out[15], 77);
}

TEST_P(Checks, NullBuffersHaveNothing) {
  Program program = checked("kernel void none(global int* out) { out[get_global_id(0)] = 1; }");
  program.run("none", line(1, 3), Arguments().buffer(nullptr, 0));
  expect(program, "kernel none, line 1: writes 4 bytes at offset ");
  EXPECT_NE(program.failed().find("of out, which has 0 bytes; 2 more"), std::string::npos) << program.failed();
}

TEST_P(Checks, LinesOfTheApplicationsOwnFiles) {
  Program program = checked(R"(
#define SIZE 4









    kernel void far_down(global int* out) { out[get_global_id(0)] = 1; }
#line 7 "made.cl"
    void put(global int* out, int i) {
      out[i] = 1;
    }
    kernel void named(global int* out) { put(out, get_global_id(0)); })");
  Guarded<int> out(4);
  Arguments arguments;
  arguments << out;
  program.run("far_down", line(1, 5), arguments);
  EXPECT_EQ(program.failed(), "kernel far_down, line 12: writes 4 bytes at offset 16 of out, which has 16 bytes");
  program.run("named", line(1, 5), arguments);
  EXPECT_EQ(program.failed(),
            "kernel named, line 8 of made.cl: writes 4 bytes at offset 16 of out, which has 16 bytes");
}

TEST_P(Checks, CodeWithoutChecksHasNoSites) {
  const Program program("kernel void plain(global int* out) { out[get_global_id(0)] = 1; }", GetParam());
  ASSERT_TRUE(program.good());
  EXPECT_FALSE(program.is_checked("plain"));
  EXPECT_TRUE(checked("kernel void plain(global int* out) { out[get_global_id(0)] = 1; }").is_checked("plain"));
}

INSTANTIATE_TEST_SUITE_P(Ways, Checks, testing::ValuesIn(few_ways()),
                         [](const auto& way) { return name_of(way.param); });

}  // namespace
}  // namespace skmd::cpu::test
