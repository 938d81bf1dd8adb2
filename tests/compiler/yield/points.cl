// SPDX-License-Identifier: Apache-2.0
// RUN: %skmd-compile --yields %s | %FileCheck %s
// Where kernels can be stopped, and what is kept there: what ids and arguments give is not.

// Each item leaves the loop at its own time.
// CHECK: kernel alone: 1 yield point, items leave one by one; state: 16 bytes an item, 0 a group
// CHECK-NEXT: line [[@LINE+4]]: after {{[0-9]+}} iterations, live: {{.*}}(float), {{.*}}(float), {{.*}}(i32){{$}}
__kernel void alone(__global uint* out, float step, uint most) {
  float x = get_global_id(0) * step, y = 0;
  uint n = 0;
  while (n < most && x * x + y * y < 4.0f) {
    float t = x * x - y * y + step;
    y = 2 * x * y + step;
    x = t;
    ++n;
  }
  out[get_global_id(0)] = n;
}

// All items make the same iterations: the counter is kept once for the group.
// CHECK: kernel together: 1 yield point, items of a group leave together; state: 4 bytes an item, 12 a group
// CHECK-NEXT: line {{[0-9]+}}: after {{[0-9]+}} iterations, live: {{.*}}(i32, once), {{.*}}(float){{$}}
__kernel void together(__global float* out, __global const float* in, uint n) {
  float sum = 0;
  for (uint i = 0; i < n; ++i) sum += in[i] * get_global_id(0);
  out[get_global_id(0)] = sum;
}

// CHECK: kernel tiles: 1 yield point, items of a group leave together
// CHECK-NEXT: line {{[0-9]+}}: after {{[0-9]+}} iterations, live: {{.*}}(i32, once), {{.*}}(float, once){{$}}
__kernel void tiles(__global float* out, __global const float* in, uint n) {
  __local float tile[64];
  float sum = 0;
  for (uint first = 0; first < n; first += 64) {
    tile[get_local_id(0)] = in[first + get_local_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = 0; i < 64; ++i) sum += tile[i];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  out[get_global_id(0)] = sum;
}

// That all items make the same iterations is known only because there is a barrier.
// CHECK: kernel promised: 1 yield point, items of a group leave together
// CHECK-NEXT: line {{[0-9]+}}: behind a barrier, live: {{.*}}(i32){{.*}}
__kernel void promised(__global uint* out, __global const uint* rounds) {
  __local uint turn[64];
  uint sum = 0;
  for (uint i = 0; i < rounds[get_global_id(0)]; ++i) {
    turn[get_local_id(0)] = i + get_local_id(0);
    barrier(CLK_LOCAL_MEM_FENCE);
    sum += turn[63 - get_local_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  out[get_global_id(0)] = sum;
}

// A pointer is kept as its distance from what it points into, a private variable as its bytes.
// CHECK: kernel pointers: 1 yield point
// CHECK-NEXT: line {{[0-9]+}}: after {{[0-9]+}} iterations, live: {{.*}}(offset in in), {{.*}}([8 x i32]){{$}}
__kernel void pointers(__global uint* out, __global const uint* in, uint n) {
  uint seen[8] = {0};
  for (__global const uint* at = in; *at != n; at += 1 + *at % 3) seen[*at % 8] += *at;
  out[get_global_id(0)] = seen[n % 8] + seen[get_global_id(0) % 8];
}

// It looks in every iteration.
// CHECK: kernel waits: 1 yield point, items leave one by one
// CHECK-NEXT: line {{[0-9]+}}: after 1 iteration, live: nothing{{$}}
__kernel void waits(__global volatile uint* flag, __global uint* out) {
  while (*flag == 0);
  out[0] = *flag;
}
