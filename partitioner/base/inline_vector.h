// SPDX-License-Identifier: Apache-2.0
// A vector that keeps its first elements inside the object: most vectors then never allocate.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <initializer_list>
#include <iterator>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

namespace skmd::domain {

/// Like std::vector, but up to `kHere` elements are stored inline, and moving the vector then moves them one by one. A
/// function that throws std::bad_alloc leaves the vector unchanged.
template <class T, std::size_t kHere = 1>
class InlineVector {
  static_assert(std::is_nothrow_move_constructible_v<T> && std::is_nothrow_move_assignable_v<T>);

 public:
  InlineVector() {}  // NOLINT(modernize-use-equals-default): const ones may be made without an initialiser
  InlineVector(std::initializer_list<T> values) requires std::copy_constructible<T> : InlineVector() {
    reserve(values.size());
    for (const T& value : values) push_back(value);
  }
  InlineVector(InlineVector&& other) noexcept { take(other); }
  InlineVector& operator=(InlineVector&& other) noexcept {
    if (this == &other) return *this;
    let_go();
    take(other);
    return *this;
  }
  InlineVector(const InlineVector& other) requires std::copy_constructible<T>
      : InlineVector() {  // so that the memory goes where copying an element throws
    reserve(other.size_);
    std::uninitialized_copy(other.begin(), other.end(), begin());
    size_ = other.size_;
  }
  InlineVector& operator=(const InlineVector& other) requires std::copy_constructible<T> {
    if (this != &other) *this = InlineVector(other);
    return *this;
  }
  ~InlineVector() { let_go(); }

  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] bool empty() const { return size_ == 0; }
  [[nodiscard]] std::size_t capacity() const { return capacity_; }
  [[nodiscard]] T* begin() { return data(); }
  [[nodiscard]] T* end() { return data() + size_; }
  [[nodiscard]] const T* begin() const { return data(); }
  [[nodiscard]] const T* end() const { return data() + size_; }
  T& operator[](std::size_t index) { return data()[index]; }
  const T& operator[](std::size_t index) const { return data()[index]; }
  T& front() { return *data(); }
  [[nodiscard]] const T& front() const { return *data(); }
  T& back() { return data()[size_ - 1]; }
  [[nodiscard]] const T& back() const { return data()[size_ - 1]; }
  bool operator==(const InlineVector& other) const requires std::equality_comparable<T> {
    return std::equal(begin(), end(), other.begin(), other.end());
  }

  void reserve(std::size_t count) {
    if (count > capacity_) grow(count);
  }
  void push_back(const T& value) { push_back(T(value)); }
  void push_back(T&& value) {
    if (size_ == capacity_) grow(2 * capacity_);
    std::construct_at(end(), std::move(value));
    ++size_;
  }
  /// Inserts `value` before `at`. Returns its position; older iterators are invalid.
  T* insert(const T* at, T value) {
    const auto index = at - begin();
    push_back(std::move(value));
    std::rotate(begin() + index, end() - 1, end());
    return begin() + index;
  }
  void erase(const T* first, const T* last) {
    if (first == last) return;  // the tail would be moved to itself
    T* const kept = std::move(begin() + (last - begin()), end(), begin() + (first - begin()));
    std::destroy(kept, end());
    size_ = static_cast<std::size_t>(kept - begin());
  }
  void clear() {
    std::destroy(begin(), end());
    size_ = 0;
  }

 private:
  T* data() { return more_ != nullptr ? more_ : std::launder(reinterpret_cast<T*>(here_)); }
  [[nodiscard]] const T* data() const {
    return more_ != nullptr ? more_ : std::launder(reinterpret_cast<const T*>(here_));
  }
  void grow(std::size_t count) {
    T* const bigger = std::allocator<T>().allocate(count);
    std::uninitialized_move(begin(), end(), bigger);
    const std::size_t size = size_;
    let_go();
    more_ = bigger;
    size_ = size;
    capacity_ = count;
  }
  /// Precondition: empty, and `more_` is null.
  void take(InlineVector& other) noexcept {
    if (other.more_ != nullptr) {
      more_ = std::exchange(other.more_, nullptr);
      capacity_ = std::exchange(other.capacity_, kHere);
      size_ = std::exchange(other.size_, 0);
      return;
    }
    std::uninitialized_move(other.begin(), other.end(), begin());
    size_ = other.size_;
    other.clear();
  }
  void let_go() {
    clear();
    if (more_ == nullptr) return;
    std::allocator<T>().deallocate(std::exchange(more_, nullptr), capacity_);
    capacity_ = kHere;
  }

  T* more_ = nullptr;  // null: the elements are in here_
  std::size_t size_ = 0;
  std::size_t capacity_ = kHere;
  alignas(T) std::byte here_[kHere * sizeof(T)];
};

}  // namespace skmd::domain
