// SPDX-License-Identifier: Apache-2.0
// What vendors' extensions add to the bits and property names of the calls that create contexts, queues and memory
// objects. The virtual device reports none of these extensions, yet programs pass what they are used to. The rule:
//   - a hint (where memory lies, how it is cached, what goes first) changes no result: taken, ignored, and told back
//     by the object's queries as it was given;
//   - what changes a meaning (access rights, what a pointer points to, where output goes) is refused with the call's
//     error for unknown values, and the reason names it;
//   - a bit that is a hint with one vendor and a meaning with another is refused.
// Values are those of the vendors' public headers. No vendor's header adds bits to cl_map_flags or
// cl_mem_migration_flags.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace skmd::icd::api {

struct VendorExtra {
  const char* name;
  std::uint64_t value;       // the bit (in tables of bits), or the property's name
  bool hint;                 // taken and ignored; else refused
  const char* meaning;       // one phrase, which the reason of a refusal quotes
  std::uint64_t one_of = 0;  // of a hint's property: its value is one bit of these; 0: any value
};

/// cl_mem_flags.
inline constexpr VendorExtra kVendorMemoryFlags[] = {
    {"CL_MEM_USE_PERSISTENT_MEM_AMD", 1u << 6, true, "device memory that the host sees"},
    {"CL_CHANNEL_1_INTELFPGA", 1u << 16, true, "first bit of the number of a memory bank"},
    {"CL_CHANNEL_2_INTELFPGA", 1u << 17, true, "second bit of the number of a memory bank"},
    {"CL_CHANNEL_4_INTELFPGA", 1u << 18, true, "third bit of the number of a memory bank"},
    {"CL_MEM_HETEROGENEOUS_INTELFPGA", 1u << 19, true, "the memory that the kernel's argument names"},
    {"CL_MEM_FORCE_HOST_MEMORY_INTEL", 1u << 20, true, "host memory"},
    {"CL_MEM_COMPRESSED_HINT_INTEL", 1u << 21, true, "compression pays"},
    {"CL_MEM_UNCOMPRESSED_HINT_INTEL", 1u << 22, true, "compression does not pay"},
    // Sizes above CL_DEVICE_MAX_MEM_ALLOC_SIZE are refused for what they are.
    {"CL_MEM_ALLOW_UNRESTRICTED_SIZE_INTEL", 1u << 23, true, "a size beyond the limit is wished for"},
    {"CL_MEM_NO_ACCESS_INTEL", 1u << 24, false, "kernels may not access the object"},
    {"CL_MEM_ACCESS_FLAGS_UNRESTRICTED_INTEL", 1u << 25, false, "views may access more than the object"},
    {"CL_MEM_USE_UNCACHED_CPU_MEMORY_IMG", 1u << 26, true, "host accesses are not cached"},
    {"CL_MEM_USE_CACHED_CPU_MEMORY_IMG or Xilinx's register map", 1u << 27, false, "a caching hint, or registers"},
    {"CL_MEM_USE_GRALLOC_PTR_IMG", 1u << 28, false, "host_ptr is a handle"},
    {"CL_MEM_EXT_HOST_PTR_QCOM", 1u << 29, false, "host_ptr is a structure"},
    {"CL_MEM_BUS_ADDRESSABLE_AMD", 1u << 30, false, "other devices write to the memory"},
    {"CL_MEM_EXTERNAL_PHYSICAL_AMD or CL_MEM_EXT_PTR_XILINX", 1u << 31, false, "host_ptr is a structure"},
    {"CL_MEM_PROTECTED_ALLOC_ARM", std::uint64_t{1} << 36, false, "the host may not see the contents"},
};

/// Names of cl_mem_properties.
inline constexpr VendorExtra kVendorMemoryProperties[] = {
    {"CL_MEM_ALLOC_FLAGS_IMG", 0x40D7, true, "requirements that need not be met"},
    {"CL_MEM_ALLOC_FLAGS_INTEL", 0x4195, true, "write-combining, first placement"},
    {"CL_MEM_ALLOC_BUFFER_LOCATION_INTEL", 0x419E, true, "number of a memory"},
    {"CL_MEM_CHANNEL_INTEL", 0x4213, true, "number of a memory bank"},
    {"CL_MEM_DEVICE_HANDLE_LIST_KHR", 0x2051, false, "devices that may use external memory"},
    {"CL_EXTERNAL_MEMORY_HANDLE_OPAQUE_FD_KHR", 0x2060, false, "the memory belongs to another API"},
    {"CL_EXTERNAL_MEMORY_HANDLE_DMA_BUF_KHR", 0x2067, false, "the memory belongs to another API"},
};

/// Bits of cl_command_queue_properties.
inline constexpr VendorExtra kVendorQueueBits[] = {
    {"CL_QUEUE_NO_SYNC_OPERATIONS_INTEL", 1u << 29, true, "the program promises not to wait across queues"},
    {"CL_QUEUE_THREAD_LOCAL_EXEC_ENABLE_INTEL", 1u << 31, false, "commands run on the calling thread"},
};

/// Names of cl_queue_properties.
inline constexpr VendorExtra kVendorQueueProperties[] = {
    {"CL_QUEUE_PRIORITY_KHR", 0x1096, true, "which queue goes first", 7},
    {"CL_QUEUE_THROTTLE_KHR", 0x1097, true, "how much power may be spent", 7},
    {"CL_QUEUE_JOB_SLOT_ARM", 0x41E1, true, "which slot of the hardware"},
    {"CL_QUEUE_KERNEL_BATCHING_ARM", 0x41E7, true, "small kernels may be joined"},
    {"CL_QUEUE_DEFERRED_FLUSH_ARM", 0x41EC, true, "submitting may wait"},
    {"CL_QUEUE_FAMILY_INTEL", 0x418C, false, "an engine that takes only some commands"},
    {"CL_QUEUE_INDEX_INTEL", 0x418D, false, "an engine that takes only some commands"},
};

/// Names of cl_context_properties.
inline constexpr VendorExtra kVendorContextProperties[] = {
    {"CL_CONTEXT_PERF_HINT_QCOM", 0x40C2, true, "how much power may be spent"},
    {"CL_CONTEXT_PRIORITY_HINT_QCOM", 0x40C9, true, "which context goes first"},
    {"CL_CONTEXT_SHOW_DIAGNOSTICS_INTEL", 0x4106, true, "advice through pfn_notify"},
    {"CL_CONTEXT_MEMORY_INITIALIZE_KHR", 0x2030, false, "memory starts with zeros"},
    {"CL_CONTEXT_TERMINATE_KHR", 0x2032, false, "the context can be ended"},
    {"CL_CONTEXT_OFFLINE_DEVICES_AMD", 0x403F, false, "devices that are not there"},
    {"CL_PRINTF_CALLBACK_ARM", 0x40B0, false, "printf writes to a function"},
    {"CL_PRINTF_BUFFERSIZE_ARM", 0x40B1, true, "room for what printf writes"},
};

/// The bits that a table takes as hints.
constexpr std::uint64_t hint_bits(std::span<const VendorExtra> table) {
  std::uint64_t bits = 0;
  for (const VendorExtra& extra : table)
    if (extra.hint) bits |= extra.value;
  return bits;
}

/// True if `name` is a hint's, with a value that this hint has.
constexpr bool is_hint(std::span<const VendorExtra> table, std::uint64_t name, std::uint64_t value) {
  for (const VendorExtra& extra : table) {
    if (extra.value != name || !extra.hint) continue;
    const bool one_bit = value != 0 && (value & (value - 1)) == 0;
    return extra.one_of == 0 || (one_bit && (value & ~extra.one_of) == 0);
  }
  return false;
}

/// " (NAME: meaning)" of the refused bits or of a refused name, for reasons; "" if the tables know none of them.
inline std::string known_as(std::span<const VendorExtra> table, std::uint64_t bits_or_name, bool bits) {
  std::string text;
  for (const VendorExtra& extra : table)
    if (bits ? !extra.hint && (extra.value & bits_or_name) != 0 : extra.value == bits_or_name)
      text += std::string(" (") + extra.name + ": " + extra.meaning + ")";
  return text;
}

}  // namespace skmd::icd::api
