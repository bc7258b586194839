import { ProblemError } from "./problems.ts";
import type { Operation } from "./route.ts";

export interface FoundRoute<R extends Operation> {
  /** By method; `HEAD` is not among them. */
  readonly routes: ReadonlyMap<string, R>;
  readonly params: Readonly<Record<string, string>>;
}

interface Node<R> {
  readonly children: Map<string, Node<R>>;
  /** What stands for any one segment. */
  oneSegment: Node<R> | null;
  readonly routes: Map<string, R>;
  /** Names of the parameters on the way here. */
  names: readonly string[];
}

/** Paths whose route is kept, so that what is posted to one gateway is looked up once; longer ones are not. */
const KNOWN_MAX = 256;
const KNOWN_CHARS = 256;

const aNode = <R>(): Node<R> => ({ children: new Map(), oneSegment: null, routes: new Map(), names: [] });

/** The routes by their paths. A segment as it stands goes before a parameter. */
export class RouteTable<R extends Operation> {
  readonly #root = aNode<R>();
  readonly #known = new Map<string, FoundRoute<R>>();

  /** Throws when two routes are one. */
  constructor(routes: readonly R[]) {
    for (const route of routes) this.#add(route);
  }

  /** Null: there is no such path. Throws a ProblemError when a parameter is not readable. */
  find(path: string): FoundRoute<R> | null {
    const known = this.#known.get(path);
    if (known !== undefined) return known;
    const found = this.#look(path);
    if (found === null || path.length > KNOWN_CHARS) return found;
    if (this.#known.size >= KNOWN_MAX) this.#known.clear();
    this.#known.set(path, found);
    return found;
  }

  #look(path: string): FoundRoute<R> | null {
    const values: string[] = [];
    const node = walk(this.#root, segmentsOf(path), 0, values);
    if (node === null) return null;
    if (node.names.length === 0) return { routes: node.routes, params: NO_PARAMS };
    const params: Record<string, string> = {};
    for (const [at, name] of node.names.entries()) params[name] = decoded(values[at] ?? "");
    return { routes: node.routes, params };
  }

  #add(route: R): void {
    let node = this.#root;
    const names: string[] = [];
    for (const segment of segmentsOf(route.path)) {
      const name = /^\{(?<name>\w+)\}$/u.exec(segment)?.groups?.["name"];
      if (name !== undefined) {
        names.push(name);
        node = node.oneSegment ??= aNode<R>();
      } else {
        const child = node.children.get(segment) ?? aNode<R>();
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

function walk<R>(node: Node<R>, segments: readonly string[], at: number, values: string[]): Node<R> | null {
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
