/**
 * The strongly connected components of a directed graph, each a list of node numbers; `edges[node]` are the nodes it
 * leads to. Tarjan's algorithm with its own stack, so that a long chain cannot overflow the call stack; linear time.
 */
export function components(edges: readonly (readonly number[])[]): readonly (readonly number[])[] {
  const found: number[][] = [];
  const index = new Int32Array(edges.length).fill(UNSEEN);
  const low = new Int32Array(edges.length);
  const nextEdge = new Int32Array(edges.length);
  const onStack = new Uint8Array(edges.length);
  /** Seen, and not yet in a component. */
  const stack: number[] = [];
  const path: number[] = [];
  let count = 0;

  const enter = (node: number): void => {
    index[node] = low[node] = count;
    count += 1;
    onStack[node] = 1;
    stack.push(node);
    path.push(node);
  };

  const leave = (node: number): void => {
    path.pop();
    const parent = path.at(-1);
    if (parent !== undefined) low[parent] = Math.min(low[parent] ?? 0, low[node] ?? 0);
    if (low[node] !== index[node]) return;
    const component = stack.splice(stack.lastIndexOf(node));
    for (const member of component) onStack[member] = 0;
    found.push(component);
  };

  for (let root = 0; root < edges.length; root += 1) {
    if (index[root] === UNSEEN) enter(root);
    for (let node = path.at(-1); node !== undefined; node = path.at(-1)) {
      const edge = nextEdge[node] ?? 0;
      nextEdge[node] = edge + 1;
      const target = edges[node]?.[edge];
      if (target === undefined) leave(node);
      else if (index[target] === UNSEEN) enter(target);
      else if (onStack[target] === 1) low[node] = Math.min(low[node] ?? 0, index[target] ?? 0);
    }
  }
  return found;
}

const UNSEEN = -1;
