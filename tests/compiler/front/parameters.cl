// RUN: %skmd-compile --describe %s | %FileCheck %s
// What clGetKernelArgInfo tells: CL_KERNEL_ARG_ADDRESS_ and _ACCESS_ values, type names without qualifiers and blanks.
typedef struct { float x; int3 v; char c; } S;
typedef float real;
struct T { short a, b; };
enum E { one };
kernel void scalars(char a, unsigned char b, short c, unsigned short d, int e, unsigned int f, long g, unsigned long h, float i, double j, unsigned k, const uint l) {}
kernel void vectors(char2 a, uchar3 b, float3 c, double3 d, int16 e) {}
kernel void types(S a, real b, struct T c, enum E d) {}
kernel void pointers(global int* a, global const float4* restrict b, volatile global unsigned int* c, constant uchar* d, local long* e, global S* f, global struct T* g, global void* h, global float (*i)[4], __global int* const j) {}
kernel void images(read_only image2d_t a, write_only image3d_t b, image1d_t c, read_only image2d_array_t d, read_only image1d_array_t e, read_only image1d_buffer_t f, sampler_t g) {}

// CHECK: kernel scalars
// CHECK-NEXT: value 'char' a: 1 bytes, align 1, address 0x119e, access 0x11a3, image 0x0, qualifiers 0
// CHECK-NEXT: value 'uchar' b: 1 bytes, align 1,
// CHECK-NEXT: value 'short' c: 2 bytes, align 2,
// CHECK-NEXT: value 'ushort' d: 2 bytes, align 2,
// CHECK-NEXT: value 'int' e: 4 bytes, align 4,
// CHECK-NEXT: value 'uint' f: 4 bytes, align 4,
// CHECK-NEXT: value 'long' g: 8 bytes, align 8,
// CHECK-NEXT: value 'ulong' h: 8 bytes, align 8,
// CHECK-NEXT: value 'float' i: 4 bytes, align 4,
// CHECK-NEXT: value 'double' j: 8 bytes, align 8,
// CHECK-NEXT: value 'uint' k: 4 bytes, align 4,
// CHECK-NEXT: value 'uint' l: 4 bytes, align 4, address 0x119e, access 0x11a3, image 0x0, qualifiers 0
// CHECK: kernel vectors
// CHECK-NEXT: value 'char2' a: 2 bytes, align 2,
// CHECK-NEXT: value 'uchar3' b: 4 bytes, align 4, 3-vector,
// CHECK-NEXT: value 'float3' c: 16 bytes, align 16, 3-vector,
// CHECK-NEXT: value 'double3' d: 32 bytes, align 32, 3-vector,
// CHECK-NEXT: value 'int16' e: 64 bytes, align 64,
// CHECK: kernel types
// CHECK-NEXT: value 'S' a: 48 bytes, align 16,
// CHECK-NEXT: value 'real' b: 4 bytes, align 4,
// CHECK-NEXT: value 'struct T' c: 4 bytes, align 2,
// CHECK-NEXT: value 'enum E' d: 4 bytes, align 4,
// CHECK: kernel pointers
// CHECK-NEXT: global 'int*' a: 8 bytes, align 8, address 0x119b, access 0x11a3, image 0x0, qualifiers 0
// CHECK-NEXT: global 'float4*' b: {{.*}} qualifiers 3
// CHECK-NEXT: global 'uint*' c: {{.*}} qualifiers 4
// CHECK-NEXT: constant 'uchar*' d: 8 bytes, align 8, address 0x119d, access 0x11a3, image 0x0, qualifiers 1
// CHECK-NEXT: local 'long*' e: 8 bytes, align 8, address 0x119c, access 0x11a3, image 0x0, qualifiers 0
// CHECK-NEXT: global 'S*' f:
// CHECK-NEXT: global 'struct T*' g:
// CHECK-NEXT: global 'void*' h:
// CHECK-NEXT: global 'float{{ ?}}[4]*' i:
// CHECK-NEXT: global 'int*' j: {{.*}} qualifiers 0
// CHECK: kernel images
// CHECK-NEXT: image read_only 'image2d_t' a: 8 bytes, align 8, address 0x119b, access 0x11a0, image 0x10f1, qualifiers 0
// CHECK-NEXT: image write_only 'image3d_t' b: {{.*}} access 0x11a1, image 0x10f2,
// CHECK-NEXT: image read_only 'image1d_t' c: {{.*}} access 0x11a0, image 0x10f4,
// CHECK-NEXT: image read_only 'image2d_array_t' d: {{.*}} image 0x10f3,
// CHECK-NEXT: image read_only 'image1d_array_t' e: {{.*}} image 0x10f5,
// CHECK-NEXT: image read_only 'image1d_buffer_t' f: {{.*}} image 0x10f6,
// CHECK-NEXT: sampler 'sampler_t' g: 8 bytes, align 8, address 0x119e, access 0x11a3, image 0x0, qualifiers 0
