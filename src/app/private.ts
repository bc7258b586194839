import { chmodSync, readdirSync, statSync } from "node:fs";
import { describe } from "./describe.ts";

/** What others may do on this machine that they should not, and what was done about it: sentences for the log. */
export interface Privacy {
  readonly path: string;
  /** As in `drwxr-x---`, in octal: `750`. */
  readonly mode: string;
  readonly what: string;
}

/** Whatever Rialto puts into its data folder. */
const OURS = /^(?:log\.sqlite(?:[-.].+)?|files|rialto\.sock|\.s-\w+|\.repair)$/u;
const OTHERS = 0o077;

/**
 * Closes the data folder to others where nothing but Rialto's own is in it; who chose a folder that holds other things as well is told. To be called
 * when the log is open: the folder is there, and ours. Never throws.
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
    return [{ path, mode: "", what: `whether the data folder is private cannot be seen: ${describe(error)}` }];
  }
}

function closed(path: string, mode: number): string {
  if (readdirSync(path).some((name) => !OURS.test(name))) {
    return "other users of this machine can look into the data folder; it holds other things too, so Rialto leaves it as it is: give Rialto a folder of its own (DataPath), or chmod 700";
  }
  try {
    chmodSync(path, mode & 0o700);
    return "other users of this machine could look into the data folder; it is closed to them now";
  } catch (error) {
    return `other users of this machine can look into the data folder, and it cannot be closed to them: ${describe(error)}`;
  }
}

/** Says so when everybody on this machine can read a configuration with secrets in it. Never throws. */
export function openConfiguration(path: string | null, hasSecrets: boolean): readonly Privacy[] {
  if (path === null || !hasSecrets || process.platform === "win32") return [];
  const mode = statSync(path, { throwIfNoEntry: false })?.mode ?? 0;
  if ((mode & 0o004) === 0) return [];
  const what = "the configuration holds secrets, and every user of this machine may read it: chmod 600, or 640";
  return [{ path, mode: (mode & 0o777).toString(8), what }];
}
