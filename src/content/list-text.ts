import type { Block } from "../contract/content.ts";

/** An item of a list that the tree has no word for, as text: the marker comes before its first line. */
export function markedItem(marker: string, item: readonly Block[]): readonly Block[] {
  const [first, ...rest] = item;
  if (first?.t === "para") return [{ t: "para", of: [{ t: "text", text: marker }, ...first.of] }, ...rest];
  return [{ t: "para", of: [{ t: "text", text: marker.trimEnd() }] }, ...item];
}
