// SPDX-License-Identifier: Apache-2.0
// What the application holds: handles. A handle is a small slot that is never unmapped, so that the loader may read its
// dispatch word, and we its kind, even after the last release. Behind it stands an Object, counted separately: the
// application's count lives in the slot, internal references in the Object.
#pragma once

#include <CL/cl_icd.h>

#include <atomic>
#include <cstdint>
#include <utility>

namespace skmd::icd {

enum class Kind : std::uint32_t { none, platform, device, context, queue, memory, sampler, program, kernel, event };

class Object;

/// First word: dispatch table. Second word: left to loaders of cl_khr_icd 2.0.
struct Slot {
  const cl_icd_dispatch* dispatch = nullptr;
  void* loader_word = nullptr;
  // Null once dead: when the application's count reaches 0, or for contexts, programs, memory objects and devices,
  // which live on under attached objects, when the object goes.
  std::atomic<Object*> object{nullptr};
  std::atomic<std::uint32_t> references{0};  // the application's count
  std::atomic<Kind> kind{Kind::none};
};

/// Base of everything a handle can name. Intrusively counted (internal references only).
class Object {
 public:
  Object(const Object&) = delete;
  Object& operator=(const Object&) = delete;

  void hold() { count_.fetch_add(1, std::memory_order_relaxed); }
  void drop() {
    if (count_.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
    if (slot_ != nullptr)
      slot_->object.store(nullptr, std::memory_order_release);  // dead before destructor callbacks run
    delete this;
  }
  /// The handle to give to the application; made by publish().
  [[nodiscard]] Slot* slot() const { return slot_; }
  [[nodiscard]] Kind kind() const { return kind_; }

 protected:
  explicit Object(Kind kind) : kind_(kind) {}
  virtual ~Object();  // gives the slot back

 private:
  friend Slot* publish(Object& object);
  std::atomic<std::uint32_t> count_{1};
  Slot* slot_ = nullptr;
  Kind kind_;
};

/// Owning reference to an Object.
template <class T>
class Ref {
 public:
  Ref() = default;
  Ref(std::nullptr_t) {}  // NOLINT(google-explicit-constructor): as of pointers
  /// Shares: takes a reference of its own.
  explicit Ref(T* object) : object_(object) {
    if (object_) object_->hold();
  }
  /// Takes over the reference that `new` made.
  static Ref adopt(T* object) {
    Ref r;
    r.object_ = object;
    return r;
  }
  Ref(const Ref& o) : object_(o.object_) {
    if (object_) object_->hold();
  }
  Ref(Ref&& o) noexcept : object_(std::exchange(o.object_, nullptr)) {}
  template <class U>
  Ref(const Ref<U>& o) : Ref(static_cast<T*>(o.get())) {}  // NOLINT(google-explicit-constructor): up-cast
  Ref& operator=(Ref o) noexcept {
    std::swap(object_, o.object_);
    return *this;
  }
  ~Ref() {
    if (object_) object_->drop();
  }

  T* get() const { return object_; }
  T* operator->() const { return object_; }
  T& operator*() const { return *object_; }
  explicit operator bool() const { return object_ != nullptr; }
  bool operator==(const Ref&) const = default;

 private:
  T* object_ = nullptr;
};

template <class T, class... A>
Ref<T> make_object(A&&... arguments) {
  return Ref<T>::adopt(new T(std::forward<A>(arguments)...));
}

/// Gives `object` its handle, with application count 1; the application's count keeps one internal reference. Call
/// once; objects that the application did not ask for (most events) need no handle. Null: no memory for slots.
Slot* publish(Object& object);

/// The object behind a handle, or null: null pointer, not a slot of ours, wrong kind, or dead. Never dereferences a
/// pointer that is not one of our slots.
Object* look_up(const void* handle, Kind kind);

/// False if the handle is dead (refused, not resurrected). A context, program, memory object or device whose count is 0
/// but which attached objects keep alive can be retained again: their queries hand its handle out.
bool retain(Slot& slot);
/// The application's count after the release; when it reaches 0 the handle is dead at once and the internal reference
/// goes.
std::uint32_t release(Slot& slot);

/// The dispatch table that every slot gets; set once by the composition root before anything is published.
void set_dispatch(const cl_icd_dispatch* table);

}  // namespace skmd::icd
