// RUN: not %skmd-compile --describe %s 2>&1 | %FileCheck %s
// A macro in a pragma does not look for its arguments on other lines.
#define F(x) x
kernel void k(global int* a) {
#pragma unroll F(2
  for (int i = 0; i < 8; ++i) a[i] = 0;
}
// CHECK: 5:{{[0-9]+}}: error:
