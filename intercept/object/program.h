// SPDX-License-Identifier: Apache-2.0
// A program as the application holds it: sources in, at most one build out. What building means is build/'s business.
#pragma once

#include <CL/cl.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "compiler/client/client.h"
#include "intercept/object/context.h"
#include "intercept/object/kernel.h"
#include "partitioner/base/mutex.h"

namespace skmd::icd {

/// One translation unit of clCompileProgram, on its way to clLinkProgram.
struct Unit {
  std::string text;            // preprocessed; the application's source with its headers pasted in where that failed
  std::string vendor_options;  // what vendors need of the options it was compiled with
  bool opaque = false;
  bool kernel_arg_info = false;
};

/// A vendor's own binary, good for that driver only.
struct VendorBlob {
  std::string driver;  // platform, device and version
  std::vector<std::byte> bytes;
};

/// The outcome of one successful clBuildProgram, clCompileProgram, clLinkProgram or load. Immutable but for the binary,
/// which is made when first asked for, and for what is built, which may become more.
struct ProgramBuild {
  cl_program_binary_type type = CL_PROGRAM_BINARY_TYPE_NONE;
  compiler::CompileAnswer answer;        // executables; of an opaque one only hash, reason and kernel_arg_info
  std::string opaque_text;               // what vendors build if our front end could not take the program
  std::string opaque_options;            // of its build; of its link, if it is linked of `units`
  std::vector<Unit> units;               // compiled objects and libraries, and executables that are linked natively
  std::shared_ptr<NativeBuilds> native;  // executables
  std::vector<std::shared_ptr<BuiltKernel>> kernels;
  std::vector<VendorBlob> blobs;  // loaded from a binary, to be tried before text
  [[nodiscard]] bool opaque() const { return answer.outcome == compiler::Outcome::opaque; }
};

class Program : public Object {
 public:
  enum class Origin : std::uint8_t { source, binary, link };

  Program(Ref<Context> context, Origin origin, std::string source)
      : Object(Kind::program), context_(std::move(context)), origin_(origin), source_(std::move(source)) {}

  [[nodiscard]] const Ref<Context>& context() const { return context_; }
  [[nodiscard]] Machine& machine() const { return context_->machine(); }
  [[nodiscard]] Origin origin() const { return origin_; }
  [[nodiscard]] const std::string& source() const { return source_; }  ///< joined; "" for binaries and links

  struct State {
    cl_build_status status = CL_BUILD_NONE;
    std::string options;  // of the last build, compile or link
    std::string log;
    std::shared_ptr<const ProgramBuild>
        build;  // of the last success; loaded but unbuilt binaries have one with status NONE
    std::vector<Ref<VirtualDevice>> devices;  // that all of this holds for; empty: all of the program's
  };
  [[nodiscard]] State state() const;
  /// What holds for one of the program's devices: nothing, if it was not among those of the last build.
  [[nodiscard]] State state_for(const VirtualDevice& device) const;
  [[nodiscard]] bool is_built_for(const VirtualDevice& device) const;
  /// CL_PROGRAM_DEVICES: the context's, or those that a binary or a link was for.
  [[nodiscard]] const std::vector<Ref<VirtualDevice>>& devices() const {
    return devices_.empty() ? context_->devices() : devices_;
  }
  /// Before the application knows the program.
  void associate(std::vector<Ref<VirtualDevice>> devices) { devices_ = std::move(devices); }
  /// The next begin() is for these. One that has the options of the last success adds them to its devices: one build
  /// serves all of them.
  void aim(std::vector<Ref<VirtualDevice>> devices);
  /// The executable that kernels come from, or null.
  [[nodiscard]] std::shared_ptr<const ProgramBuild> executable() const;

  /// Opens a build: status becomes IN_PROGRESS. CL_INVALID_OPERATION while kernels exist or another build runs. The
  /// former build, which a binary is loaded from, is handed out.
  Result<std::shared_ptr<const ProgramBuild>> begin(const std::string& options);
  /// Closes it: SUCCESS with `build`, ERROR without.
  void end(std::shared_ptr<const ProgramBuild> build, std::string log);
  /// For clCreateProgramWithBinary: a build that waits for clBuildProgram or clLinkProgram.
  void load(std::shared_ptr<const ProgramBuild> build);

  /// Kernels of the application. A launch in flight holds none.
  void attach_kernel() { kernels_.fetch_add(1); }
  void detach_kernel() { kernels_.fetch_sub(1); }

  /// The program's binary, made by `make` at the first call after a build.
  template <class Make>
  std::shared_ptr<const std::string> binary(const std::shared_ptr<const ProgramBuild>& build, Make&& make) {
    const MutexGuard lock(binary_mutex_);
    if (binary_ == nullptr || binary_of_ != build) {
      binary_ = std::make_shared<const std::string>(make());
      binary_of_ = build;
    }
    return binary_;
  }

 private:
  Ref<Context> context_;
  Origin origin_;
  [[nodiscard]] bool holds_for(const VirtualDevice& device) const SKMD_REQUIRES(mutex_);

  std::string source_;
  std::vector<Ref<VirtualDevice>> devices_;  // empty: the context's
  std::vector<Ref<VirtualDevice>> aimed_;    // by aim()
  std::atomic<std::uint32_t> kernels_{0};
  mutable Mutex mutex_{LockRank::program};
  State state_ SKMD_GUARDED_BY(mutex_);
  Mutex binary_mutex_{LockRank::program_binary};
  std::shared_ptr<const ProgramBuild> binary_of_ SKMD_GUARDED_BY(binary_mutex_);
  std::shared_ptr<const std::string> binary_ SKMD_GUARDED_BY(binary_mutex_);
};

}  // namespace skmd::icd
