import { type Finding, matches, type TreeFile } from "./tree.ts";

const UNIT = /^(?:(?!\.(?:main|process|servers)\.test\.ts$).)*\.test\.ts$/;
const MAIN_OR_PROCESS = /\.(?:main|process)\.test\.ts$/;
const STARTS = /^(?:import .*|\} )from "(?:node:child_process|[^"]*support\/(?:rialto|program|suite)\.ts)"/gm;
const SERVERS =
  /^(?:import .*|\} )from "[^"]*servers\/(?:certificate|child|installed|stage|(?:irc|matrix|xmpp|people)\/[^"]*)\.ts"/gm;

/** Tests that start programs or servers, and whose names do not say so (CONTRIBUTING.md). Type imports load nothing. */
export function kindFindings(files: readonly TreeFile[]): readonly Finding[] {
  return files.flatMap((file) => {
    const text = file.text.replaceAll(/^import type .*$/gm, "");
    const loaded = { path: file.path, text };
    const isUnit = UNIT.test(file.path);
    return [
      ...(isUnit ? matches(loaded, STARTS, () => "starts a program: name it .process.test.ts or .main.test.ts") : []),
      ...(isUnit || MAIN_OR_PROCESS.test(file.path)
        ? matches(loaded, SERVERS, () => "needs servers or programs of others: name it .servers.test.ts")
        : []),
    ];
  });
}
