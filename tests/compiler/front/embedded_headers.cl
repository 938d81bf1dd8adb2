// RUN: printf '#include "b.h"\nint in_a = B; constant char file[] = __FILE__;\n' > %t.a
// RUN: printf '#define B 7\n' > %t.b
// RUN: printf 'int from_up;\n' > %t.up
// RUN: %skmd-compile --preprocess --header dir/a.h %t.a --header b.h %t.b --header ../up.h %t.up %s | %FileCheck %s
// Embedded headers are found by exactly their name, from the program and from each other, with quotes or brackets.
#include "dir/a.h"
#include <b.h>
#include "../up.h"
int here = B;
// CHECK: int in_a = 7; constant char file[] = "dir/a.h";
// CHECK: int from_up;
// CHECK: int here = 7;
