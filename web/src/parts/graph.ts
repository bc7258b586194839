/** The picture of who is linked with what: two columns, and edges between them. Pure. */
export interface Graph {
  readonly left: readonly string[];
  readonly right: readonly string[];
  readonly edges: readonly GraphEdge[];
}

interface GraphEdge {
  readonly left: string;
  readonly right: string;
}

export interface Layout {
  readonly left: readonly string[];
  readonly right: readonly string[];
  /** Rows of the longer column. */
  readonly rows: number;
  /** Where the middle of each node is, in rows; by `L` or `R` and its key. */
  readonly at: ReadonlyMap<string, number>;
}

const ROUNDS = 6;

/** Both columns in an order with few crossings: each node as near as can be to the middle of its neighbours. */
export function layoutOf({ left, right, edges }: Graph): Layout {
  let [lefts, rights] = [left, right];
  for (let round = 0; round < ROUNDS; round += 1) {
    rights = byBarycentre(rights, lefts, (key) => edges.filter((edge) => edge.right === key).map((edge) => edge.left));
    lefts = byBarycentre(lefts, rights, (key) => edges.filter((edge) => edge.left === key).map((edge) => edge.right));
  }
  const rows = Math.max(lefts.length, rights.length);
  const at = new Map<string, number>();
  for (const [side, keys] of [
    ["L", lefts],
    ["R", rights],
  ] as const) {
    for (const [index, key] of keys.entries()) at.set(`${side}${key}`, (rows - keys.length) / 2 + index + 0.5);
  }
  return { left: lefts, right: rights, rows, at };
}

/** Who has no neighbours stays behind all who have. */
function byBarycentre(
  keys: readonly string[],
  others: readonly string[],
  neighbours: (key: string) => readonly string[],
): readonly string[] {
  const places = new Map(others.map((key, index) => [key, index]));
  const weights = new Map(
    keys.map((key) => {
      const found = neighbours(key).map((other) => places.get(other) ?? 0);
      const sum = found.reduce((total, place) => total + place, 0);
      return [key, found.length === 0 ? Number.MAX_SAFE_INTEGER : sum / found.length];
    }),
  );
  return keys.toSorted((a, b) => (weights.get(a) ?? 0) - (weights.get(b) ?? 0));
}
