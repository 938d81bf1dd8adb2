// SPDX-License-Identifier: Apache-2.0
// Requests of the driver to skmd-compile, and the answers. A cache hit starts no process.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "compiler/client/client_constants.h"
#include "partitioner/base/mutex.h"
#include "partitioner/base/result.h"
#include "partitioner/traits/traits.h"

namespace skmd::compiler {

/// An embedded header of clCompileProgram: `name` is matched exactly by #include.
struct Header {
  std::string name;
  std::string text;
};

/// The language that the virtual device offers: becomes macros while preprocessing.
struct Language {
  std::vector<std::string> extensions;  // cl_khr_… names, each becomes a macro = 1
  std::vector<std::string> features;    // __opencl_c_… macros, defined for -cl-std=CL3.0
  bool fp64 = false;
  bool images = false;
};

enum class Stage : std::uint8_t {
  build,    // clBuildProgram: a whole program
  compile,  // clCompileProgram: one unit; external functions may be missing
  code,     // the CPU driver's code of a partition-ready text, compiled as it is: kernel_code and kernel_notes alone
};

/// Which loops of kernels get yield points.
enum class Yields : std::uint8_t {
  none,
  long_loops,
  every_loop,  // and often: for tests
  traps,       // where work-items may trap (compiler/yield/trap_points.h), and nowhere else
};

/// For which processors code is made.
struct CodeTarget {
  std::string
      isa;  // "x86-64-v2", "x86-64-v3", "x86-64-v4", "x86-64-v4-vbmi", "aarch64"; code of one never runs on less
  std::uint32_t width = 0;       // lanes; 0: what suits the kernel best; 1: item by item
  bool checked = false;          // accesses of memory are checked, and failures name lines (cpu-driver/span_code.h)
  Yields yields = Yields::none;  // where kernels can be stopped inside of groups (cpu-driver/yield_facts.h)
};

/// Where the helper stores its answer if nothing reads its pipe any more: the client's process has ended. Set by the
/// client; no part of an answer's key. An empty folder: the answer is dropped.
struct UnreadAnswer {
  std::string cache;   // ClientOptions::cache
  std::string helper;  // ClientOptions::helper, which the key depends on
};

struct CompileRequest {
  std::string source;
  /// Not empty: the preprocessed units of a linked program, in their order, instead of `source`.
  std::vector<std::string> units;
  std::string options;  // as the application gave them; split here, never by a shell
  std::vector<Header> headers;
  Language language;
  Stage stage = Stage::build;
  /// The application's working directory, for relative -I and #include "…".
  std::string working_directory;
  /// Stage::code: for which code is made. Stage::build: for which a request for the answer's code will follow, ""
  /// if none will; it is made meanwhile.
  CodeTarget target;
  /// Texts keep line markers (`# 7 "sum.h"`), so that what is made of them can name the application's own lines.
  bool line_markers = false;
  UnreadAnswer unread;
};

/// Asks for the code of a partition-ready `text`: the `text` and the `vendor_options` of an answer.
CompileRequest code_request(std::string text, std::string options, Language language, CodeTarget target);

/// The result of Stage::code for one kernel.
struct KernelNote {
  std::string name;
  std::string obstacle;              // why there is no code of it; "": there is
  std::vector<std::string> remarks;  // for performance tuning: what was not vectorised, and where
  bool operator==(const KernelNote&) const = default;
};

enum class Outcome : std::uint8_t {
  analysed,         // text, kernels are good
  opaque,           // our front end cannot take it: vendors get source and options as they are; `reason` says why
  invalid_options,  // CL_INVALID_BUILD_OPTIONS (or the COMPILER form)
  failed,           // the source is wrong; `log` has file:line:column: error: …
};

struct CompileAnswer {
  Outcome outcome = Outcome::opaque;
  std::string log;             // warnings or errors, as the build log shows them; "" for a clean build
  std::string reason;          // for opaque
  std::string preprocessed;    // the one text that all devices share; line markers only where the request says so
  std::string text;            // partition-ready form: what vendors build. Equal to `preprocessed` if no kernel asks
                               // for group ids and the like. Kernels with traits.hidden_record take one more argument.
  std::string vendor_options;  // options that still matter after preprocessing (-cl-std=…, -cl-fast-relaxed-math, …)
  std::vector<domain::KernelTraits> kernels;  // in order of appearance; only the application's
  std::string hash;  // content hash (hex, 32 digits) of preprocessed text and options: the program's identity
  bool kernel_arg_info = false;  // -cl-kernel-arg-info was given
  std::string span_code;         // merge functions, as cpu-driver/span_code.h lays them out; "": there are none
  std::string merge_ptx;         // the same for NVIDIA's GPUs, as merge_record.h says; "": there are none
  std::string kernel_code;       // Stage::code: kernels, as cpu-driver/span_code.h lays them out; "": there are none
  std::vector<KernelNote> kernel_notes;  // Stage::code: one for each kernel
};

/// Binary round trip of an answer, for the cache and for program binaries. decode_answer() returns an error for bytes
/// that encode() did not write.
std::string encode(const CompileAnswer& answer);
domain::Result<CompileAnswer> decode_answer(const std::string& bytes);

/// Resource limits of one run of the helper. A program that needs more fails to build, with a log that says so: the
/// vendors' compilers, which run inside the application, would not end on it either.
struct HelperLimits {
  unsigned cpu_seconds = tuning::kHelperProcessorSeconds;
  unsigned seconds = tuning::kHelperSeconds;  // wall-clock time
  std::uint64_t memory_bytes = tuning::kHelperBytes;
};

struct ClientOptions {
  std::string helper;  // path of skmd-compile
  std::string cache;   // folder, created 0700 when missing; "": no cache
  HelperLimits limits = {};
};

/// Thread-safe. Blocks until the helper answers. Starts the helper by posix_spawn/vfork-exec with a scrubbed
/// environment, closed descriptors, a reset signal mask; the result comes through a pipe, so that an application that
/// ignores SIGCHLD or waits for any child does no harm. Errors: a helper that crashes or cannot be started gives
/// Outcome::opaque with the reason, one that exceeds a limit Outcome::failed.
class Client {
 public:
  explicit Client(ClientOptions options) : options_(std::move(options)) {}
  [[nodiscard]] CompileAnswer compile(const CompileRequest& request) const;

 private:
  /// Code that came with a build and has not been requested yet, the newest last.
  class Ahead {
   public:
    void keep(std::string key, CompileAnswer answer);
    std::optional<CompileAnswer> take(const std::string& key);

   private:
    Mutex mutex_{LockRank::client_ahead};
    std::deque<std::pair<std::string, CompileAnswer>> answers_ SKMD_GUARDED_BY(mutex_);
  };

  [[nodiscard]] CompileAnswer answer_for(const CompileRequest& request) const;

  ClientOptions options_;
  mutable Ahead ahead_;
};

/// The hidden record's layout, version 1: passed by value as the last argument of kernels with traits.hidden_record.
/// All numbers are those of the launch, not of the box. The generated text declares the same struct.
struct HiddenRecord {
  std::uint64_t global_offset[3];
  std::uint64_t global_size[3];
  std::uint64_t group_count[3];
  std::uint64_t first_group[3];  // of the box: get_group_id(d) = native id + first_group[d]
  std::uint64_t local_size[3];   // enqueued local size
};

}  // namespace skmd::compiler
