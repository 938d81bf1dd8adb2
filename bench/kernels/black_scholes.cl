// SPDX-License-Identifier: Apache-2.0
// European options, four to a work-item. The cumulative normal distribution is Hastings' polynomial.
float4 normal_cdf(float4 d) {
  const float4 k = 1.0f / (1.0f + 0.2316419f * fabs(d));
  const float4 tail = 0.39894228f * exp(-0.5f * d * d) *
                      (k * (0.31938153f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f)))));
  return select(tail, 1.0f - tail, d > 0.0f);
}

__kernel void black_scholes(__global const float4* price, __global const float4* strike, __global const float4* years,
                            __global float4* call, __global float4* put, float rate, float volatility) {
  const size_t i = get_global_id(0);
  const float4 s = price[i];
  const float4 x = strike[i];
  const float4 t = years[i];
  const float4 spread = volatility * sqrt(t);
  const float4 d1 = (log(s / x) + (rate + 0.5f * volatility * volatility) * t) / spread;
  const float4 d2 = d1 - spread;
  const float4 discounted = x * exp(-rate * t);
  const float4 n1 = normal_cdf(d1);
  const float4 n2 = normal_cdf(d2);
  call[i] = s * n1 - discounted * n2;
  put[i] = discounted * (1.0f - n2) - s * (1.0f - n1);
}
