; Builtins that are instructions, and those taken apart.
; RUN: %skmd-opt -S --passes=skmd-expand-builtins %s | %FileCheck %s
target triple = "spir64-unknown-unknown"

; CHECK-LABEL: define void @memory(
; CHECK: %[[I:.*]] = mul i64 %i, 3
; CHECK: %[[A:.*]] = getelementptr float, ptr addrspace(1) %p, i64 %[[I]]
; CHECK: load <3 x float>, ptr addrspace(1) %[[A]], align 4
; CHECK: %[[J:.*]] = mul i64 %i, 4
; CHECK: getelementptr half, ptr addrspace(1) %p, i64 %[[J]]
; CHECK: load <3 x half>, {{.*}}, align 8
; CHECK: fpext <3 x half> {{.*}} to <3 x float>
; CHECK: store <3 x float> {{.*}}, align 4
; CHECK: call i16 @_Z13skmd_half_rtzf(float
; CHECK: store i16 {{.*}}, align 2
; CHECK-NEXT: ret void
define void @memory(ptr addrspace(1) %p, i64 %i) {
  %a = call spir_func <3 x float> @_Z6vload3mPU3AS1Kf(i64 %i, ptr addrspace(1) %p)
  %b = call spir_func <3 x float> @_Z12vloada_half3mPU3AS1KDh(i64 %i, ptr addrspace(1) %p)
  call spir_func void @_Z7vstore3Dv3_fmPU3AS1f(<3 x float> %b, i64 %i, ptr addrspace(1) %p)
  %x = extractelement <3 x float> %a, i64 0
  call spir_func void @_Z15vstore_half_rtzfmPU3AS1Dh(float %x, i64 %i, ptr addrspace(1) %p)
  call spir_func void @_Z8prefetchPU3AS1Kfm(ptr addrspace(1) %p, i64 4)
  ret void
}

; CHECK-LABEL: define i32 @atomics(
; CHECK: atomicrmw umin ptr addrspace(1) %p, i32 %v monotonic, align 4
; CHECK: atomicrmw add ptr addrspace(3) %l, i32 1 monotonic, align 4
; CHECK: atomicrmw min ptr addrspace(1) %p, i32 %v seq_cst, align 4
; CHECK: atomicrmw xor ptr addrspace(1) %p, i32 %v acquire, align 4
; CHECK: store atomic i32 %v, ptr addrspace(1) %p release, align 4
; CHECK: %[[E:.*]] = load i32, ptr %e
; CHECK: %[[X:.*]] = cmpxchg ptr addrspace(1) %p, i32 %[[E]], i32 %v seq_cst seq_cst
; CHECK: %[[F:.*]] = extractvalue { i32, i1 } %[[X]], 0
; CHECK: br i1
; CHECK: store i32 %[[F]], ptr %e
; CHECK: fence acq_rel
; CHECK-NOT: call
define i32 @atomics(ptr addrspace(1) %p, ptr addrspace(3) %l, i32 %v, ptr %e) {
  %a = call spir_func i32 @_Z10atomic_minPU3AS1Vjj(ptr addrspace(1) %p, i32 %v)
  %b = call spir_func i32 @_Z10atomic_incPU3AS3Vi(ptr addrspace(3) %l)
  %c = call spir_func i32 @_Z16atomic_fetch_minPU3AS1VU7_Atomicii(ptr addrspace(1) %p, i32 %v)
  %d = call spir_func i32 @_Z25atomic_fetch_xor_explicitPU3AS1VU7_Atomicjj12memory_order(ptr addrspace(1) %p, i32 %v, i32 2)
  call spir_func void @_Z21atomic_store_explicitPU3AS1VU7_Atomicii12memory_order(ptr addrspace(1) %p, i32 %v, i32 3)
  %s = call spir_func i1 @_Z30atomic_compare_exchange_strongPU3AS1VU7_AtomiciPii(ptr addrspace(1) %p, ptr %e, i32 %v)
  call spir_func void @_Z9mem_fencej(i32 1)
  %r = select i1 %s, i32 %a, i32 %b
  ret i32 %r
}

; Vectors' functions are called for each element, so that what has vector forms is found; a second result goes by a
; variable, into any address space.
; CHECK-LABEL: define <2 x float> @math(
; CHECK: %[[V:.*]] = alloca i32
; CHECK: call spir_func float @_Z3expf(
; CHECK: call spir_func float @_Z3expf(
; CHECK: call spir_func float @_Z3sinf(
; CHECK: call spir_func float @_Z3cosf(
; CHECK: store <2 x float> {{.*}}, ptr addrspace(4) %q
; CHECK: call spir_func float @_Z5frexpfPi(float %x, ptr %[[V]])
; CHECK: %[[N:.*]] = load i32, ptr %[[V]]
; CHECK: store i32 %[[N]], ptr addrspace(4) %q
; CHECK: or i32
; CHECK: icmp slt i32
; CHECK: fptosi float %x to i32
; CHECK-NEXT: freeze i32
define <2 x float> @math(<2 x float> %v, float %x, <2 x i32> %n, ptr addrspace(4) %q, ptr %o) {
  %a = call spir_func <2 x float> @_Z10native_expDv2_f(<2 x float> %v)
  %b = call spir_func <2 x float> @_Z6sincosDv2_fPU3AS4S_(<2 x float> %a, ptr addrspace(4) %q)
  %c = call spir_func float @_Z5frexpfPU3AS4i(float %x, ptr addrspace(4) %q)
  %d = call spir_func i32 @_Z3anyDv2_i(<2 x i32> %n)
  %i = fptosi float %x to i32
  %s = add i32 %d, %i
  store i32 %s, ptr %o
  %r = insertelement <2 x float> %b, float %c, i64 0
  ret <2 x float> %r
}

declare spir_func <3 x float> @_Z6vload3mPU3AS1Kf(i64, ptr addrspace(1))
declare spir_func <3 x float> @_Z12vloada_half3mPU3AS1KDh(i64, ptr addrspace(1))
declare spir_func void @_Z7vstore3Dv3_fmPU3AS1f(<3 x float>, i64, ptr addrspace(1))
declare spir_func void @_Z15vstore_half_rtzfmPU3AS1Dh(float, i64, ptr addrspace(1))
declare spir_func void @_Z8prefetchPU3AS1Kfm(ptr addrspace(1), i64)
declare spir_func i32 @_Z10atomic_minPU3AS1Vjj(ptr addrspace(1), i32)
declare spir_func i32 @_Z10atomic_incPU3AS3Vi(ptr addrspace(3))
declare spir_func i32 @_Z16atomic_fetch_minPU3AS1VU7_Atomicii(ptr addrspace(1), i32)
declare spir_func i32 @_Z25atomic_fetch_xor_explicitPU3AS1VU7_Atomicjj12memory_order(ptr addrspace(1), i32, i32)
declare spir_func void @_Z21atomic_store_explicitPU3AS1VU7_Atomicii12memory_order(ptr addrspace(1), i32, i32)
declare spir_func i1 @_Z30atomic_compare_exchange_strongPU3AS1VU7_AtomiciPii(ptr addrspace(1), ptr, i32)
declare spir_func void @_Z9mem_fencej(i32)
declare spir_func <2 x float> @_Z10native_expDv2_f(<2 x float>)
declare spir_func <2 x float> @_Z6sincosDv2_fPU3AS4S_(<2 x float>, ptr addrspace(4))
declare spir_func float @_Z5frexpfPU3AS4i(float, ptr addrspace(4))
declare spir_func i32 @_Z3anyDv2_i(<2 x i32>)
