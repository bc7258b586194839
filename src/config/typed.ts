import type { Manifest } from "../contract/manifest.ts";
import { resolveAccount } from "./accounts.ts";
import type { Account } from "./config.ts";
import type { Rules } from "./context.ts";
import { ProblemReport } from "./problems.ts";
import { settingsIn, type Table } from "./section.ts";

/** Settings of one account that are in no file yet. */
export interface TypedAccount {
  readonly manifest: Manifest;
  /** As `irc.libera`. */
  readonly name: string;
  readonly settings: Table;
  /** What the configuration has as `[general]`. */
  readonly general: Table;
}

/** Something wrong with what was typed. */
export interface TypedFlaw {
  readonly severity: "error" | "warning";
  /** Null: it is about none, or about one that is missing. */
  readonly setting: string | null;
  readonly message: string;
  readonly remedy: string;
}

/** Reads them as those of a file are. With an error, `account` must not be opened. */
export function readTyped(
  { manifest, name, settings, general }: TypedAccount,
  rules: Rules,
): { readonly account: Account | null; readonly flaws: readonly TypedFlaw[] } {
  const report = new ProblemReport();
  const key = name.toLowerCase();
  const path = [manifest.protocol, key];
  const names = Object.keys(settings);
  const declared = {
    key,
    name,
    protocol: manifest.protocol,
    section: settingsIn(settings, path),
    where: { in: "file", path, at: "key" } as const,
    inFile: true,
    manifest,
  };
  const account = resolveAccount(declared, settingsIn(general, ["general"]), { rules, report, folder: "/" });
  // A place in the file that is not there: the number of the setting.
  const problems = report.problems("", ([, , setting]) => ({ line: names.indexOf(String(setting)) + 1, column: 0 }));
  const flaws = problems.map(({ severity, line, message, remedy }) => {
    return { severity, setting: names[line - 1] ?? null, message, remedy };
  });
  return { account, flaws };
}
