// SPDX-License-Identifier: Apache-2.0
// Asian options by simulation, in double precision: an item follows eight paths of an option's price, two double4, and gives
// what the mean of a path's prices is above the strike, and its derivative by the volatility, each as the mean of the paths.
//
// Random bits come from a linear recurrence on words of 128 bits, in the manner of the SIMD-oriented Mersenne Twister,
// whose newest WORDS are in private memory:
//   new = last[WORDS] ^ (last[WORDS] <<128 8) ^ ((last[MIDDLE] >>32 11) & mask) ^ (last[2] >>128 8) ^ (last[1] <<32 18)
// Four of them make two pairs of uniform numbers for each path of a double4, and these a pair of normal ones (Box and Muller),
// one for each of the two double4.
#define WORDS 8
#define MIDDLE 5

// Of 128 bits in all, the first number lowest.
uint4 left_by_8(uint4 x) { return (x << 8) | ((uint4)(0u, x.s012) >> 24); }
uint4 right_by_8(uint4 x) { return (x >> 8) | ((uint4)(x.s123, 0u) << 24); }

uint4 next_word(uint4* last, int now) {
  const uint4 mask = (uint4)(0xdfffffefu, 0xddfecb7fu, 0xbffaffffu, 0xbffffff6u);
  const uint4 oldest = last[now];
  const uint4 middle = last[(now + WORDS - MIDDLE) % WORDS];
  const uint4 second = last[(now + WORDS - 2) % WORDS];
  const uint4 newest = last[(now + WORDS - 1) % WORDS];
  const uint4 word = oldest ^ left_by_8(oldest) ^ ((middle >> 11) & mask) ^ right_by_8(second) ^ (newest << 18);
  last[now] = word;
  return word;
}

// Uniform numbers in (0, 1).
double4 to_unit(uint4 bits) { return (convert_double4(bits) + 0.5) * 0x1p-32; }

// strikes[i], start and growth per step; volatility: of the price's logarithm per step.
__kernel void monte_carlo(__global const double* strikes, __global double* payoffs, __global double* slopes, double start,
                          double growth, double volatility, int steps) {
  const int item = get_global_id(0);
  uint4 last[WORDS];
  uint seed = (uint)item;
  for (int k = 0; k < WORDS; ++k) {
    uint words[4];
    for (int part = 0; part < 4; ++part) {
      seed = 1812433253u * (seed ^ (seed >> 30)) + 4 * k + part + 1;
      words[part] = seed;
    }
    last[k] = (uint4)(words[0], words[1], words[2], words[3]);
  }

  const double drift = growth - 0.5 * volatility * volatility;
  double4 price[2], sum[2], slope[2], noise[2];
  for (int v = 0; v < 2; ++v) {
    price[v] = (double4)(start);
    sum[v] = slope[v] = noise[v] = (double4)(0.0);
  }
  int now = 0;
  for (int step = 1; step <= steps; ++step) {
    const double4 first = to_unit(next_word(last, now));
    const double4 second = to_unit(next_word(last, now + 1));
    now = (now + 2) % WORDS;
    const double4 radius = sqrt(-2.0 * log(first)), angle = 6.28318530717958647693 * second;
    const double4 normal[2] = {radius * cos(angle), radius * sin(angle)};
    for (int v = 0; v < 2; ++v) {
      price[v] *= exp(drift + volatility * normal[v]);
      noise[v] += normal[v] - volatility;
      sum[v] += price[v];
      slope[v] += price[v] * noise[v];
    }
  }

  const double strike = strikes[item];
  double4 payoff = (double4)(0.0), derivative = (double4)(0.0);
  for (int v = 0; v < 2; ++v) {
    const double4 above = sum[v] / steps - strike;
    payoff += fmax(above, 0.0);
    derivative += select((double4)(0.0), slope[v] / steps, above > 0.0);
  }
  payoffs[item] = (payoff.x + payoff.y + payoff.z + payoff.w) / 8.0;
  slopes[item] = (derivative.x + derivative.y + derivative.z + derivative.w) / 8.0;
}
