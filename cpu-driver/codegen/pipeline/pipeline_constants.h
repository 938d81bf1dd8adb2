// SPDX-License-Identifier: Apache-2.0
// How long code generation may take, and what is left out so that it does not.
#pragma once

#include <cstddef>
#include <cstdint>

namespace skmd::codegen::tuning {

/// Processor time of the first attempt to make a program's code, and of each further one; and attempts: after one that
/// dies or takes too long, the kernel that it was at is made without vectors, then left out. Source: chosen, not
/// measured: code of the largest programs takes seconds. An application waits, and is told that the build failed if it
/// waits for ten minutes (kHelperSeconds of compiler/client/client_constants.h).
inline constexpr unsigned kFirstSeconds = 60;
inline constexpr unsigned kSecondsAgain = 20;
inline constexpr unsigned kMaxAttempts = 5;
/// Blocks of a kernel, and its instructions times its regions, from which vectors are made; of more it would take
/// longer than a program is waited for. Source: chosen. On a Zen 5 100 barriers of straight code (some 190,000) took 3
/// s of processor time, 80 in 40 loops 4, and 22 in the form that can be left inside; 160 in 80 loops (300,000) 19, and
/// 69 in that form, more than kFirstSeconds.
inline constexpr std::size_t kMaxVectorBlocks = 1000;
inline constexpr std::size_t kMaxVectorInstructions = 200'000;
/// Vectors of a short row that are written out without AVX-512, and instructions of all of them. Source: chosen, by
/// median_filter (1.56 to 0.69 ms with AVX2 on a Zen 5) and sobel_filter (3.49 to 2.54); the second is for the time of
/// compiling, not measured.
inline constexpr std::uint64_t kMaxWrittenOutVectors = 4;
inline constexpr std::uint64_t kMaxWrittenOut = 2000;

}  // namespace skmd::codegen::tuning
