// SPDX-License-Identifier: Apache-2.0
// Traps of checked kernels that are no accesses, and whose work-item they are.
#include "tests/cpu-driver/codegen/check/checks_fixture.h"

namespace skmd::cpu::test {
namespace {

class Traps : public Checks {};

TEST_P(Traps, DivisionsByZero) {
  Program program = checked(R"(
    kernel void divide(global const int* in, global const int* by, global int* out) {
      const int i = get_global_id(0);
      out[i] = in[i] / by[i];
    }
    kernel void rest(global const uint4* in, global const uint4* by, global uint4* out) {
      const int i = get_global_id(0);
      out[i] = in[i] % by[i];
    }
    kernel void guarded(global const int* in, global const int* by, global int* out) {
      const int i = get_global_id(0);
      out[i] = by[i] == 0 ? -1 : in[i] / by[i];
    })");
  Guarded<int> in(64), by(64), out(64);
  for (int i = 0; i < 64; ++i) by[i] = i % 7 + 1;
  for (const char* kernel : {"divide", "rest", "guarded"}) {
    Arguments arguments;
    arguments << in << by << out;
    const bool wide = kernel == std::string("rest");
    const Shape shape = line(wide ? 2 : 8, 8);
    by[37] = 3;
    program.run(kernel, shape, arguments);
    EXPECT_EQ(program.failed(), "") << kernel;
    for (int i = 0; i < 64; ++i) ASSERT_EQ(out[i], wide ? (i + 1) % by[i] : (i + 1) / by[i]) << kernel << i;
    by[37] = 0;
    program.run(kernel, shape, arguments);
    EXPECT_EQ(program.failed(), kernel == std::string("divide") ? "kernel divide, line 4: divides by zero"
                                : wide                          ? "kernel rest, line 8: takes a remainder by zero"
                                                                : "");
    EXPECT_EQ(out[36], wide ? 37 % by[36] : 37 / by[36]) << kernel;
    EXPECT_EQ(out[63], wide ? 64 % by[63] : 64 / by[63]) << kernel;
  }
  by[11] = by[12] = 0;
  Arguments arguments;
  arguments << in << by << out;
  program.run("divide", line(8, 8), arguments);
  EXPECT_EQ(program.failed(), "kernel divide, line 4: divides by zero; 2 more traps");
}

TEST_P(Traps, TellsTheItem) {
  Program program = checked(R"(
    kernel void at(global int* out, uint x, uint y, uint z) {
      if (get_global_id(0) == x && get_global_id(1) == y && get_global_id(2) == z) out[100] = 1;
    })");
  Guarded<int> out(8);
  Shape shape;
  shape.dims = 3;
  shape.groups = {3, 2, 2};
  shape.local = {8, 3, 2};
  shape.offset = {5, 6, 7};
  Arguments arguments;
  arguments << out;
  arguments.value(5u + 11).value(6u + 5).value(7u + 2);
  program.run("at", shape, arguments);
  expect(program, "kernel at, line 3: writes 4 bytes at offset 400 of out");
  EXPECT_EQ(program.failed_item(), (std::array<std::uint64_t, 3>{16, 11, 9}));
}

TEST_P(Traps, ArmTerminateKernelEndsTheItemUnlessOthersWait) {
  Program program = checked(R"(
    kernel void end(global int* out, int at) {
      const int i = get_global_id(0);
      out[i] = 10;
      if (i == at) arm_terminate_kernel(ARM_TERMINATION_FAILURE);
      for (int k = 0; i == at && k < 1; k -= out[i]) out[i] = 20;
      out[i] = 30;
    }
    kernel void wait(global int* out, local int* l, int at) {
      const int i = get_global_id(0), x = get_local_id(0);
      if (i == at) arm_terminate_kernel(ARM_TERMINATION_SUCCESS);
      l[x] = i;
      barrier(CLK_LOCAL_MEM_FENCE);
      out[i] = l[7 - x];
    })");
  Guarded<int> out(32);
  Arguments ends;
  ends << out;
  ends.value(19);
  program.run("end", line(4, 8), ends);
  EXPECT_EQ(program.failed(), "kernel end, line 5: ends the launch");
  EXPECT_EQ(program.failed_item()[0], 19u);
  for (int i = 0; i < 32; ++i) ASSERT_EQ(out[i], i == 19 ? 10 : 30) << i;
  Arguments waits;
  waits << out;
  waits.local(8 * sizeof(int)).value(19);
  program.run("wait", line(4, 8), waits);
  EXPECT_EQ(program.failed(), "kernel wait, line 11: ends the launch");
  for (int i = 0; i < 32; ++i) ASSERT_EQ(out[i], i / 8 * 8 + 7 - i % 8) << i;
}

INSTANTIATE_TEST_SUITE_P(Ways, Traps, testing::ValuesIn(few_ways()),
                         [](const auto& way) { return name_of(way.param); });

}  // namespace
}  // namespace skmd::cpu::test
