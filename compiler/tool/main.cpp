// SPDX-License-Identifier: Apache-2.0
// skmd-compile: OpenCL C in; kernel traits and partition-ready text out. A process of its own, so that a crash of the
// compiler never reaches an application. Without a mode it serves the client: a request on standard input, a reply on
// standard output.
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>

#include <llvm/Support/raw_ostream.h>
#include <llvm/Support/thread.h>

#include "compiler/analysis/analyse.h"
#include "compiler/client/keep.h"
#include "compiler/client/options.h"
#include "compiler/frontend/compile.h"
#include "compiler/frontend/preprocess.h"
#include "compiler/merge/merge.h"
#include "compiler/merge/ptx.h"
#include "compiler/tool/code_ahead.h"
#include "compiler/tool/crash_report.h"
#include "compiler/tool/kernel_code.h"
#include "compiler/tool/opencl_c_text.h"
#include "compiler/tool/tool_constants.h"

namespace {

using namespace skmd;
using namespace skmd::compiler;

constexpr std::string_view kUsage =
    "usage: skmd-compile MODE [--compile-stage] [--header NAME FILE]... FILE [BUILD OPTIONS]\n"
    "       skmd-compile --kernel NAME --emit llvm|vector-llvm|asm|remarks [--isa ISA] [--width LANES] [--check] "
    "[--yielding long|every|traps] "
    "FILE [...]\n"
    "       skmd-compile --kernel-code [--isa best|sse|avx2|avx512|avx512vbmi|opencl-c|opencl-c-clock|opencl-c-apart]\n"
    "                     [--width LANES] [--check] [--yielding long|every|traps] FILE [BUILD OPTIONS]\n"
    "       skmd-compile --version\n"
    "modes: --describe    kernels as clGetKernelInfo and clGetKernelArgInfo tell of them\n"
    "       --emit-llvm   the program before analysis, as LLVM IR\n"
    "       --explain     what each kernel reads and writes, and what keeps it from being split\n"
    "       --kernel      a kernel on its way to the CPU's code: as one work-item, as groups of them, its assembly, "
    "or\n"
    "                     what was made vectors of and what was not\n"
    "       --kernel-code machine code of the kernels, as the driver gets it; or OpenCL C for launches that are "
    "stopped\n"
    "                     inside of groups, by NVIDIA's clock, without one, or only where items leave one by one\n"
    "                     --check: accesses outside of a buffer do not happen, and are told; --no-places: remarks "
    "do\n"
    "                     not say where, as the driver's do not\n"
    "       --merge       the merge function of each kernel, as LLVM IR, or why it has none\n"
    "       --merge-ptx   the merge functions as PTX, the assembly of NVIDIA's GPUs\n"
    "       --opencl-c    the kernels as OpenCL C text again, with --yielding in that form\n"
    "       --options     what vendors are told\n"
    "       --preprocess  the one text of all devices\n"
    "       --rewrite     the partition-ready text\n"
    "       --span-code   machine code of the merge functions, as the driver gets it\n"
    "       --yields      where each kernel can be stopped inside of groups and what is kept there, or why not;\n"
    "                     --yielding: code of that form\n"
    "Without arguments it serves the driver.\n";

Analysis analysis(const CompileRequest& request) {
  if (request.stage == Stage::code)
    return [&request](llvm::Module& module, CompileAnswer& answer) { add_kernel_code(module, request.target, answer); };
  return [&request](llvm::Module& module, CompileAnswer& answer) {
    CodeAhead ahead(request, module, answer);
    analyse(module, answer.kernels, request.line_markers ? Reads::all : Reads::used);  // markers: it is checked
    MergeCode code = merge_code(module, answer.kernels);
    answer.span_code = std::move(code.spans);
    answer.merge_ptx = std::move(code.ptx);
    ahead.finish(answer);
  };
}

/// No more than `mode` shows.
Analysis analysis_for([[maybe_unused]] std::string_view mode, [[maybe_unused]] const CompileRequest& request) {
  if (mode == "--span-code") return analysis(request);
  if (mode != "--explain" && mode != "--merge" && mode != "--merge-ptx") return {};
  return [reads = request.line_markers ? Reads::all : Reads::used](llvm::Module& module, CompileAnswer& answer) {
    analyse(module, answer.kernels, reads);
  };
}

bool read_input(std::string& bytes) {
  char chunk[65536];
  for (;;) {
    const ssize_t got = ::read(STDIN_FILENO, chunk, sizeof chunk);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return false;
    if (got == 0) return true;
    bytes.append(chunk, static_cast<std::size_t>(got));
  }
}

bool write_output(int handle, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t put = ::write(handle, bytes.data(), bytes.size());
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(put));
  }
  return true;
}

/// The stack is taken out of the address space as a whole.
unsigned stack_bytes(const Limits& limits) {
  const unsigned long share = limits.memory_bytes == 0 ? tuning::kCompileStackBytes : limits.memory_bytes / 4;
  return static_cast<unsigned>(std::min(tuning::kCompileStackBytes, share));
}

/// The answer to give if the analysis crashes.
void keep_conservative_answer(const Reply& parsed, [[maybe_unused]] Stage stage) {
  Reply reply = parsed;
  assume_the_worst(reply.answer.kernels);
  if (stage == Stage::code) assume_no_code(reply.answer);
  use_crash_report(frame(encode(reply)));
}

/// The client's process ended before the answer was there. What took seconds to compile is there for the next one.
void keep_unread(const CompileRequest& request, Reply reply) {
  if (request.unread.cache.empty()) return;
  const domain::Result<std::string> key = key_of(request, request.unread.helper);
  if (key) keep(Cache(request.unread.cache), *key, request, request.unread.helper, reply);
}

int serve() {
  // A compiler must not leave core files in the application's working directory.
  const rlimit no_core{0, 0};
  (void)::setrlimit(RLIMIT_CORE, &no_core);
  (void)::signal(SIGPIPE, SIG_IGN);  // a client that is gone is an error of write(), see keep_unread()
  std::string bytes;
  if (!read_input(bytes)) return 1;
  const domain::Result<CompileRequest> request = decode_request(bytes);
  if (!request) {
    std::cerr << "skmd-compile: " << request.error().reason << "\n";
    return 2;
  }
  // A folder that is gone leaves relative names unresolved; that is the program's error, if it has such names.
  if (!request->working_directory.empty() && ::chdir(request->working_directory.c_str()) != 0 && ::chdir("/") != 0)
    return 1;
  // Nothing that LLVM might print gets between the reply's bytes.
  const int output = ::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
  if (output < 0 || ::dup2(STDERR_FILENO, STDOUT_FILENO) < 0) return 1;
  const Limits limits = own_limits();
  prepare_crash_report(output, limits);
  // Clang recurses over expressions; generated programs nest them deeply.
  llvm::thread worker(std::optional<unsigned>(stack_bytes(limits)), [&] {
    watch_this_stack();
    llvm::LLVMContext context;
    const Compiled compiled = compile(*request, context, analysis(*request),
                                      [&](const Reply& parsed) { keep_conservative_answer(parsed, request->stage); });
    const std::string answer = frame(encode(compiled.reply));
    const bool claimed = claim_output();
    const bool written = claimed && write_output(output, answer);
    if (claimed && !written && errno == EPIPE) keep_unread(*request, compiled.reply);
    ::_exit(written ? 0 : 1);  // without taking a large module to pieces
  });
  worker.join();
  return 1;
}

/// What the commands assume: a device with everything that the mandatory tests of a full profile ask for.
Language command_line_language() {
  Language language;
  language.extensions = {
      "cl_khr_byte_addressable_store",   "cl_khr_global_int32_base_atomics",    "cl_khr_global_int32_extended_atomics",
      "cl_khr_local_int32_base_atomics", "cl_khr_local_int32_extended_atomics", "cl_khr_fp64",
      "cl_khr_int64_base_atomics",       "cl_khr_int64_extended_atomics",       "cl_khr_3d_image_writes"};
  language.features = {"__opencl_c_int64", "__opencl_c_fp64", "__opencl_c_images", "__opencl_c_3d_image_writes"};
  language.fp64 = true;
  language.images = true;
  return language;
}

std::string quoted(std::string_view word) {
  std::string text = "\"";
  for (const char c : word) {
    if (c == '"' || c == '\\') text += '\\';
    text += c;
  }
  return text + "\"";
}

const char* name_of(Outcome outcome) {
  switch (outcome) {
    case Outcome::analysed:
      return "analysed";
    case Outcome::opaque:
      return "opaque";
    case Outcome::invalid_options:
      return "invalid options";
    case Outcome::failed:
      return "failed";
  }
  return "unknown";
}

void print_description(const domain::KernelTraits& kernel) {
  std::cout << "kernel " << kernel.name << (kernel.hidden_record ? " with hidden record" : "") << "\n";
  if (!kernel.attributes.empty()) std::cout << "  attributes: " << kernel.attributes << "\n";
  const auto& local = kernel.required_local;
  if (local[0] != 0) std::cout << "  required local: " << local[0] << " " << local[1] << " " << local[2] << "\n";
  constexpr const char* kKinds[] = {"global", "constant", "local", "value", "image", "sampler", "other"};
  constexpr const char* kImageAccess[] = {"", " read_only", " write_only", " read_write"};
  for (const domain::Parameter& parameter : kernel.parameters) {
    std::cout << "  " << kKinds[static_cast<int>(parameter.kind)]
              << kImageAccess[static_cast<int>(parameter.image_access)] << " '" << parameter.type_name << "' "
              << parameter.name << ": " << parameter.size << " bytes, align " << parameter.align
              << (parameter.three_vector ? ", 3-vector" : "") << std::hex << ", address 0x"
              << parameter.address_qualifier << ", access 0x" << parameter.access_qualifier << ", image 0x"
              << parameter.image_type << std::dec << ", qualifiers " << parameter.type_qualifier << "\n";
  }
}

int print_merge_functions(llvm::Module& module, const std::vector<domain::KernelTraits>& kernels) {
  const MergeFunctions made = make_merge_functions(module, kernels);
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    const MergeKernel& kernel = made.kernels[i];
    std::cout << "; kernel " << kernels[i].name << ": ";
    if (!kernel.obstacle.empty()) {
      std::cout << "no merge function: " << kernel.obstacle << "\n";
      continue;
    }
    std::cout << "merge function, loads from";
    for (const std::uint32_t argument : kernel.loads) std::cout << " " << kernels[i].parameters[argument].name;
    std::cout << (kernel.loads.empty() ? " nothing\n" : "\n");
  }
  std::cout.flush();
  module.print(llvm::outs(), nullptr);
  return 0;
}

int print_merge_kernels(llvm::Module& module, const std::vector<domain::KernelTraits>& kernels) {
  const MergeFunctions made = make_merge_functions(module, kernels);
  const domain::Result<std::string> text = ptx_text(*made.device);
  if (!text) {
    std::cerr << "skmd-compile: " << text.error().reason << "\n";
    return 1;
  }
  std::cout << *text;
  return 0;
}

void print_kernels(std::string_view mode, const CompileAnswer& answer) {
  for (const domain::KernelTraits& kernel : answer.kernels) {
    if (mode == "--describe") print_description(kernel);
    if (mode == "--explain") std::cout << explain(kernel);
  }
}

int print_preprocessed(const CompileRequest& request) {
  const domain::Result<Options> options = parse_options(request.options);
  if (!options) {
    std::cerr << options.error().reason << "\n";
    return 1;
  }
  const Preprocessed preprocessed = preprocess(request, *options);
  std::cerr << preprocessed.diagnostics.log;
  std::cout << without_line_markers(preprocessed.text);
  return preprocessed.ok ? 0 : 1;
}

int print_code(llvm::Module& module, const CompileAnswer& answer, const CodeSettings& settings) {
  std::vector<std::string> names;
  for (const domain::KernelTraits& kernel : answer.kernels) names.push_back(kernel.name);
  std::string complaints;
  const domain::Result<std::string> text = settings.emit == "opencl-c"
                                               ? opencl_c_text(module, names, settings, complaints)
                                               : kernel_code(module, names, settings, complaints);
  std::cerr << complaints;
  if (!text) std::cerr << "skmd-compile: " << text.error().reason << "\n";
  if (text) std::cout << *text;
  return text && complaints.empty() ? 0 : 1;
}

int print(std::string_view mode, const CompileRequest& request, const CodeSettings& settings) {
  if (mode == "--preprocess") return print_preprocessed(request);
  llvm::LLVMContext context;
  const Compiled compiled = compile(request, context, analysis_for(mode, request));
  const CompileAnswer& answer = compiled.reply.answer;
  std::cerr << answer.log;
  if (answer.outcome != Outcome::analysed) {
    std::cerr << "skmd-compile: " << name_of(answer.outcome) << (answer.reason.empty() ? "" : ": ") << answer.reason
              << "\n";
    return 1;
  }
  if (mode == "--options") std::cout << answer.vendor_options << "\n";
  if (mode == "--rewrite") std::cout << answer.text;
  if (mode == "--span-code") std::cout << answer.span_code;
  if (mode == "--kernel" || mode == "--kernel-code" || mode == "--yields" || mode == "--opencl-c")
    return print_code(*compiled.module, answer, settings);
  if (mode == "--merge") return print_merge_functions(*compiled.module, answer.kernels);
  if (mode == "--merge-ptx") return print_merge_kernels(*compiled.module, answer.kernels);
  print_kernels(mode, answer);
  if (mode == "--emit-llvm") compiled.module->print(llvm::outs(), nullptr);
  return 0;
}

bool read_file(const char* path, std::string& bytes) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  bytes = text.str();
  if (!file) std::cerr << "skmd-compile: cannot read " << path << "\n";
  return static_cast<bool>(file);
}

/// What stands between the mode and the file. Moves `at` to the file.
bool read_settings(int argc, char** argv, int& at, CompileRequest& request, CodeSettings& code) {
  for (; at < argc && std::string_view(argv[at]).substr(0, 2) == "--"; ++at) {
    const std::string_view word = argv[at];
    if (word == "--compile-stage") {
      request.stage = Stage::compile;
    } else if (word == "--header" && at + 2 < argc) {
      Header header{argv[at + 1], {}};
      if (!read_file(argv[at + 2], header.text)) return false;
      request.headers.push_back(std::move(header));
      at += 2;
    } else if (word == "--isa" && at + 1 < argc) {
      code.isa = argv[++at];
    } else if (word == "--check") {
      code.check = true;
    } else if (word == "--yielding" && at + 1 < argc) {
      code.yields = argv[++at];
    } else if (word == "--no-places") {
      code.places = false;
    } else if (word == "--emit" && at + 1 < argc) {
      code.emit = argv[++at];
    } else if (word == "--width" && at + 1 < argc) {
      const std::string_view digits = argv[++at];
      const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), code.width);
      if (read.ec != std::errc() || read.ptr != digits.data() + digits.size()) code.width = ~0u;
    } else {
      std::cerr << "skmd-compile: " << word << " is unknown\n" << kUsage;
      return false;
    }
  }
  return true;
}

int run_command(int argc, char** argv) {
  const std::string_view mode = argv[1];
  if (mode == "--version") {
    std::cout << "skmd-compile " SKMD_VERSION "\n";
    return 0;
  }
  constexpr std::string_view kModes[] = {"--describe", "--emit-llvm", "--explain",  "--kernel",  "--kernel-code",
                                         "--merge",    "--merge-ptx", "--opencl-c", "--options", "--preprocess",
                                         "--rewrite",  "--span-code", "--yields"};
  CompileRequest request;
  int at = 2;
  if (std::find(std::begin(kModes), std::end(kModes), mode) == std::end(kModes)) {
    std::cerr << kUsage;
    return 2;
  }
  CodeSettings code;
  if (mode == "--kernel") {
    if (argc < 3) {
      std::cerr << kUsage;
      return 2;
    }
    code.kernel = argv[at++];
    code.emit = "remarks";
  }
  if (mode == "--yields") code.emit = "yields", code.yields = "long";
  if (mode == "--opencl-c") code.emit = "opencl-c";
  if (!read_settings(argc, argv, at, request, code)) return 2;
  if (const domain::Status status = check(code); !status) {
    std::cerr << "skmd-compile: " << status.error().reason << "\n";
    return 2;
  }
  if (at >= argc) {
    std::cerr << kUsage;
    return 2;
  }
  if (!read_file(argv[at], request.source)) return 2;
  code.file = argv[at];
  request.language = command_line_language();
  if (code.check) request.language.extensions.emplace_back("cl_arm_controlled_kernel_termination");
  request.line_markers = (mode == "--kernel" && code.places) || mode == "--yields" || code.check;
  for (int i = at + 1; i < argc; ++i) request.options += quoted(argv[i]) + " ";
  return print(mode, request, code);
}

}  // namespace

int main(int argc, char** argv) { return argc < 2 ? serve() : run_command(argc, argv); }
