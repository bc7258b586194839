import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { type Finding, isGenerated } from "./tree.ts";

interface LintReport {
  readonly diagnostics: readonly {
    readonly message: string;
    readonly filename: string;
    readonly labels: readonly { readonly span: { readonly line: number } }[];
  }[];
}

/**
 * The limits that hold whatever .oxlintrc.json says: lines of a file, lines of a function, no `any`, no console outside
 * cli. Counted by oxlint's parser, under a configuration of their own; `folder` is relative to `root`. Generated files
 * are free. Throws when there is no file to look at.
 */
export function limitFindings(root: string, folder: string): readonly Finding[] {
  const program = join(import.meta.dirname, "../../node_modules/.bin/oxlint");
  const config = join(import.meta.dirname, "limits.oxlintrc.json");
  const { stdout, stderr } = spawnSync(program, ["-c", config, "-f", "json", folder], { cwd: root, encoding: "utf8" });
  const report = parse(stdout, stderr);
  return report.diagnostics
    .map(({ message, filename, labels }) => ({ path: filename, line: labels[0]?.span.line ?? 0, message }))
    .filter(({ path }) => !isGenerated(path));
}

function parse(stdout: string, stderr: string): LintReport {
  try {
    return JSON.parse(stdout) as LintReport;
  } catch (error) {
    throw new Error(`oxlint gave no report: ${stderr || stdout}`, { cause: error });
  }
}
