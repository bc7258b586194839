import { printable } from "../lib/printable.ts";

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** A text inside an element or a quoted attribute: visible characters only, and no markup. */
export const escapeHtml = (text: string): string =>
  printable(text).replaceAll(/[&<>"']/g, (character) => ENTITIES[character] ?? "");
