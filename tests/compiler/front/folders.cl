// RUN: mkdir -p %t.first %t.second "%t with blank" && printf 'int first;\n' > %t.first/h.h && printf 'int second;\n' > %t.second/h.h && printf 'int blank;\n' > "%t with blank/g.h"
// RUN: printf 'int embedded;\n' > %t.e
// RUN: %skmd-compile --preprocess %s -I %t.first -I%t.second "-I%t with blank" | %FileCheck %s
// RUN: %skmd-compile --preprocess --header h.h %t.e %s -I %t.first -I%t.second "-I%t with blank" | %FileCheck %s --check-prefix=EMBEDDED
// RUN: cd %t.first && printf 'int blank;\n' > g.h && %skmd-compile --preprocess %s | %FileCheck %s
// Folders in their order, after embedded headers; the working directory comes last.
#include "h.h"
#include "g.h"
// CHECK: int first;
// CHECK-NOT: int second;
// CHECK: int blank;
// EMBEDDED: int embedded;
// EMBEDDED-NOT: int first;
