import { readFileSync } from "node:fs";

/** As package.json has it; `unknown` when that cannot be read, which is no reason to fail. */
export function version(): string {
  try {
    const text = readFileSync(new URL("../../package.json", import.meta.url), "utf8");
    return (JSON.parse(text) as { readonly version: string }).version;
  } catch {
    return "unknown";
  }
}
