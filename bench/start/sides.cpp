// SPDX-License-Identifier: Apache-2.0
#include "bench/start/sides.h"

#include <filesystem>
#include <fstream>
#include <stdexcept>

namespace bench {
namespace {

namespace fs = std::filesystem;

constexpr const char* kVendors = "/etc/OpenCL/vendors";

/// What the vendors' folder names that is PoCL's.
std::string pocl_library() {
  std::error_code failed;
  for (const auto& entry : fs::directory_iterator(kVendors, failed)) {
    std::string line;
    std::ifstream(entry.path()) >> line;
    if (entry.path().extension() == ".icd" && line.find("pocl") != std::string::npos) return line;
  }
  throw std::runtime_error(std::string("PoCL is not installed: no file of ") + kVendors + " names its library");
}

/// ocl-icd reads the folder, other loaders the list of libraries.
std::map<std::string, std::string> only(const std::string& folder, const std::string& library) {
  fs::create_directories(folder);
  std::ofstream(folder + "/one.icd") << library << '\n';
  return {{"OCL_ICD_VENDORS", folder}, {"OCL_ICD_FILENAMES", library}};
}

}  // namespace

StartSide with_cache(StartSide side, const std::string& folder) {
  side.variables["SKMD_CACHE_DIR"] = folder + "/skmd";
  side.variables["POCL_CACHE_DIR"] = folder + "/pocl";
  return side;
}

StartSide pocl_alone(const std::string& folder) {
  StartSide side{only(folder + "/pocl", pocl_library()), "portable:pthread"};
  side.variables["POCL_DEVICES"] = "pthread";
  return side;
}

StartSide skmd_cpu(const std::string& folder, const std::string& library) {
  only(folder + "/pocl", pocl_library());
  StartSide side{only(folder + "/skmd", library), "skmd:0"};
  side.variables["SKMD_VENDORS"] = folder + "/pocl";
  side.variables["SKMD_DEVICES"] = "cpu";
  side.variables["SKMD_TEST_CPU_DRIVER"] = "1";
  side.variables["POCL_DEVICES"] = "pthread";
  return side;
}

StartSide skmd_two_pocl(const std::string& folder, const std::string& library) {
  StartSide side = skmd_cpu(folder, library);
  side.variables["SKMD_DEVICES"] = "portable:0,portable:1";
  side.variables["SKMD_TEST_CPU_DRIVER"] = "0";
  side.variables["POCL_DEVICES"] = "pthread basic";
  return side;
}

}  // namespace bench
