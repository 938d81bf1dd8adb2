// RUN: %skmd-compile --preprocess %s | %FileCheck %s
// A program may define a name of the language for itself, or take the definition away; from there on the name is its own,
// for vendors too.

float before = NAN;
#define M_PI_F 3.14f
float pi = M_PI_F;
#undef NAN
constant float NAN = 1.0f;
float after = NAN;

// CHECK: float before = NAN;
// CHECK: float pi = 3.14f;
// CHECK: #undef NAN
// CHECK: constant float NAN = 1.0f;
// CHECK: float after = NAN;
