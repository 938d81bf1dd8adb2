// RUN: not %skmd-compile --describe %s 2>&1 | %FileCheck %s
#include "no_such_header.h"
// CHECK: <source>:2:10: fatal error: 'no_such_header.h' file not found
// CHECK: failed
