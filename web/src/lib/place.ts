/** Where we are, by the fragment of the address: `#/messages/812?q=hello`. A server is never asked for it. */
export interface Place {
  /** The first part; empty: the first page. */
  readonly page: string;
  /** Those behind it, decoded. */
  readonly parts: readonly string[];
  readonly query: URLSearchParams;
}

export function placeOf(fragment: string): Place {
  const [path = "", query = ""] = fragment.replace(/^#\/?/u, "").split("?", 2);
  const [page = "", ...parts] = path.split("/").map(decoded);
  return { page, parts, query: new URLSearchParams(query) };
}

/** What a link to a place names: `href={linkTo(["messages", 812], { q: "hello" })}`. */
export function linkTo(parts: readonly (string | number)[], query: Readonly<Record<string, string>> = {}): string {
  const said = new URLSearchParams(Object.entries(query).filter(([, value]) => value !== "")).toString();
  return `#/${parts.map((part) => encodeURIComponent(part)).join("/")}${said === "" ? "" : `?${said}`}`;
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
