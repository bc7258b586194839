import type { Scene } from "./scene.ts";

const END = "<!-- end of generated -->";
const startOf = (name: string): string =>
  `<!-- generated: ${name} (UPDATE_SITUATIONS=1 npm run faults -- situations) -->`;

/** What the page says of one situation. */
export function toldOf(page: string, name: string): string {
  const { from, to } = placeOf(page, name);
  return page.slice(from, to);
}

/** The page with what was seen of one situation. */
export function inserted(page: string, name: string, scene: Scene): string {
  const { from, to } = placeOf(page, name);
  return `${page.slice(0, from)}\n\n${textOf(scene)}\n\n${page.slice(to)}`;
}

function placeOf(page: string, name: string): { readonly from: number; readonly to: number } {
  const start = startOf(name);
  const from = page.indexOf(start);
  const to = page.indexOf(END, from);
  if (from < 0 || to < 0) throw new Error(`the page lacks "${start}" or "${END}" after it`);
  return { from: from + start.length, to };
}

function textOf({ terminal, page, json, log, rooms }: Scene): string {
  const heard = Object.entries(rooms).map(([room, lines]) => block(`${room}:`, "text", lines.join("\n")));
  return [
    block("The terminal, `rialto status`:", "text", terminal),
    block("The page, `GET /`:", "text", page),
    block("Of `GET /api/v1/status`:", "json", json),
    block("The log:", "json", log),
    ...heard,
  ].join("\n\n");
}

const block = (title: string, language: string, text: string): string =>
  `${title}\n\n\`\`\`${language}\n${text}\n\`\`\``;
