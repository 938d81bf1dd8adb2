// SPDX-License-Identifier: Apache-2.0
// Vendors' OpenCL libraries, loaded directly. The only dlopen of the project. A library stays loaded for ever: its
// threads and its objects may outlive everything of ours.
#pragma once

#include <CL/cl_icd.h>

#include <functional>
#include <string>
#include <vector>

#include "partitioner/base/result.h"

namespace skmd::icd {

/// Exported by a driver that reaches other machines: the server, HOST:PORT, that a cl_device_id belongs to; null where
/// it is none of its remote devices. The text lives as long as the process.
inline constexpr const char* kServerOfDevice = "pocl_remote_device_server";
using ServerOfDevice = const char* (*)(const void* device);

/// A platform of a loaded library. Calls go through `cl`, the table behind the first word of the platform's handle; the
/// slots of clGetPlatformIDs and clUnloadCompiler are never called (drivers of cl_khr_icd 2.0 keep tags there).
struct VendorPlatform {
  const cl_icd_dispatch* cl = nullptr;
  cl_platform_id id = nullptr;
  std::string name;                    // CL_PLATFORM_NAME
  std::string version;                 // CL_PLATFORM_VERSION
  ServerOfDevice server_of = nullptr;  // null: all its devices are in this machine
};

/// One `.icd` file: its path and the library it names.
struct IcdFile {
  std::string path;
  std::string library;
};

/// The `.icd` files of `folder` in the order of their names; that one alone if it is such a file itself. An error if
/// the folder cannot be read.
domain::Result<std::vector<IcdFile>> read_icd_files(const std::string& folder);

/// Finds a function of a library that is being loaded; null: it has none of that name.
using FindSymbol = std::function<void*(const char* name)>;
/// Called before the first OpenCL call into a library; an error makes it unusable.
using Prepare = std::function<domain::Status(const FindSymbol&)>;

/// Loads `library` (a name for the dynamic linker, or a path) and asks for its platforms. An error says why the library
/// cannot be used: it is `own_library`, another SKMD, no ICD, it failed its first query, or `prepare` refused it.
domain::Result<std::vector<VendorPlatform>> load_vendor(const std::string& library, const std::string& own_library,
                                                        const Prepare& prepare = {});

/// Whether the process has loaded `library` already.
bool is_mapped(const std::string& library);

/// The file that the dynamic linker found the platform's driver in; "" if it does not say.
std::string file_of(const VendorPlatform& platform);

/// A string answer of clGetPlatformInfo; empty if the platform does not give one.
std::string platform_text(const VendorPlatform& platform, cl_platform_info name);

}  // namespace skmd::icd
