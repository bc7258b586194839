import { existsSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { protocols } from "../adapters/registry.ts";
import type { Environment } from "../config/environment.ts";
import type { Manifest, SettingSchema } from "../contract/manifest.ts";
import { START_ERRORS } from "../errors.ts";
import { suggest } from "../lib/suggest.ts";
import { check } from "./check.ts";
import { type Console, NoAnswer, openQuestions, type Questions } from "./questions.ts";
import { wrap } from "./wrap.ts";

export interface Interview {
  readonly ask: Questions["ask"];
  /** Takes whole lines. */
  readonly say: (text: string) => void;
}

interface Surroundings {
  readonly env: Environment;
  readonly cwd: string;
  readonly say: (text: string) => void;
  /** Takes whole lines: why it cannot. */
  readonly tell: (text: string) => void;
  /** Null: nobody can be asked. */
  readonly terminal: Console | null;
}

interface Room {
  readonly account: string;
  readonly channel: string;
}

interface Account {
  readonly manifest: Manifest;
  readonly name: string;
  readonly settings: ReadonlyMap<string, string | boolean>;
}

/** Secrets that hardly anybody has. */
const RARE: ReadonlySet<string> = new Set(["Proxy"]);
/** Asked in addition to what is required and what is secret: without them most accounts cannot log in. */
const ALSO: ReadonlySet<string> = new Set(["UseTLS", "Server", "Team", "Jid", "Login"]);

/** `rialto init`: asks, writes a configuration with comments, checks it. Resolves with the exit code. */
export async function init(file: string | null, surroundings: Surroundings): Promise<number> {
  const { env, cwd, say, tell, terminal } = surroundings;
  const path = resolve(cwd, file ?? "rialto.toml");
  const usage = (message: string): number => {
    tell(`rialto: ${message}\n`);
    return START_ERRORS.usage.exit;
  };
  if (existsSync(path)) return usage(`${path} already exists and was not changed; name another file: rialto init FILE`);
  if (terminal === null) {
    return usage(
      'init asks questions and needs a terminal. Without one, write the file by hand: "rialto run" without a configuration prints one to begin with',
    );
  }
  const { ask, close } = openQuestions(terminal);
  try {
    const text = await interview({ ask, say }, protocols);
    // It may hold secrets.
    writeFileSync(path, text, { flag: "wx", mode: 0o600 });
  } catch (error) {
    if (error instanceof NoAnswer) return usage("cancelled; nothing was written");
    if (error instanceof Error && "code" in error) return usage(`${path} cannot be written: ${error.message}`);
    throw error;
  } finally {
    close();
  }
  say(`\n${path} is written. "rialto check" says:\n\n`);
  const code = check(path, { env, cwd, write: say });
  say(
    code === 0
      ? `\nTry its accounts: rialto check --online ${path}\nStart it: rialto -conf ${path}\n`
      : `\nCorrect the file and check it again: rialto check ${path}\n`,
  );
  return code;
}

/** Asks for at least two rooms; resolves with the configuration that links them. */
export async function interview({ ask, say }: Interview, known: ReadonlyMap<string, Manifest>): Promise<string> {
  say("This writes a configuration that links rooms with each other.\nCtrl-C cancels and writes nothing.\n");
  const accounts = new Map<string, Account>();
  const rooms: Room[] = [];
  while (rooms.length < 2 || (await askYesNo({ ask, say }, "One more room?"))) {
    say(`\nRoom ${rooms.length + 1}\n`);
    if (rooms.length === 0) say(wrap([...known.keys()].join(", "), "  Networks: "));
    const manifest = await askProtocol({ ask, say }, known);
    const own = [...accounts.keys()].filter((key) => key.startsWith(`${manifest.protocol}.`));
    const account = await askAccount({ ask, say }, manifest, own);
    if (!accounts.has(account)) {
      const name = account.slice(account.indexOf(".") + 1);
      accounts.set(account, { manifest, name, settings: await askSettings({ ask, say }, manifest) });
    }
    const room = { account, channel: await askChannel({ ask, say }, manifest) };
    if (rooms.some((each) => each.account === room.account && each.channel === room.channel)) {
      say("That room is already on the list.\n");
    } else rooms.push(room);
  }
  const gateway = (await ask("\nA name for the gateway that links them [lobby]: ")) || "lobby";
  return configurationOf(gateway, [...accounts.values()], rooms);
}

/** Anything but an answer to the question is asked again: the answer to another question may be meant. */
async function askYesNo({ ask, say }: Interview, question: string): Promise<boolean> {
  for (;;) {
    const answer = (await ask(`${question} [y/N]: `)).toLowerCase();
    if (["y", "yes", "true"].includes(answer)) return true;
    if (["", "n", "no", "false"].includes(answer)) return false;
    say("  Answer y or n.\n");
  }
}

async function askProtocol({ ask, say }: Interview, known: ReadonlyMap<string, Manifest>): Promise<Manifest> {
  for (;;) {
    const answer = (await ask("  Network: ")).toLowerCase();
    const found = known.get(answer);
    if (found !== undefined) return found;
    const near = suggest(answer, known.keys());
    say(`  There is no "${answer}"${near === null ? "" : `; did you mean ${near}?`}\n`);
  }
}

async function askAccount({ ask, say }: Interview, { protocol }: Manifest, own: readonly string[]): Promise<string> {
  const first = own[0]?.slice(protocol.length + 1) ?? "home";
  for (;;) {
    const name = (await ask(`  A short name for the account [${first}]: `)) || first;
    if (/^[\p{L}\p{N}_-]+$/u.test(name)) return `${protocol}.${name}`;
    say("  Use letters, digits, - and _.\n");
  }
}

async function askSettings({ ask, say }: Interview, manifest: Manifest): Promise<Account["settings"]> {
  const settings = new Map<string, string | boolean>();
  for (const [name, schema] of Object.entries(manifest.schema.properties)) {
    const isNeeded = schema.default === undefined;
    const isText = schema.type === "string";
    if (RARE.has(name) || (!isNeeded && !ALSO.has(name) && !(schema.secret === true && isText))) continue;
    say(wrap(plain(schema.description ?? name), "  "));
    if (schema.type === "boolean") {
      settings.set(name, await askYesNo({ ask, say }, `  ${name}`));
      continue;
    }
    const answer = await askText(ask, name, { isNeeded, isSecret: schema.secret === true });
    if (answer !== "") settings.set(name, answer);
  }
  return settings;
}

async function askText(
  ask: Interview["ask"],
  name: string,
  { isNeeded, isSecret }: { readonly isNeeded: boolean; readonly isSecret: boolean },
): Promise<string> {
  const notes = [...(isNeeded ? [] : [" [none]"]), ...(isSecret ? [" (not shown)"] : [])].join("");
  for (;;) {
    const answer = await ask(`  ${name}${notes}: `, { isSecret });
    if (answer !== "" || !isNeeded) return answer;
  }
}

async function askChannel({ ask, say }: Interview, { channel, onlyChannel }: Manifest): Promise<string> {
  if (onlyChannel !== undefined) return onlyChannel;
  for (;;) {
    const answer = await ask("  Room: ");
    if (channel === undefined ? answer !== "" : new RegExp(channel.pattern, "u").test(answer)) return answer;
    say(`  A room ${channel?.hint ?? "must have a name"}.\n`);
  }
}

function configurationOf(gateway: string, accounts: readonly Account[], rooms: readonly Room[]): string {
  const parts = [
    '# A configuration of Rialto. "rialto check" shows what is wrong with this file.\n',
    '# The dashboard is here, for this machine only.\n# "rialto dashboard" prints a link to it.\n[general]\nAdminBindAddress = "127.0.0.1:4290"\n',
    ...accounts.map(accountText),
    `# Everything that is said in one of these rooms goes to all the others.\n[[gateway]]\nname = ${JSON.stringify(gateway)}\nenable = true\n`,
    ...rooms.map(
      ({ account, channel }) =>
        `[[gateway.inout]]\naccount = ${JSON.stringify(account)}\nchannel = ${JSON.stringify(channel)}\n`,
    ),
  ];
  return parts.join("\n");
}

function accountText({ manifest, name, settings }: Account): string {
  const lines = [...settings].map(([setting, value]) => {
    const schema: SettingSchema | undefined = manifest.schema.properties[setting];
    return `${wrap(plain(schema?.description ?? ""), "# ", "# ")}${setting} = ${JSON.stringify(value)}\n`;
  });
  const key = /^[\w-]+$/u.test(name) ? name : JSON.stringify(name);
  return `# ${manifest.title}\n[${manifest.protocol}.${key}]\n${lines.join("")}`;
}

/** A description without its Markdown: names of settings and values in it are readable without backticks. Pure. */
const plain = (description: string): string =>
  description.replaceAll("`", "").replaceAll(/\[([^\]]+)\]\([^)\s]+\)/gu, "$1");
