// RUN: %skmd-compile --preprocess %s | %FileCheck %s
// Places are those of the program as it was given.
int line = __LINE__; constant char file[] = __FILE__;

#line 100 "other.cl"
int other = __LINE__; constant char other_file[] = __FILE__;
// CHECK-NOT: # 1
// CHECK: int line = 3; constant char file[] = "<source>";
// CHECK: int other = 100; constant char other_file[] = "other.cl";
