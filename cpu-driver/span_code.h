// SPDX-License-Identifier: Apache-2.0
// Span code: machine code that runs the work-groups [first, last) of a launch, as skmd-compile makes it and the driver
// loads it. An artifact is a SpanHeader followed by one ELF shared object that needs no other, with one function per
// kernel. The store of artifacts protects them with a hash; here only version and machine are checked.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace skmd::cpu {

/// One argument of the kernel. A buffer: its bytes in host memory, null for a null pointer. A value: a copy of it,
/// padded to a multiple of 16 bytes. An image: a SpanImage. A sampler: 32 bits as CLK_ constants of OpenCL C have them.
/// Everything else: nothing.
struct SpanArgument {
  std::byte* bytes = nullptr;
  /// Merge functions: another device's result of this buffer, from which stored bytes are copied; nothing else is read.
  const std::byte* result = nullptr;
  std::uint64_t size = 0;
  /// Merge functions: a bit for each unit (units_symbol) of the first `marked` bytes, set where a group stores. Stores
  /// beyond `marked` are copied at once.
  std::uint64_t* marks = nullptr;
  std::uint64_t marked = 0;
};

/// An image in host memory: element (x, y, z) is at bytes + x * element_bytes + y * row_pitch + z * slice_pitch, where
/// the layer is y or z of images that have layers. Extents that the image's kind does not have are 1.
struct SpanImage {
  std::byte* bytes = nullptr;
  std::uint64_t row_pitch = 0;
  std::uint64_t slice_pitch = 0;
  std::uint32_t width = 1;
  std::uint32_t height = 1;
  std::uint32_t depth = 1;
  std::uint32_t layers = 1;
  std::uint32_t order = 0;  // cl_channel_order
  std::uint32_t type = 0;   // cl_channel_type
  std::uint32_t element_bytes = 0;
  std::uint32_t reserved = 0;
};

/// What a work-item of checked code does that it should not, or ends its launch with.
enum class TrapKind : std::uint8_t {
  out_of_bounds,     // an access outside of its memory, which was not executed
  division_by_zero,  // or a remainder; of integers
  terminated,        // arm_terminate_kernel
};
inline constexpr const char* kTrapKinds[] = {"out_of_bounds", "division_by_zero", "terminated"};  // by TrapKind

/// The report of checked code: its traps.
struct CheckReport {
  std::uint64_t count = 0;  // of traps; the other fields describe the first one
  std::uint64_t site = 0;   // the line, from 0, of the kernel's sites_symbol
  /// Of an access, the bytes from the start of the memory that it should have been in, signed; of arm_terminate_kernel,
  /// its argument; else 0.
  std::uint64_t offset = 0;
  std::uint64_t size = 0;             // of that memory, bytes
  std::uint64_t item[3] = {0, 0, 0};  // the work-item's global id
};

/// The launch's geometry and arguments. Generated code reads it by offset: a change is a new kSpanVersion.
struct SpanFrame {
  std::uint64_t work_dim = 1;
  std::uint64_t global_offset[3]{0, 0, 0};
  std::uint64_t global_size[3]{1, 1, 1};
  std::uint64_t group_count[3]{1, 1, 1};
  std::uint64_t local_size[3]{1, 1, 1};
  const SpanArgument* arguments = nullptr;
  /// Kernels: offset in a thread's scratch memory at which the work-items' part begins (KernelFacts).
  std::uint64_t items_offset = 0;
  /// Checked kernels: the report of the whole launch.
  CheckReport* report = nullptr;
  /// Kernels whose groups may run side by side (KernelFacts::lane_groups): how many do (0: one after another); where in
  /// a thread's scratch memory their local memory begins; how many bytes each has, a multiple of kScratchAlignment.
  std::uint64_t lane_groups = 0;
  std::uint64_t lanes_offset = 0;
  std::uint64_t lane_bytes = 0;
};

/// Runs all work-items of the groups [first, last), flattened with dimension 0 fastest. Calls for different spans may
/// run at the same time.
using SpanFunction = void (*)(const SpanFrame* frame, std::uint64_t first, std::uint64_t last);

/// Runs the groups [first, last) of a kernel itself, likewise. `scratch` is this call's own memory, aligned to
/// kScratchAlignment: first the kernel's local variables (KernelFacts::local_bytes), then its local arguments, each
/// aligned to 128 and named by its offset in `scratch`, as SpanArgument::bytes; from items_offset on, aligned to
/// kScratchAlignment, KernelFacts::fixed_bytes and KernelFacts::item_bytes for each item of a padded group: dimension
/// 0 of its local size rounded up to a multiple of KernelFacts::width; from lanes_offset on, aligned likewise,
/// KernelFacts::lane_groups times twice lane_bytes and kBetweenLanes. Its contents before the call are not used.
using KernelFunction = void (*)(const SpanFrame* frame, std::uint64_t first, std::uint64_t last, std::byte* scratch);
/// Bytes: of OpenCL C's widest value, sixteen numbers of 64 bits.
inline constexpr std::uint64_t kScratchAlignment = 128;
/// Bytes between the local memories of groups side by side, where each is in one piece: without them they would map to
/// the same sets of a cache.
inline constexpr std::uint64_t kBetweenLanes = 128;
/// Generated code may read this many bytes before `scratch` and behind its end, and write back what it read there; it
/// uses none of them.
inline constexpr std::uint64_t kReadAroundScratch = 4096;

struct KernelFacts {
  std::uint64_t local_bytes = 0;
  std::uint64_t fixed_bytes = 0;
  std::uint64_t item_bytes = 0;
  std::uint64_t private_bytes = 0;  // of one work-item, for CL_KERNEL_PRIVATE_MEM_SIZE
  std::uint32_t width = 1;          // lanes
  std::uint32_t prints = 0;         // 1: calls printf
  std::uint32_t lane_groups = 0;    // how many groups may run side by side; 0: none
  std::uint32_t reserved = 0;
};

/// A format that kernels give to printf. `arguments` lists what calls pass: a letter, i for integers, f for floating
/// point, p for pointers, and the bits of an element; behind an x the number of elements of a vector. "i32 f32x4".
struct PrintFormatEntry {
  const char* text = nullptr;
  const char* arguments = nullptr;
};
/// Constant characters of the program, which %s may be given.
struct PrintStringEntry {
  const char* text = nullptr;
  std::uint64_t bytes = 0;
};
/// All of a program's; its name in the shared object is kPrintTable. Programs that do not print have none.
struct PrintTable {
  std::uint64_t format_count = 0;
  const PrintFormatEntry* formats = nullptr;
  std::uint64_t string_count = 0;
  const PrintStringEntry* strings = nullptr;
};
inline constexpr const char* kPrintTable = "skmd_print_table";

/// Room for a record of so many bytes, a multiple of 8, aligned to 8; null: there is none, and printf gives -1. A
/// record is the format's index in the table and each element of the arguments, as numbers of 64 bits. The shared
/// object has a variable kPrintRoom of this type, initially null, which its loader sets. Called by kernel functions, on
/// their thread.
using PrintRoom = std::byte* (*)(std::uint64_t bytes);
inline constexpr const char* kPrintRoom = "skmd_print_room";

/// The names of a kernel's function and of its KernelFacts in the shared object.
inline std::string kernel_symbol(std::string_view kernel) { return std::string("skmd_kernel_").append(kernel); }
inline std::string facts_symbol(std::string_view kernel) { return std::string("skmd_facts_").append(kernel); }

/// The name of a text, ended by a 0, that only checked kernels have. It has one line for each place of the code that
/// may trap, of five columns with tabs between: "line 7" or where that is; what it does ("reads 4 bytes"); of an access
/// the name of the memory that it should do that in, and "" or the names of other memory that it might; the name of
/// its TrapKind.
inline std::string sites_symbol(std::string_view kernel) { return std::string("skmd_sites_").append(kernel); }

/// The name of a kernel's merge function in the shared object.
inline std::string merge_symbol(std::string_view kernel) { return std::string("skmd_merge_").append(kernel); }

/// The name of one byte for each of the kernel's arguments: the unit, a power of two, that divides place and size of
/// all that the merge function stores in it; 0: it stores nothing there.
inline std::string units_symbol(std::string_view kernel) { return std::string("skmd_units_").append(kernel); }

/// "1SMKSPAN", and the number that every change of this page raises: code of another is not run.
inline constexpr std::uint64_t kSpanMagic = 0x4E4150534B4D5331u;
inline constexpr std::uint32_t kSpanVersion = 10;

enum class SpanTarget : std::uint32_t { x86_64_v2 = 1, aarch64 = 2, x86_64_v3 = 3, x86_64_v4 = 4, x86_64_v4_vbmi = 5 };

struct SpanHeader {
  std::uint64_t magic = kSpanMagic;
  std::uint32_t version = kSpanVersion;
  SpanTarget target = SpanTarget::x86_64_v2;
  std::uint64_t bytes = 0;  // of the shared object that follows
};

}  // namespace skmd::cpu
