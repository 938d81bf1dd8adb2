// SPDX-License-Identifier: Apache-2.0
// One step of all-pairs gravity. Positions carry the mass in w. A group keeps one tile of bodies at a time in local memory.
__kernel void nbody(__global const float4* positions, __global const float4* velocities,
                    __global float4* new_positions, __global float4* new_velocities, int bodies, float dt,
                    float softening, __local float4* tile) {
  const int i = get_global_id(0);
  const int l = get_local_id(0);
  const int size = get_local_size(0);

  const float4 mine = positions[i];
  float ax = 0.0f, ay = 0.0f, az = 0.0f;
  for (int first = 0; first < bodies; first += size) {
    tile[l] = positions[first + l];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 0; k < size; ++k) {
      const float4 other = tile[k];
      const float dx = other.x - mine.x;
      const float dy = other.y - mine.y;
      const float dz = other.z - mine.z;
      const float inverse = rsqrt(dx * dx + dy * dy + dz * dz + softening);
      const float pull = other.w * inverse * inverse * inverse;
      ax += pull * dx;
      ay += pull * dy;
      az += pull * dz;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  const float4 velocity = velocities[i] + dt * (float4)(ax, ay, az, 0.0f);
  new_velocities[i] = velocity;
  new_positions[i] = mine + dt * (float4)(velocity.x, velocity.y, velocity.z, 0.0f);
}
