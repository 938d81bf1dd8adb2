// SPDX-License-Identifier: Apache-2.0
// One level of a breadth-first search: nodes at `level` give their neighbours the next one. Few nodes are at that level, and
// they have from none to many neighbours. Several may give the same node its level: it is the same.
__kernel void bfs_level(__global const int* first_edge, __global const int* edges, __global int* levels,
                        __global int* found, int nodes, int level) {
  const int node = get_global_id(0);
  if (node >= nodes || levels[node] != level) return;
  for (int k = first_edge[node]; k < first_edge[node + 1]; ++k) {
    const int neighbour = edges[k];
    if (levels[neighbour] < 0) {
      levels[neighbour] = level + 1;
      *found = 1;
    }
  }
}
