import { ProblemError } from "./problems.ts";
import type { Route } from "./route.ts";

export interface FoundRoute {
  /** By method; `HEAD` is not among them. */
  readonly routes: ReadonlyMap<string, Route>;
  readonly params: Readonly<Record<string, string>>;
}

interface Node {
  readonly children: Map<string, Node>;
  /** What stands for any one segment. */
  oneSegment: Node | null;
  readonly routes: Map<string, Route>;
  /** Names of the parameters on the way here. */
  names: readonly string[];
}

const aNode = (): Node => ({ children: new Map(), oneSegment: null, routes: new Map(), names: [] });

/** The routes by their paths. A segment as it stands goes before a parameter. */
export class RouteTable {
  readonly #root = aNode();

  /** Throws when two routes are one. */
  constructor(routes: readonly Route[]) {
    for (const route of routes) this.#add(route);
  }

  /** Null: there is no such path. Throws a ProblemError when a parameter is not readable. */
  find(path: string): FoundRoute | null {
    const values: string[] = [];
    const node = walk(this.#root, segmentsOf(path), 0, values);
    if (node === null) return null;
    if (node.names.length === 0) return { routes: node.routes, params: NO_PARAMS };
    const params: Record<string, string> = {};
    for (const [at, name] of node.names.entries()) params[name] = decoded(values[at] ?? "");
    return { routes: node.routes, params };
  }

  #add(route: Route): void {
    let node = this.#root;
    const names: string[] = [];
    for (const segment of segmentsOf(route.path)) {
      const name = /^\{(?<name>\w+)\}$/u.exec(segment)?.groups?.["name"];
      if (name !== undefined) {
        names.push(name);
        node = node.oneSegment ??= aNode();
      } else {
        const child = node.children.get(segment) ?? aNode();
        node.children.set(segment, child);
        node = child;
      }
    }
    if (node.routes.has(route.method)) throw new Error(`${route.method} ${route.path} is there twice`);
    if (node.routes.size > 0 && node.names.join("/") !== names.join("/"))
      throw new Error(`${route.path} names its parameters otherwise than another method there`);
    node.names = names;
    node.routes.set(route.method, route);
  }
}

const NO_PARAMS = {};

const segmentsOf = (path: string): readonly string[] => path.slice(1).split("/");

function walk(node: Node, segments: readonly string[], at: number, values: string[]): Node | null {
  const segment = segments[at];
  if (segment === undefined) return node.routes.size > 0 ? node : null;
  const child = node.children.get(segment);
  if (child !== undefined) {
    const found = walk(child, segments, at + 1, values);
    if (found !== null) return found;
  }
  if (node.oneSegment === null || segment === "") return null;
  values.push(segment);
  const found = walk(node.oneSegment, segments, at + 1, values);
  if (found === null) values.pop();
  return found;
}

function decoded(segment: string): string {
  if (!segment.includes("%")) return segment;
  try {
    return decodeURIComponent(segment);
  } catch {
    throw new ProblemError("bad_request", "a segment of the path is not percent-encoded UTF-8 (RFC 3986 §2.1)");
  }
}
