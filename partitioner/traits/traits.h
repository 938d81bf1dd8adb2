// SPDX-License-Identifier: Apache-2.0
// The traits of one kernel, as values: the contract between compiler/ and the driver. Index expressions are a small DAG
// of typed integer operations, evaluated per launch (partitioner/footprint/footprint.h): the dataflow analysis of SKMD
// (TOCS 2015), section 3.2, split into a part at compile time and one at launch.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace skmd::domain {

using NodeId = std::uint32_t;
inline constexpr NodeId kNoNode = 0xFFFFFFFFu;

/// One step of an index expression. Leaves first. A value of `bits` bits is any mathematical integer congruent to it
/// modulo 2^bits; zext, sext, division, shifts right, min/max and compare fix its representative (see footprint.h).
enum class Op : std::uint8_t {
  constant,       // value
  group_id,       // dim; of the whole launch
  local_id,       // dim
  global_id,      // dim; offset + group_id·local_size + local_id
  local_size,     // dim
  group_count,    // dim
  global_size,    // dim
  global_offset,  // dim
  work_dim,
  scalar_argument,  // value = argument index, aux = byte offset inside it, `bits` wide, little endian; of images:
                    // image_geometry.h
  iteration,        // value = loop index: 0, 1, … backedge count of that loop
  unknown,          // any value of `bits` bits
  add,
  sub,
  mul,
  udiv,
  sdiv,
  urem,
  srem,
  bit_and,
  bit_or,
  bit_xor,
  shl,
  lshr,
  ashr,  // a, b
  smin,
  smax,
  umin,
  umax,  // a, b
  zext,
  sext,
  trunc,    // a
  select,   // a ? b : c
  compare,  // dim = Predicate, of a and b; 1 bit
  either,   // a or b, which of them is not known (phi)
};
inline constexpr std::uint8_t kOpCount = static_cast<std::uint8_t>(Op::either) + 1;

enum class Predicate : std::uint8_t { eq, ne, ult, ule, ugt, uge, slt, sle, sgt, sge };

struct Node {
  Op op = Op::unknown;
  std::uint8_t bits = 64;  // 1 … 64
  std::uint8_t dim = 0;    // dimension, or Predicate
  std::uint32_t aux = 0;
  NodeId a = kNoNode;  // operands come earlier in the vector than their users
  NodeId b = kNoNode;
  NodeId c = kNoNode;
  std::int64_t value = 0;
  bool operator==(const Node&) const = default;
};

/// `backedges`: how often the back edge is taken at most (kNoNode: unknown). `exact`: exactly that often whenever the
/// loop is entered. May depend on outer iterations, ids and scalars.
/// `ratio`: of a loop whose counter is multiplied or divided by 2^`doublings` in every pass, the ratio of its last to
/// its first value: the back edge is taken floor(log2(ratio) / doublings) times, not at all for 0. Used to estimate
/// work only; not a bound.
struct Loop {
  NodeId backedges = kNoNode;
  bool exact = false;
  NodeId ratio = kNoNode;      // kNoNode: no such loop
  std::uint8_t doublings = 0;  // 1 … 63; 0 without a ratio
  bool operator==(const Loop&) const = default;
};

/// Atomic operations that commute with each other form one class.
enum class AtomicClass : std::uint8_t {
  none,
  add,
  min_signed,
  max_signed,
  min_unsigned,
  max_unsigned,
  bit_and,
  bit_or,
  bit_xor,
  other
};

enum class AccessKind : std::uint8_t { read, write, atomic };

/// A condition under which an access runs: `node` is 1 bit wide and must be `expected`.
struct Guard {
  NodeId node = kNoNode;
  bool expected = true;
  bool operator==(const Guard&) const = default;
};

/// One load, store, atomic or memory builtin on global or constant memory reached through argument `argument`.
/// It touches bytes [offset, offset + width·count) from the argument's pointer, for every work-item and iteration
/// for which it runs.
struct Access {
  AccessKind kind = AccessKind::read;
  std::uint32_t argument = 0;
  NodeId offset = kNoNode;    // 64-bit signed bytes; kNoNode: anywhere in the buffer
  std::uint32_t width = 1;    // bytes
  NodeId count = kNoNode;     // elements of `width` that follow each other densely; kNoNode: 1
  std::uint32_t element = 1;  // bytes of one scalar component: the unit of a difference merge
  std::vector<Guard> guards;
  /// True if the guards, together with the loops around it being entered and running their exact counts, are all that
  /// decides whether the access runs. Only such writes can be "surely written".
  bool guards_complete = false;
  std::vector<std::uint32_t> loops;  // indices of the loops around it, outermost first
  AtomicClass atomic = AtomicClass::none;
  bool atomic_result_used = false;
  bool operator==(const Access&) const = default;
};

/// Instructions that a work-item executes together: once where `guards` hold, in every pass of all of `loops`.
/// Weighted as in compiler/analysis/operations.h. Used to estimate work only; not a bound.
struct OperationCount {
  std::uint32_t operations = 0;
  std::vector<Guard> guards;         // those conditions that ids, scalars and iterations decide; others count as met
  std::vector<std::uint32_t> loops;  // as Access::loops
  bool operator==(const OperationCount&) const = default;
};

/// The kind of a kernel parameter.
enum class ParameterKind : std::uint8_t {
  global_pointer,
  constant_pointer,
  local_pointer,
  value,
  image,
  sampler,
  other
};
enum class ImageAccess : std::uint8_t { none, read_only, write_only, read_write };

/// A parameter as the application wrote it (clGetKernelArgInfo), and the sizes that clSetKernelArg checks.
struct Parameter {
  ParameterKind kind = ParameterKind::value;
  std::uint32_t size = 0;     // bytes of a by-value argument; sizeof(handle) else
  std::uint32_t align = 1;    // bytes
  bool three_vector = false;  // size 16, but 12-byte (3/4 of size) values are taken too
  ImageAccess image_access = ImageAccess::none;
  std::uint32_t image_type = 0;  // CL_MEM_OBJECT_IMAGE…; 0 if not an image
  std::string name;
  std::string type_name;                // as clGetKernelArgInfo returns it
  std::uint32_t address_qualifier = 0;  // CL_KERNEL_ARG_ADDRESS_…
  std::uint32_t access_qualifier = 0;   // CL_KERNEL_ARG_ACCESS_…
  std::uint64_t type_qualifier = 0;     // CL_KERNEL_ARG_TYPE_… bits
  bool operator==(const Parameter&) const = default;
};

/// Bits of KernelTraits::queries.
enum Query : std::uint32_t {
  kQueryGroupId = 1u << 0,
  kQueryGroupCount = 1u << 1,
  kQueryGlobalSize = 1u << 2,
  kQueryGlobalOffset = 1u << 3,
  kQueryGlobalLinearId = 1u << 4,
  kQueryEnqueuedLocalSize = 1u << 5,
  kQueryGlobalId = 1u << 6,
  kQueryLocalId = 1u << 7,
  kQueryLocalSize = 1u << 8,
  kQueryWorkDim = 1u << 9,
  kQueryLocalLinearId = 1u << 10,
  kQuerySubGroup = 1u << 11,
};

/// Facts about the kernel's code. Most forbid or confine a split. Bits of KernelTraits::facts.
enum Fact : std::uint32_t {
  kFactAtomicResultUsed = 1u << 0,  // of an atomic on global memory
  kFactDeviceScopeSync = 1u << 1,   // device-scope fence or ordered atomic on global memory
  kFactSpinning = 1u << 2,          // volatile global access, or a loop that waits for a value in memory
  kFactPointerInMemory = 1u << 3,   // pointers stored to or loaded from global memory, or of unknown origin
  kFactImageRead = 1u << 4,         // of an image that may be written too
  kFactImageWritten = 1u << 5,      // at places not known before the launch
  kFactPrintf = 1u << 6,
  kFactMutableProgramScope = 1u << 7,
  kFactDeviceSpecificCode = 1u << 8,  // inline assembly, unknown external functions, sub-groups, warp-synchronous code
  kFactBarrier = 1u << 9,
  kFactLocalMemory = 1u << 10,
  kFactGlobalAtomics = 1u << 11,
  kFactFloatDecidesAddress = 1u << 12,   // by data or control dependence
  kFactMemoryDecidesAddress = 1u << 13,  // bytes loaded from a buffer decide an address or whether a store runs
  kFactDoubles = 1u << 14,
  kFactUsesFloat = 1u << 15,
  kFactDataDecidesWork = 1u << 16,  // bytes of memory or floating point decide whether and how often a loop goes round
};

/// SKMD (TOCS 2015), section 3.2 and Table II.
enum class AccessClass : std::uint8_t { contiguous, discontiguous };

struct KernelTraits {
  std::string name;
  std::string attributes;                                // CL_KERNEL_ATTRIBUTES
  std::vector<Parameter> parameters;                     // the application's; a hidden record is not among them
  std::array<std::uint32_t, 3> required_local{0, 0, 0};  // reqd_work_group_size; zeros: none
  std::uint64_t local_bytes = 0;                         // static __local memory
  std::uint32_t queries = 0;                             // Query bits
  std::uint32_t facts = 0;                               // Fact bits
  bool hidden_record = false;                            // the text handed to vendors has one parameter more at the end
  AccessClass access = AccessClass::discontiguous;
  std::vector<Node> nodes;
  std::vector<Loop> loops;
  std::vector<Access> accesses;  // complete: an access missing here is a wrong result
  /// Likewise of local memory, and complete only where `locals_known`: `argument` is that of a local pointer or, from
  /// parameters.size() on, the number of a local variable. Only kind, argument, offset, width, guards and loops are
  /// set.
  std::vector<Access> local_accesses;
  std::vector<std::uint64_t> local_variables;  // bytes of each
  bool locals_known = false;
  std::vector<OperationCount> operations;  // empty: the code could not be analysed
  bool merge_function = false;             // span code has one: merge rung 2
  std::vector<std::uint32_t> merge_loads;  // arguments that it loads from
  bool operator==(const KernelTraits&) const = default;
};

}  // namespace skmd::domain
