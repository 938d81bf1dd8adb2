# skmd_llvm: what code that includes LLVM or Clang is compiled with. skmd_clang: the archives, for the one executable.
# LLVM's own CMake files are not used: Debian's name the shared library as a dependency of every archive.
set(SKMD_LLVM_ROOT /usr/lib/llvm-22 CACHE PATH "Where LLVM 22 and Clang 22 are installed")
set(SKMD_LLVM_CONFIG ${SKMD_LLVM_ROOT}/bin/llvm-config)
if(NOT EXISTS ${SKMD_LLVM_CONFIG})
  message(FATAL_ERROR "No ${SKMD_LLVM_CONFIG}: install llvm-22-dev and libclang-22-dev, or set SKMD_LLVM_ROOT")
endif()

add_library(skmd_llvm INTERFACE)
target_include_directories(skmd_llvm SYSTEM INTERFACE ${SKMD_LLVM_ROOT}/include)
target_compile_definitions(skmd_llvm INTERFACE _GNU_SOURCE __STDC_CONSTANT_MACROS __STDC_FORMAT_MACROS __STDC_LIMIT_MACROS)
# The four below: GCC 12 sees overlaps and lengths in std::string that are not there (GCC bug 105651); of a
# precompiled header it forgets that it is the system's.
target_compile_options(skmd_llvm INTERFACE -fno-exceptions -ffunction-sections -fdata-sections
                       "$<$<CXX_COMPILER_ID:GNU>:-Wno-restrict;-Wno-stringop-overflow;-Wno-stringop-overread;-Wno-array-bounds>")

# LLVM's headers are read once for all files that include them: facts.cpp, widen.cpp and simplify.cpp take 1.2, 1.6 and 2.3 s of
# processor time (GCC 12), where they took 3.0, 3.6 and 5.1 s. Only LLVM's and the standard headers that these include: a file that does not include what it uses of ours is still
# an error, and of LLVM's one in clang-tidy, which reads every file without this.
file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/llvm_headers.cpp CONTENT "")
add_library(skmd_llvm_headers OBJECT EXCLUDE_FROM_ALL ${CMAKE_BINARY_DIR}/llvm_headers.cpp)
set_target_properties(skmd_llvm_headers PROPERTIES POSITION_INDEPENDENT_CODE ON)
target_link_libraries(skmd_llvm_headers PRIVATE skmd_warnings skmd_llvm)
skmd_precompile_headers(skmd_llvm_headers
  <llvm/ADT/DenseMap.h> <llvm/ADT/STLExtras.h> <llvm/ADT/SmallPtrSet.h> <llvm/ADT/SmallVector.h> <llvm/Analysis/LoopInfo.h>
  <llvm/Analysis/ValueTracking.h> <llvm/IR/Constants.h> <llvm/IR/Dominators.h> <llvm/IR/Function.h> <llvm/IR/IRBuilder.h>
  <llvm/IR/InstIterator.h> <llvm/IR/Instructions.h> <llvm/IR/IntrinsicInst.h> <llvm/IR/Module.h> <llvm/IR/PassManager.h>)

# For a library whose files include LLVM's headers: after its definitions and links.
function(skmd_reads_llvm target)
  target_precompile_headers(${target} REUSE_FROM skmd_llvm_headers)
endfunction()

execute_process(
  COMMAND ${SKMD_LLVM_CONFIG} --link-static --libs
          core passes irreader bitwriter linker coverage lto frontendopenmp frontenddriver frontendhlsl frontendatomic
          frontendoffloading windowsdriver hipstdpar objcarcopts plugins native nvptx dtlto
  OUTPUT_VARIABLE SKMD_LLVM_LIBS OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
separate_arguments(SKMD_LLVM_LIBS UNIX_COMMAND "${SKMD_LLVM_LIBS}")
set(SKMD_CLANG_LIBS clangFrontend clangCodeGen clangSerialization clangParse clangSema clangAnalysisLifetimeSafety
    clangAnalysis clangEdit clangRewrite clangASTMatchers clangAST clangAPINotes clangLex clangDriver clangOptions clangSupport clangBasic)

# lld takes archives in any order, as if they were one group.
add_library(skmd_clang INTERFACE)
target_link_directories(skmd_clang INTERFACE ${SKMD_LLVM_ROOT}/lib)
target_link_options(skmd_clang INTERFACE -fuse-ld=lld -Wl,--gc-sections -static-libstdc++ -static-libgcc
                    $<$<CONFIG:Release>:-Wl,--strip-all>)
target_link_libraries(skmd_clang INTERFACE ${SKMD_CLANG_LIBS} lldELF lldCommon ${SKMD_LLVM_LIBS} z zstd m)

# Without Clang: for skmd-opt.
execute_process(
  COMMAND ${SKMD_LLVM_CONFIG} --link-static --libs core passes irreader bitwriter linker native
  OUTPUT_VARIABLE SKMD_LLVM_CORE_LIBS OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
separate_arguments(SKMD_LLVM_CORE_LIBS UNIX_COMMAND "${SKMD_LLVM_CORE_LIBS}")
add_library(skmd_llvm_core INTERFACE)
target_link_directories(skmd_llvm_core INTERFACE ${SKMD_LLVM_ROOT}/lib)
target_link_options(skmd_llvm_core INTERFACE -fuse-ld=lld -Wl,--gc-sections -static-libstdc++ -static-libgcc
                    $<$<CONFIG:Release>:-Wl,--strip-all>)
target_link_libraries(skmd_llvm_core INTERFACE ${SKMD_LLVM_CORE_LIBS} z zstd m)
