// RUN: %skmd-compile --rewrite %s | %FileCheck %s
// RUN: %skmd-compile --rewrite %s > %t.cl && %skmd-compile --describe %t.cl
// Comments and line breaks inside a call and a parameter list.

int f(int x, // the first
      int y  /* the second */
     ) { return x + y + get_group_id( /* which */ 0 ); }
kernel void k(global int* a) {
  a[0] = f(1,
           get_group_id(
             0
           )
          );
}

// CHECK: int f(int x,
// CHECK-NEXT: int y
// CHECK-NEXT: , skmd_record_v1 skmd_launch) { return x + y + skmd_get_group_id( 0 , skmd_launch); }
// CHECK: a[0] = f(1,
// CHECK-NEXT: skmd_get_group_id(
// CHECK-NEXT: 0
// CHECK-NEXT: , skmd_launch)
// CHECK-NEXT: , skmd_launch);
