// SPDX-License-Identifier: Apache-2.0
// The floating-point environment of kernels.
#pragma once

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

namespace skmd::cpu {

/// Sets OpenCL's rounding and trap flags for the scope, since the application may have changed them on its threads,
/// from which ours inherit.
class DefaultFloats {
 public:
#if defined(__x86_64__)
  DefaultFloats() : before_(_mm_getcsr()) {
    if ((before_ & ~kFlags) != kDefault) _mm_setcsr(kDefault);
  }
  ~DefaultFloats() {
    if ((before_ & ~kFlags) != kDefault) _mm_setcsr(before_);
  }

 private:
  static constexpr unsigned kDefault = 0x1F80;  // all exceptions masked, to nearest, denormals kept
  static constexpr unsigned kFlags = 0x3F;      // what has happened
  unsigned before_;
#else
  DefaultFloats() = default;
  ~DefaultFloats() = default;
#endif

 public:
  DefaultFloats(const DefaultFloats&) = delete;
  DefaultFloats& operator=(const DefaultFloats&) = delete;
};

}  // namespace skmd::cpu
