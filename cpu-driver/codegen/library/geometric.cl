// SPDX-License-Identifier: Apache-2.0
// libclc's normalize asks for all of a vector's components at once whether they are 0, which cannot be done on lanes.
#define OVERLOAD __attribute__((overloadable))

// Vectors whose square would be subnormal or infinite are scaled by powers of two first. Infinite components become 1, all
// others 0 then; a vector of zeros stays.
#define NORMALIZE(V, T, LEAST, UP, DOWN)                                   \
  V OVERLOAD normalize(V v) {                                              \
    const T whole = dot(v, v);                                             \
    V scaled = v * (whole < LEAST ? UP : whole == INFINITY ? DOWN : (T)1); \
    T square = dot(scaled, scaled);                                        \
    const V ends = copysign(select((V)0, (V)1, isinf(scaled)), scaled);    \
    scaled = square == INFINITY ? ends : scaled;                           \
    square = square == INFINITY ? dot(ends, ends) : square;                \
    return square == 0 ? v : scaled * rsqrt(square);                       \
  }
#define OF_FLOAT(V) NORMALIZE(V, float, 0x1p-126f, 0x1p86f, 0x1p-66f)
#define OF_DOUBLE(V) NORMALIZE(V, double, 0x1p-1022, 0x1p563, 0x1p-514)
OF_FLOAT(float2)
OF_FLOAT(float3)
OF_FLOAT(float4)
OF_DOUBLE(double2)
OF_DOUBLE(double3)
OF_DOUBLE(double4)
