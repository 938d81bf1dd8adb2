// RUN: %skmd-compile --preprocess %s | %FileCheck %s
// Neither Clang nor its target shows.

#if defined(__clang__) || defined(__SPIR__) || defined(__SPIR64__) || defined(__SPIRV__) || defined(__GNUC__) || defined(__llvm__) || defined(__clang_major__) || defined(__SIZE_TYPE__) || defined(__has_builtin) || defined(__has_feature) || defined(__has_attribute) || defined(__OPTIMIZE__) || defined(__NV_CL_C_VERSION) || defined(cl_khr_fp16) || defined(cl_khr_subgroups) || defined(cl_intel_subgroups) || defined(cl_amd_media_ops) || defined(cl_clang_storage_class_specifiers)
#error leak
#endif
int good;
// CHECK-NOT: typedef
// CHECK: int good;
