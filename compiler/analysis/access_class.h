// SPDX-License-Identifier: Apache-2.0
// The paper's two classes of kernels (SKMD, TOCS 2015, section 3.2).
#pragma once

#include "partitioner/traits/traits.h"

namespace skmd::compiler {

/// Contiguous: every load and store of a buffer is at a·(W·w + l) + c or a·w + c, in elements, for the group id w, the
/// local id l and the group size W of one dimension, the same for the whole kernel. Here a is a product of constants,
/// scalar arguments, sizes and iterations; c is a sum of constants, scalar arguments and sizes. A loop's counter in c
/// is what makes a work-item read what its neighbours read (n-body) or stride through the buffer (Mersenne Twister):
/// that and every address with two dimensions, with W·w and l in unlike proportion (a reduction's 2W·w + l), with
/// memory or with more than multiplication and addition is discontiguous.
domain::AccessClass classify(const domain::KernelTraits& traits);

}  // namespace skmd::compiler
