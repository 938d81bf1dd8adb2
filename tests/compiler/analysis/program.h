// SPDX-License-Identifier: Apache-2.0
// A tiny language: kernels as trees that can be printed as OpenCL C and run item by item, with undefined behaviour
// found out. Parameters are always (a, c, d, n, m, w), see kSignature.
#pragma once

#include <array>
#include <bitset>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "partitioner/base/nd_range.h"

namespace skmd::test {

inline constexpr char kSignature[] =
    "(__global const int* a, __global int* c, __global uchar* d, int n, uint m, long w)";
inline constexpr std::size_t kElements = 1024;        // of a and c
inline constexpr std::size_t kBytes = 4 * kElements;  // of a, c and d

enum class Type : std::uint8_t { i32, u32, i64, u64 };

struct Expr;
using ExprPtr = std::unique_ptr<Expr>;

struct Expr {
  enum class Kind : std::uint8_t { constant, variable, query, load, unary_cast, binary, logical, ternary, builtin };
  Kind kind = Kind::constant;
  Type type = Type::i32;
  std::string text;        // operator, function or variable
  std::int64_t value = 0;  // constant; index of a variable; dimension of a query
  std::vector<ExprPtr> operands;
};

struct Stmt;
using Block = std::vector<std::unique_ptr<Stmt>>;

struct Stmt {
  enum class Kind : std::uint8_t { declare, assign, store_c, store_d, branch, loop, walk, leave, stop };
  Kind kind = Kind::store_c;
  std::size_t variable = 0;       // declare, assign, loop, walk: which
  Type type = Type::i32;          // of that variable
  std::vector<ExprPtr> operands;  // value | index | condition | start, bound, step
  Block body, otherwise;
};

struct Kernel {
  std::string name;
  std::size_t variables = 0;
  Block body;
};

std::string print(const Kernel& kernel);

struct Arguments {
  std::vector<std::int32_t> a;
  std::int32_t n = 0;
  std::uint32_t m = 0;
  std::int64_t w = 0;
};

/// What one work-group did, by byte, and what it left in c.
struct Touched {
  std::bitset<kBytes> written_c, written_d;
  std::array<std::int32_t, kElements> c{};
};

/// Runs the work-groups of `span`: one entry each, in order. False if any work-item leaves what the language defines:
/// overflow, division by zero, an address outside its buffer, too many steps.
bool run(const Kernel& kernel, const domain::NdRange& range, const domain::GroupSpan& span, const Arguments& arguments,
         std::vector<Touched>& touched);

}  // namespace skmd::test
