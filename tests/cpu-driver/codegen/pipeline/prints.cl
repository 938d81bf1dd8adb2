// SPDX-License-Identifier: Apache-2.0
// printf, item by item where lines would mix, else lane by lane.
// RUN: not %skmd-compile --kernel-code %s 2>&1 >/dev/null | %FileCheck %s --check-prefix=OBSTACLE
// RUN: %skmd-compile --kernel lines --emit remarks %s | %FileCheck %s --check-prefix=LINES
// RUN: %skmd-compile --kernel once --emit remarks %s | %FileCheck %s --check-prefix=ONCE
// RUN: %skmd-compile --kernel parts --emit remarks %s | %FileCheck %s --check-prefix=PARTS
// RUN: %skmd-compile --kernel lines --emit llvm %s | %FileCheck %s --check-prefix=ITEM
// RUN: %skmd-compile --kernel lines --emit vector-llvm %s | %FileCheck %s --check-prefix=SPAN

// Nothing in memory is thought to change, so that loads around it are still joined.
// ITEM: call i32 @skmd.print.0(i32 %{{.*}}, double %{{.*}})
// ITEM: declare i32 @skmd.print.0(i32, double) #[[#A:]]
// ITEM: attributes #[[#A]] = { {{.*}}memory(inaccessiblemem: readwrite){{.*}}"skmd-print-arguments"="i32 f64"

// SPAN-DAG: @skmd_print_room = global ptr null
// SPAN-DAG: @skmd_print_table = constant { i64, ptr, i64, ptr } { i64 1, ptr @{{.*}}, i64 0, ptr null }
// SPAN-LABEL: define internal i32 @skmd.print.0(i32 %0, double %1)
// SPAN: load ptr, ptr @skmd_print_room
// SPAN: store i64 0, ptr
// SPAN: ret i32 0

// LINES: lines: has code
// LINES: region 0: {{[0-9]+}} lanes
// LINES: runs lane by lane
kernel void lines(global float* in) {
  int i = get_global_id(0);
  for (int n = 0; n < i; ++n) printf("%d %f\n", i, in[i]);
}

// ONCE: region 0: {{[0-9]+}} lanes
kernel void once(global int* in) {
  int i = get_global_id(0);
  if (in[i] < 0) printf("%d ", i);
}

// PARTS: region 0: item by item: work-items print parts of lines
kernel void parts(global int* in) {
  int i = get_global_id(0);
  printf("%d ", i);
  printf("%d\n", in[i]);
}

// OBSTACLE-NOT: kernel lines
// OBSTACLE: kernel any_format has no code: it calls printf with a format that is no literal
constant char formats[2][8] = {"%d\n", "%x\n"};
kernel void any_format(int i) { printf(formats[i], i); }
