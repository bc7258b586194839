import { type Finding, isGenerated, isTest, lineAt, matches, type TreeFile } from "./tree.ts";

/** The protocols of the reference's configurations; `api` is the one the core may name. */
const PROTOCOLS = [
  "discord",
  "harmony",
  "irc",
  "keybase",
  "mastodon",
  "matrix",
  "mattermost",
  "msteams",
  "mumble",
  "nctalk",
  "rocketchat",
  "slack",
  "slack-legacy",
  "sshchat",
  "steam",
  "telegram",
  "vk",
  "whatsapp",
  "xmpp",
  "zulip",
];

/** Not an adapter, but what several have in common. */
const KIT = "kit";

/** A word of everybody's as well: it is the protocol where it stands in quotes. */
const WORD = "web";

/**
 * Protocols named in the core, comments included: what one network needs has no place there, nor in what adapters have
 * in common. Adapters and the configuration are free, and so is src/content, where a format of text bears the name of
 * its network.
 */
export function protocolFindings(files: readonly TreeFile[]): readonly Finding[] {
  const folders = files.flatMap(({ path }) => /^src\/adapters\/([^/]+)\//.exec(path)?.[1] ?? []);
  const names = [...new Set([...PROTOCOLS, ...folders])].filter(
    (name) => name !== "api" && name !== KIT && name !== WORD,
  );
  const named = new RegExp(`\\b(?:${names.join("|")})\\b|(?<=")${WORD}(?=")`, "gi");
  return files
    .filter(
      ({ path }) =>
        /^src\/(?!adapters\/(?!kit\/)|config\/|content\/).*\.ts$/.test(path) && !isTest(path) && !isGenerated(path),
    )
    .flatMap((file) =>
      matches(
        file,
        named,
        ([name]) => `names the protocol "${name}"; only src/adapters, src/config and src/content may`,
      ),
    );
}

const MACHINE_PATH = /(?<![\w.])\/(?:work|root|home|Users)\/[\w.-]*/g;
const PACKAGE_HOST =
  /https?:\/\/[^\s/"'`]*\b(?:registry|mirror|artifactory|nexus|verdaccio)\b[^\s/"'`]*|\bregistry\.(?:npmjs|yarnpkg|npmmirror)\.\w+|\bdeb\.debian\.org|\barchive\.ubuntu\.com/g;

/** Paths of one machine and the hosts packages came from: true where they were written and nowhere else. */
export function placeFindings(files: readonly TreeFile[]): readonly Finding[] {
  return files.flatMap((file) => [
    ...matches(file, MACHINE_PATH, ([path]) => `has a path of one machine (${path}): use a relative one`),
    ...matches(file, PACKAGE_HOST, ([host]) => `names the package host ${host}: leave that to the machine's settings`),
  ]);
}

const DIRECTIVE =
  /\/[/*]\s*(?<kind>(?:oxlint|eslint)-disable(?:-next-line|-line)?|@ts-(?:expect-error|ignore|nocheck))(?<rest>.*)/g;
const NEVER = /max-lines|no-explicit-any|no-console/;

/**
 * Suppressions in TypeScript and JavaScript: each names its rule and, after ` -- `, its reason; the limits cannot be
 * lifted.
 */
export function suppressionFindings(files: readonly TreeFile[]): readonly Finding[] {
  return files
    .filter(({ path }) => /\.[cm]?[jt]sx?$/.test(path) && !path.startsWith("tools/tidy/"))
    .flatMap((file) =>
      Array.from(file.text.matchAll(DIRECTIVE)).flatMap((match) => {
        const message = faultOf(match.groups?.["kind"] ?? "", match.groups?.["rest"] ?? "");
        return message === null ? [] : [{ path: file.path, line: lineAt(file.text, match.index), message }];
      }),
    );
}

function faultOf(kind: string, rest: string): string | null {
  const [rules = "", reason = ""] = rest.split(/\s--\s/);
  if (kind === "@ts-ignore" || kind === "@ts-nocheck") return `${kind} hides more than it says: use @ts-expect-error`;
  if (kind === "@ts-expect-error") return rest.trim() === "" ? "a suppression gives its reason" : null;
  if (rules.trim() === "") return "a suppression names the rule it lifts";
  if (NEVER.test(rules)) return "this rule may not be lifted";
  return reason.replace("*/", "").trim() === "" ? "a suppression gives its reason, after ` -- `" : null;
}
