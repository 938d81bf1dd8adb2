// SPDX-License-Identifier: Apache-2.0
#include "compiler/frontend/session.h"

#include <clang/Frontend/CompilerInvocation.h>
#include <clang/Frontend/TextDiagnosticPrinter.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/raw_ostream.h>

#include "compiler/frontend/frontend_constants.h"

namespace skmd::compiler {
namespace {

// Deep, so that an embedded header named "../../x.h" still has a place of its own.
constexpr const char* kMemoryFolder = "/skmd/embedded/a/b/c/d/";
constexpr const char* kIncludeFolder = "/skmd/include/";

const char kBaseHeader[] = {
#include "opencl_c_base.inc"
    , 0};

// What Clang's header lacks: cl_arm_controlled_kernel_termination.
constexpr llvm::StringLiteral kTermination = R"(
#ifdef SKMD_KERNEL_TERMINATION
typedef enum { ARM_TERMINATION_SUCCESS, ARM_TERMINATION_FAILURE } arm_termination_reason;
void arm_terminate_kernel(arm_termination_reason reason);
#endif
)";

llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> files(const std::string& text, const std::vector<Header>& headers) {
  auto memory = llvm::makeIntrusiveRefCnt<llvm::vfs::InMemoryFileSystem>();
  const auto add = [&](const std::string& path, llvm::StringRef content) {
    memory->addFile(path, 0, llvm::MemoryBuffer::getMemBufferCopy(content, path));
  };
  const std::string base = std::string(kBaseHeader, sizeof kBaseHeader - 1) + kTermination.str();
  add(std::string(kIncludeFolder) + "opencl-c-base.h", base);
  add(std::string(kMemoryFolder) + kSourceName, text);
  for (const Header& header : headers) {
    const bool absolute = !header.name.empty() && header.name.front() == '/';
    add(absolute ? header.name : kMemoryFolder + header.name, header.text);
  }
  auto overlay = llvm::makeIntrusiveRefCnt<llvm::vfs::OverlayFileSystem>(llvm::vfs::getRealFileSystem());
  overlay->pushOverlay(memory);
  return overlay;
}

}  // namespace

class Session::Capture : public clang::DiagnosticConsumer {
 public:
  explicit Capture(clang::DiagnosticOptions& options) : stream_(found.log), printer_(stream_, options) {}

  void BeginSourceFile(const clang::LangOptions& language, const clang::Preprocessor* preprocessor) override {
    printer_.BeginSourceFile(language, preprocessor);
  }
  void EndSourceFile() override { printer_.EndSourceFile(); }
  void HandleDiagnostic(clang::DiagnosticsEngine::Level level, const clang::Diagnostic& info) override {
    DiagnosticConsumer::HandleDiagnostic(level, info);
    if (level >= clang::DiagnosticsEngine::Error) {
      llvm::SmallString<128> message;
      info.FormatDiagnostic(message);
      found.errors.push_back({info.getID(), std::string(message)});
    }
    // More is of no use to a reader; generated programs give warnings by the million.
    if (found.log.size() < tuning::kMaxLogBytes) printer_.HandleDiagnostic(level, info);
  }

  Diagnostics found;

 private:
  llvm::raw_string_ostream stream_;
  clang::TextDiagnosticPrinter printer_;
};

Session::Session(const std::string& text, const std::vector<Header>& headers,
                 const std::vector<std::string>& arguments) {
  diagnostic_options_.ShowCarets = 1;
  diagnostic_options_.ShowOptionNames = 0;
  capture_ = std::make_unique<Capture>(diagnostic_options_);
  const auto file_system = files(text, headers);

  std::vector<const char*> words;
  words.reserve(arguments.size());
  for (const std::string& argument : arguments) words.push_back(argument.c_str());
  const std::string folder_switch = std::string("-I") + kMemoryFolder;
  const std::string base_switch = kIncludeFolder;
  const std::string prefix_map = std::string("-fmacro-prefix-map=") + kMemoryFolder + "=";
  const std::string main_file = std::string(kMemoryFolder) + kSourceName;
  // First of the -I folders: embedded headers come before folders.
  words.insert(words.begin(), folder_switch.c_str());
  for (const char* word : {"-fno-spell-checking", "-ferror-limit", "1000", "-internal-isystem", base_switch.c_str(),
                           prefix_map.c_str(), "-x", "cl", main_file.c_str()}) {
    words.push_back(word);
  }

  auto invocation = std::make_shared<clang::CompilerInvocation>();
  const auto diagnostics = clang::CompilerInstance::createDiagnostics(*file_system, diagnostic_options_, capture_.get(),
                                                                      /*ShouldOwnClient=*/false);
  if (!clang::CompilerInvocation::CreateFromArgs(*invocation, words, *diagnostics)) return;
  compiler_ = std::make_unique<clang::CompilerInstance>(std::move(invocation));
  compiler_->setVirtualFileSystem(file_system);
  compiler_->createDiagnostics(capture_.get(), /*ShouldOwnClient=*/false);
  compiler_->createFileManager();
  compiler_->setVerboseOutputStream(std::make_unique<llvm::raw_null_ostream>());  // "2 errors generated."
}

Session::~Session() = default;

Diagnostics Session::take_diagnostics() {
  Diagnostics found = std::move(capture_->found);
  found.log = without_memory_folder(found.log);
  return found;
}

std::string without_memory_folder(const std::string& text) {
  const std::string_view folder = kMemoryFolder;
  std::string kept;
  kept.reserve(text.size());
  std::size_t begin = 0;
  for (std::size_t at = text.find(folder); at != std::string::npos; at = text.find(folder, begin)) {
    kept.append(text, begin, at - begin);
    begin = at + folder.size();
  }
  return kept.append(text, begin, std::string::npos);
}

}  // namespace skmd::compiler
