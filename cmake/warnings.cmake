# One interface target carries the warnings and sanitizers of every target that is ours.
add_library(skmd_warnings INTERFACE)
target_compile_options(skmd_warnings INTERFACE -Wall -Wextra -Wshadow -Wnon-virtual-dtor $<$<BOOL:${SKMD_WERROR}>:-Werror>)
# GCC 12 warns of impossible overlaps inside std::string (its bug 105651).
target_compile_options(skmd_warnings INTERFACE $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>)
# Clang warns of std::stable_sort(), whose parts GCC 12's library calls deprecated.
target_compile_options(skmd_warnings INTERFACE $<$<CXX_COMPILER_ID:Clang>:-Wno-deprecated-declarations>)
# What a mutex guards is touched under it only: an error, also without SKMD_WERROR (partitioner/base/mutex.h).
target_compile_options(skmd_warnings INTERFACE $<$<CXX_COMPILER_ID:Clang>:-Wthread-safety$<SEMICOLON>-Werror=thread-safety>)
# A lock that is taken against the order of docs/threads.md ends the process. Of the configuration, and not an option: a folder that was
# a debug build once must not make libraries for others' processes that abort.
target_compile_definitions(skmd_warnings INTERFACE $<$<CONFIG:Debug>:SKMD_LOCK_ORDER>)
target_include_directories(skmd_warnings INTERFACE ${CMAKE_SOURCE_DIR})
target_compile_definitions(skmd_warnings INTERFACE CL_TARGET_OPENCL_VERSION=300 CL_USE_DEPRECATED_OPENCL_1_0_APIS
  CL_USE_DEPRECATED_OPENCL_1_1_APIS CL_USE_DEPRECATED_OPENCL_1_2_APIS CL_USE_DEPRECATED_OPENCL_2_0_APIS CL_USE_DEPRECATED_OPENCL_2_1_APIS CL_USE_DEPRECATED_OPENCL_2_2_APIS)
if(SKMD_SANITIZE)
  target_compile_definitions(skmd_warnings INTERFACE SKMD_LOCK_ORDER)
  target_compile_options(skmd_warnings INTERFACE -fsanitize=${SKMD_SANITIZE} -fno-omit-frame-pointer -g1)
  target_link_options(skmd_warnings INTERFACE -fsanitize=${SKMD_SANITIZE})
  # Linked into every program, Clang's ThreadSanitizer would bring an operator new where tests have their own.
  if(SKMD_SANITIZE MATCHES "thread" AND CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    execute_process(COMMAND ${CMAKE_CXX_COMPILER} -print-file-name=libclang_rt.tsan-${CMAKE_SYSTEM_PROCESSOR}.so
      OUTPUT_VARIABLE runtime OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
    get_filename_component(runtime_folder ${runtime} DIRECTORY)
    target_link_options(skmd_warnings INTERFACE -shared-libsan -Wl,-rpath,${runtime_folder})
  endif()
  # Instrumented code hides from GCC what initialises what, and how long things are; its manual expects false alarms. The release build keeps the warnings.
  target_compile_options(skmd_warnings INTERFACE
    "$<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized;-Wno-stringop-overflow;-Wno-array-bounds>")
  if(SKMD_SANITIZE MATCHES "undefined")
    target_compile_options(skmd_warnings INTERFACE -fno-sanitize-recover=undefined)
  endif()
endif()

# Tests are compiled once and run for seconds: -O3 costs a third more of compile time than -O1 and saves nothing.
set(SKMD_TESTS_OPTIMISATION "$<$<CONFIG:Release>:-O1>")

# For folders of programs that run for a short time in tests: what a sanitizer has instrumented takes long to optimise. Not for tests:
# AddressSanitizer's took 5 minutes, and more than 10 without.
function(skmd_do_not_optimise_sanitized)
  if(SKMD_SANITIZE)
    add_compile_options(-O0)
  endif()
endfunction()
