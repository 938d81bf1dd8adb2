// SPDX-License-Identifier: Apache-2.0
// The rules that every clGet…Info shares, as one check.
#pragma once

#include <CL/cl.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

namespace skmd::test {

/// A query with its object and name bound.
using Query = std::function<cl_int(size_t size, void* value, size_t* size_ret)>;

/// The answer's bytes; checks that sizes behave: both outputs NULL is legal, a bigger buffer gets only the real size, a
/// smaller one is CL_INVALID_VALUE with the outputs untouched.
inline std::vector<unsigned char> check_query(const Query& query) {
  size_t size = 0;
  EXPECT_EQ(query(0, nullptr, &size), CL_SUCCESS);
  EXPECT_EQ(query(0, nullptr, nullptr), CL_SUCCESS);
  std::vector<unsigned char> bytes(size + 8, 0xCD);
  size_t again = 0;
  EXPECT_EQ(query(bytes.size(), bytes.data(), &again), CL_SUCCESS);
  EXPECT_EQ(again, size);
  for (size_t i = size; i < bytes.size(); ++i) EXPECT_EQ(bytes[i], 0xCD) << "byte " << i << " behind the answer";
  if (size > 0) {
    std::vector<unsigned char> small(size, 0xCD);
    size_t untouched = 12345;
    EXPECT_EQ(query(size - 1, small.data(), &untouched), CL_INVALID_VALUE);
    EXPECT_EQ(untouched, 12345u);
    EXPECT_EQ(small, std::vector<unsigned char>(size, 0xCD));
  }
  bytes.resize(size);
  return bytes;
}

/// An unknown name: CL_INVALID_VALUE, outputs untouched.
inline void check_unknown(const Query& query) {
  unsigned char value[256];
  for (unsigned char& byte : value) byte = 0xCD;
  size_t size = 12345;
  EXPECT_EQ(query(sizeof value, value, &size), CL_INVALID_VALUE);
  EXPECT_EQ(size, 12345u);
  for (const unsigned char byte : value) EXPECT_EQ(byte, 0xCD);
}

template <class T>
T value_of(const std::vector<unsigned char>& bytes) {
  T value{};
  EXPECT_EQ(bytes.size(), sizeof value);
  if (bytes.size() == sizeof value) std::copy(bytes.begin(), bytes.end(), reinterpret_cast<unsigned char*>(&value));
  return value;
}

inline std::string text_of(const std::vector<unsigned char>& bytes) {
  EXPECT_FALSE(bytes.empty());
  if (bytes.empty()) return {};
  EXPECT_EQ(bytes.back(), 0) << "strings count their NUL";
  return std::string(reinterpret_cast<const char*>(bytes.data()));
}

}  // namespace skmd::test
