// SPDX-License-Identifier: Apache-2.0
// Layout, little endian: magic, version, number of kernels, kernels, FNV-1a of everything before it.
// Vectors and strings are a 32-bit count and their elements; enums and booleans one byte.
#include "partitioner/traits/traits_codec.h"

#include <cstring>
#include <type_traits>

namespace skmd::domain {
namespace {

constexpr std::uint32_t kMagic = 0x54444B53u;  // "SKDT"

std::uint64_t checksum(const std::byte* bytes, std::size_t size) {
  std::uint64_t hash = 0xCBF29CE484222325u;
  for (std::size_t i = 0; i < size; ++i) hash = (hash ^ static_cast<std::uint8_t>(bytes[i])) * 0x100000001B3u;
  return hash;
}

class Writer {
 public:
  template <class T>
  void number(T value) {
    const auto bits = static_cast<std::uint64_t>(value);
    for (std::size_t i = 0; i < sizeof(T); ++i) out_.push_back(static_cast<char>(bits >> (8 * i) & 0xFF));
  }
  template <class T>
  void field(const T& value) {
    if constexpr (std::is_enum_v<T>) {
      number(static_cast<std::underlying_type_t<T>>(value));
    } else if constexpr (std::is_same_v<T, bool>) {
      number(static_cast<std::uint8_t>(value));
    } else {
      number(value);
    }
  }
  void field(const std::string& text) {
    number(static_cast<std::uint32_t>(text.size()));
    out_ += text;
  }
  std::string take() { return std::move(out_); }
  [[nodiscard]] const std::string& bytes() const { return out_; }

 private:
  std::string out_;
};

/// Reads past the end give zeros and make the reader bad, so that callers check once.
class Reader {
 public:
  explicit Reader(std::span<const std::byte> bytes) : bytes_(bytes) {}

  template <class T>
  void number(T& value) {
    if (bytes_.size() - at_ < sizeof(T)) return spoil();
    std::uint64_t bits = 0;
    for (std::size_t i = 0; i < sizeof(T); ++i)
      bits |= std::uint64_t{static_cast<std::uint8_t>(bytes_[at_ + i])} << (8 * i);
    value = static_cast<T>(bits);
    at_ += sizeof(T);
  }
  template <class T>
  void field(T& value) {
    if constexpr (std::is_enum_v<T>) {
      static_assert(sizeof(T) == 1);
      std::uint8_t raw = 0;
      number(raw);
      value = static_cast<T>(raw);
    } else if constexpr (std::is_same_v<T, bool>) {
      std::uint8_t raw = 0;
      number(raw);
      if (raw > 1) spoil();
      value = raw == 1;
    } else {
      number(value);
    }
  }
  void field(std::string& text) {
    const std::uint32_t size = count(1);
    text.assign(reinterpret_cast<const char*>(bytes_.data()) + at_, size);
    at_ += size;
  }
  /// A count of elements of at least `element` bytes each; never more than the rest can hold.
  std::uint32_t count(std::size_t element) {
    std::uint32_t n = 0;
    number(n);
    if (n > (bytes_.size() - at_) / element) {
      spoil();
      return 0;
    }
    return n;
  }
  [[nodiscard]] bool good() const { return good_; }
  [[nodiscard]] bool at_end() const { return at_ == bytes_.size(); }

 private:
  void spoil() {
    good_ = false;
    at_ = bytes_.size();
  }
  std::span<const std::byte> bytes_;
  std::size_t at_ = 0;
  bool good_ = true;
};

// One list of fields for both directions: `Stream` is Writer or Reader.
template <class Stream, class... Fields>
void fields(Stream& stream, Fields&... values) {
  (stream.field(values), ...);
}

template <class Stream, class NodeT>
void node_fields(Stream& s, NodeT& n) {
  fields(s, n.op, n.bits, n.dim, n.aux, n.a, n.b, n.c, n.value);
}
constexpr std::size_t kNodeBytes = 3 + 4 * 4 + 8;  // of the fields above

template <class Stream, class LoopT>
void loop_fields(Stream& s, LoopT& l) {
  fields(s, l.backedges, l.exact, l.ratio, l.doublings);
}
constexpr std::size_t kLoopBytes = 4 + 1 + 4 + 1;  // of the fields above

template <class Stream, class GuardT>
void guard_fields(Stream& s, GuardT& g) {
  fields(s, g.node, g.expected);
}
constexpr std::size_t kGuardBytes = 5;  // of the fields above

template <class Stream, class ParameterT>
void parameter_fields(Stream& s, ParameterT& p) {
  fields(s, p.kind, p.size, p.align, p.three_vector, p.image_access, p.image_type, p.name, p.type_name,
         p.address_qualifier, p.access_qualifier, p.type_qualifier);
}
constexpr std::size_t kParameterBytes = 1 + 4 + 4 + 1 + 1 + 4 + 4 + 4 + 4 + 4 + 8;  // of the fields above

template <class Stream, class AccessT>
void access_fields(Stream& s, AccessT& a) {
  fields(s, a.kind, a.argument, a.offset, a.width, a.count, a.element, a.guards_complete, a.atomic,
         a.atomic_result_used);
}
constexpr std::size_t kAccessBytes = 1 + 5 * 4 + 3 + 8;  // of the fields above

constexpr std::size_t kOperationCountBytes = 4 + 8;  // a node and a number

template <class Stream, class KernelT>
void head_fields(Stream& s, KernelT& k) {
  fields(s, k.name, k.attributes, k.required_local[0], k.required_local[1], k.required_local[2], k.local_bytes,
         k.queries, k.facts, k.hidden_record, k.access, k.merge_function, k.locals_known);
}
constexpr std::size_t kKernelBytes = 4 + 4 + 12 + 8 + 8 + 4 + 8 * 4;  // of the fields above

template <class T, class Each>
void write_all(Writer& w, const std::vector<T>& items, Each each) {
  w.number(static_cast<std::uint32_t>(items.size()));
  for (const T& item : items) each(w, item);
}

template <class T, class Each>
void read_all(Reader& r, std::vector<T>& items, std::size_t element, Each each) {
  items.resize(r.count(element));
  for (T& item : items) {
    each(r, item);
    if (!r.good()) return;
  }
}

void write_circumstances(Writer& w, const std::vector<Guard>& guards, const std::vector<std::uint32_t>& loops) {
  write_all(w, guards, [](Writer& s, const Guard& g) { guard_fields(s, g); });
  write_all(w, loops, [](Writer& s, std::uint32_t loop) { s.number(loop); });
}

void read_circumstances(Reader& r, std::vector<Guard>& guards, std::vector<std::uint32_t>& loops) {
  read_all(r, guards, kGuardBytes, [](Reader& s, Guard& g) { guard_fields(s, g); });
  read_all(r, loops, 4, [](Reader& s, std::uint32_t& loop) { s.number(loop); });
}

void write_accesses(Writer& w, const std::vector<Access>& accesses) {
  write_all(w, accesses, [](Writer& s, const Access& a) {
    access_fields(s, a);
    write_circumstances(s, a.guards, a.loops);
  });
}

void read_accesses(Reader& r, std::vector<Access>& accesses) {
  read_all(r, accesses, kAccessBytes, [](Reader& s, Access& a) {
    access_fields(s, a);
    read_circumstances(s, a.guards, a.loops);
  });
}

void write_kernel(Writer& w, const KernelTraits& k) {
  head_fields(w, k);
  write_all(w, k.parameters, [](Writer& s, const Parameter& p) { parameter_fields(s, p); });
  write_all(w, k.nodes, [](Writer& s, const Node& n) { node_fields(s, n); });
  write_all(w, k.loops, [](Writer& s, const Loop& l) { loop_fields(s, l); });
  write_accesses(w, k.accesses);
  write_accesses(w, k.local_accesses);
  write_all(w, k.local_variables, [](Writer& s, std::uint64_t bytes) { s.number(bytes); });
  write_all(w, k.operations, [](Writer& s, const OperationCount& o) {
    s.number(o.operations);
    write_circumstances(s, o.guards, o.loops);
  });
  write_all(w, k.merge_loads, [](Writer& s, std::uint32_t argument) { s.number(argument); });
}

void read_kernel(Reader& r, KernelTraits& k) {
  head_fields(r, k);
  read_all(r, k.parameters, kParameterBytes, [](Reader& s, Parameter& p) { parameter_fields(s, p); });
  read_all(r, k.nodes, kNodeBytes, [](Reader& s, Node& n) { node_fields(s, n); });
  read_all(r, k.loops, kLoopBytes, [](Reader& s, Loop& l) { loop_fields(s, l); });
  read_accesses(r, k.accesses);
  read_accesses(r, k.local_accesses);
  read_all(r, k.local_variables, 8, [](Reader& s, std::uint64_t& bytes) { s.number(bytes); });
  read_all(r, k.operations, kOperationCountBytes, [](Reader& s, OperationCount& o) {
    s.number(o.operations);
    read_circumstances(s, o.guards, o.loops);
  });
  read_all(r, k.merge_loads, 4, [](Reader& s, std::uint32_t& argument) { s.number(argument); });
}

Error refused(const std::string& what) { return {0, "kernel traits: " + what}; }

}  // namespace

std::string encode(const std::vector<KernelTraits>& kernels) {
  Writer w;
  w.number(kMagic);
  w.number(kTraitsVersion);
  write_all(w, kernels, write_kernel);
  w.number(checksum(reinterpret_cast<const std::byte*>(w.bytes().data()), w.bytes().size()));
  return w.take();
}

Result<std::vector<KernelTraits>> decode_traits(std::span<const std::byte> bytes) {
  constexpr std::size_t kFrame = 4 + 4 + 4 + 8;  // magic, version, count, checksum
  if (bytes.size() < kFrame) return refused(std::to_string(bytes.size()) + " bytes are too few");
  const auto body = bytes.first(bytes.size() - 8);
  Reader tail(bytes.last(8));
  std::uint64_t sum = 0;
  tail.number(sum);
  Reader r(body);
  std::uint32_t magic = 0;
  std::uint32_t version = 0;
  fields(r, magic, version);
  if (magic != kMagic) return refused("magic number is wrong");
  if (version != kTraitsVersion) {
    return refused("version " + std::to_string(version) + ", expected " + std::to_string(kTraitsVersion));
  }
  if (sum != checksum(body.data(), body.size())) return refused("checksum does not match");
  std::vector<KernelTraits> kernels;
  read_all(r, kernels, kKernelBytes, read_kernel);
  if (!r.good()) return refused("truncated, or a count or truth value out of range");
  if (!r.at_end()) return refused("bytes follow the last kernel");
  for (const KernelTraits& kernel : kernels) {
    if (Status status = check_traits(kernel); !status) return refused(kernel.name + ": " + status.error().reason);
  }
  return kernels;
}

}  // namespace skmd::domain
