import { chmodSync, readdirSync, statSync } from "node:fs";
import { protocols } from "../adapters/registry.ts";
import { describe } from "../lib/describe.ts";

/** What others may do on this machine that they should not, and what was done about it: sentences for the log. */
export interface Privacy {
  readonly path: string;
  /** As in `drwxr-x---`, in octal: `750`. */
  readonly mode: string;
  readonly what: string;
}

/** Whatever Rialto puts into its data folder. */
const OURS = /^(?:log\.sqlite(?:[-.].+)?|files|config-versions|rialto\.sock|\.s-\w+|\.repair)$/u;
const OTHERS = 0o077;

const isAccountFolder = (name: string): boolean =>
  [...protocols.keys()].some((protocol) => name.startsWith(`${protocol}-`));

/**
 * Closes the data folder to others where nothing but Rialto's own is in it; who chose a folder that holds other things
 * as well is told. To be called when the log is open: the folder is there, and ours. Never throws.
 */
export function closeDataFolder(path: string): readonly Privacy[] {
  if (process.platform === "win32") return [];
  try {
    const { mode, uid } = statSync(path);
    const found = { path, mode: (mode & 0o777).toString(8) };
    const findings: Privacy[] = [];
    if (uid !== process.geteuid?.()) {
      findings.push({ ...found, what: `the data folder belongs to another user (${uid}), who can read and change it` });
    }
    if ((mode & OTHERS) !== 0) findings.push({ ...found, what: closed(path, mode) });
    return findings;
  } catch (error) {
    return [{ path, mode: "", what: `cannot check whether the data folder is private: ${describe(error)}` }];
  }
}

function closed(path: string, mode: number): string {
  if (readdirSync(path).some((name) => !OURS.test(name) && !isAccountFolder(name))) {
    return "other users of this machine can read the data folder; it also contains other files, so Rialto does not change its permissions: give Rialto its own folder (DataPath), or run chmod 700 on this one";
  }
  try {
    chmodSync(path, mode & 0o700);
    return "other users of this machine could read the data folder; Rialto has closed it to them";
  } catch (error) {
    return `other users of this machine can read the data folder, and Rialto cannot close it to them: ${describe(error)}`;
  }
}

/** Says so when everybody on this machine can read a configuration with secrets in it. Never throws. */
export function openConfiguration(path: string | null, hasSecrets: boolean): readonly Privacy[] {
  if (path === null || !hasSecrets || process.platform === "win32") return [];
  const mode = statSync(path, { throwIfNoEntry: false })?.mode ?? 0;
  if ((mode & 0o004) === 0) return [];
  const what =
    "the configuration contains secrets, and every user of this machine can read it: run chmod 600 or chmod 640 on it";
  return [{ path, mode: (mode & 0o777).toString(8), what }];
}
