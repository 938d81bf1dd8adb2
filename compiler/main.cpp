// SPDX-License-Identifier: Apache-2.0
// skmd-compile: OpenCL C in; kernel traits and partition-ready text out. A process of its own, so that a crash of the
// compiler never reaches an application. Without a mode it serves the client: a request on standard input, a reply on
// standard output.
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>

#include <llvm/Support/raw_ostream.h>
#include <llvm/Support/thread.h>

#include "compiler/frontend/compile.h"
#ifdef SKMD_HAVE_ANALYSIS
#include "compiler/analysis/analyse.h"
#endif

namespace {

using namespace skmd;
using namespace skmd::compiler;

constexpr std::string_view kUsage =
    "usage: skmd-compile --explain|--rewrite|--preprocess|--emit-llvm FILE [BUILD OPTIONS]\n"
    "       skmd-compile --compile-stage --rewrite FILE [BUILD OPTIONS]\n"
    "       skmd-compile --version\n"
    "Without arguments it serves the driver.\n";

constexpr unsigned kCompileStackBytes = 512u << 20;

Analysis analysis() {
#ifdef SKMD_HAVE_ANALYSIS
  return [](llvm::Module& module, std::vector<domain::KernelTraits>& kernels) { analyse(module, kernels); };
#else
  return {};
#endif
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

int serve() {
  // A core file of a compiler belongs in nobody's working directory.
  const rlimit no_core{0, 0};
  (void)::setrlimit(RLIMIT_CORE, &no_core);
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
  // Clang recurses over expressions; generated programs nest them deeply.
  llvm::thread worker(std::optional<unsigned>(kCompileStackBytes), [&] {
    llvm::LLVMContext context;
    const Compiled compiled = compile(*request, context, analysis());
    const bool written = write_output(output, frame(encode(compiled.reply)));
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

void print_explanation(const CompileAnswer& answer) {
  for (const domain::KernelTraits& kernel : answer.kernels) {
    std::cout << "kernel " << kernel.name << (kernel.hidden_record ? " (with hidden record)" : "");
    if (!kernel.attributes.empty()) std::cout << " attributes [" << kernel.attributes << "]";
    std::cout << "\n";
    for (std::size_t i = 0; i < kernel.parameters.size(); ++i) {
      const domain::Parameter& p = kernel.parameters[i];
      std::cout << "  parameter " << i << ": " << p.name << " '" << p.type_name << "' kind " << static_cast<int>(p.kind)
                << " size " << p.size << " align " << p.align << (p.three_vector ? " 3-vector" : "") << " address 0x"
                << std::hex << p.address_qualifier << " access 0x" << p.access_qualifier << " image 0x" << p.image_type
                << std::dec << " qualifiers " << p.type_qualifier << "\n";
    }
#ifdef SKMD_HAVE_ANALYSIS
    std::cout << explain(kernel);
#endif
  }
}

int print(std::string_view mode, const CompileRequest& request) {
  llvm::LLVMContext context;
  const Compiled compiled = compile(request, context, mode == "--explain" ? analysis() : Analysis{});
  const CompileAnswer& answer = compiled.reply.answer;
  std::cerr << answer.log;
  if (mode == "--preprocess" && answer.outcome != Outcome::invalid_options) {
    std::cout << answer.preprocessed;
    return answer.outcome == Outcome::failed ? 1 : 0;
  }
  if (answer.outcome != Outcome::analysed) {
    std::cerr << "skmd-compile: " << name_of(answer.outcome) << (answer.reason.empty() ? "" : ": ") << answer.reason
              << "\n";
    return 1;
  }
  if (mode == "--rewrite") std::cout << answer.text;
  if (mode == "--explain") print_explanation(answer);
  if (mode == "--emit-llvm") compiled.module->print(llvm::outs(), nullptr);
  return 0;
}

int run_command(int argc, char** argv) {
  std::string_view mode = argv[1];
  if (mode == "--version") {
    std::cout << "skmd-compile " SKMD_VERSION "\n";
    return 0;
  }
  CompileRequest request;
  int at = 2;
  if (mode == "--compile-stage" && argc > 2) {
    request.stage = Stage::compile;
    mode = argv[at++];
  }
  const bool known = mode == "--explain" || mode == "--rewrite" || mode == "--preprocess" || mode == "--emit-llvm";
  if (!known || at >= argc) {
    std::cerr << kUsage;
    return 2;
  }
  std::ifstream file(argv[at]);
  std::stringstream text;
  text << file.rdbuf();
  if (!file) {
    std::cerr << "skmd-compile: cannot read " << argv[at] << "\n";
    return 2;
  }
  request.source = text.str();
  request.language = command_line_language();
  for (int i = at + 1; i < argc; ++i) request.options += quoted(argv[i]) + " ";
  return print(mode, request);
}

}  // namespace

int main(int argc, char** argv) { return argc < 2 ? serve() : run_command(argc, argv); }
