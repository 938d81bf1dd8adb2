// SPDX-License-Identifier: Apache-2.0
// The answer to every clGet…Info query: an unknown name or a too small buffer is CL_INVALID_VALUE with the outputs
// untouched; a bigger buffer is fine, only the real size is written; strings count their NUL.
#pragma once

#include <CL/cl.h>

#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "partitioner/base/result.h"

namespace skmd::icd::api {

class InfoQuery {
 public:
  InfoQuery(cl_uint name, size_t size, void* value, size_t* size_ret)
      : name_(name), size_(size), value_(value), size_ret_(size_ret) {}

  [[nodiscard]] cl_uint name() const { return name_; }

  domain::Status bytes(const void* data, size_t size) const {
    if (value_ != nullptr && size_ < size)
      return domain::Error{CL_INVALID_VALUE, "param_value_size " + std::to_string(size_) +
                                                 " is less than the value's " + std::to_string(size)};
    if (value_ != nullptr && size != 0) std::memcpy(value_, data, size);
    if (size_ret_ != nullptr) *size_ret_ = size;
    return {};
  }
  /// `T` spells the type of the specification's table.
  template <class T>
  domain::Status value(const std::type_identity_t<T>& value) const {
    static_assert(std::is_trivially_copyable_v<T>);
    return bytes(&value, sizeof(T));
  }
  domain::Status text(const std::string& text) const { return bytes(text.c_str(), text.size() + 1); }
  template <class T>
  domain::Status list(const std::vector<T>& list) const {
    return bytes(list.data(), list.size() * sizeof(T));
  }
  [[nodiscard]] domain::Status unknown() const {
    return domain::Error{CL_INVALID_VALUE, "param_name " + std::to_string(name_) + " is not one of this query's"};
  }

 private:
  cl_uint name_;
  size_t size_;
  void* value_;
  size_t* size_ret_;
};

}  // namespace skmd::icd::api
