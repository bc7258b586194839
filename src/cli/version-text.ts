import { basename } from "node:path";

/**
 * What `-version` prints. `program`: the path that the program was called by. As `matterbridge`, it prints two words
 * after the colon, as that does (its release and its commit), so that scripts that read them go on. Pure.
 */
export function versionText(version: string, program: string, json: boolean): string {
  if (json) return `${JSON.stringify({ version })}\n`;
  return `version: ${version}${basename(program) === "matterbridge" ? " rialto" : ""}\n`;
}
