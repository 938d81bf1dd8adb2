// SPDX-License-Identifier: Apache-2.0
// One group walks one tree of Cox, Ross and Rubinstein back from its leaves, for four options side by side.
// steps is even; a group has steps + 1 work-items and two rows of as many values.
__kernel void binomial_option(__global const float4* samples, __global float4* prices, int steps, float rate,
                              float volatility, __local float4* even, __local float4* odd) {
  const int l = get_local_id(0);
  const size_t option = get_group_id(0);

  const float4 in = samples[option];
  const float4 spot = 5.0f + 25.0f * in;
  const float4 strike = 1.0f + 99.0f * in;
  const float4 years = 0.25f + 9.75f * in;
  const float4 dt = years / (float)steps;
  const float4 spread = volatility * sqrt(dt);
  const float4 growth = exp(rate * dt);
  const float4 up = exp(spread);
  const float4 down = 1.0f / up;
  const float4 p = (growth - down) / (up - down);
  const float4 up_weight = p / growth;
  const float4 down_weight = (1.0f - p) / growth;

  even[l] = max(spot * exp(spread * (2.0f * l - steps)) - strike, 0.0f);
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int level = steps; level > 0; level -= 2) {
    if (l < level) odd[l] = up_weight * even[l + 1] + down_weight * even[l];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l < level - 1) even[l] = up_weight * odd[l + 1] + down_weight * odd[l];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (l == 0) prices[option] = even[0];
}
