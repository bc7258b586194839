import { mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { Child } from "../child.ts";
import { pathOf } from "../installed.ts";
import { type Fifo, openFifo } from "./fifo.ts";
import { Ears, type Heard, type Person, type PersonOptions, settleIn } from "./person.ts";
import { FileTail } from "./tail.ts";

/** Somebody with WeeChat, a client that speaks IRCv3 and splits long lines by itself: its FIFO in, its log file out. */
export async function weechatPerson(options: PersonOptions): Promise<Person> {
  const folder = await mkdtemp(path.join(os.tmpdir(), "rialto-weechat-"));
  const password = options.password === undefined ? "" : ` -password=${options.password}`;
  const commands = [
    `/set fifo.file.path ${folder}/fifo`,
    "/set logger.file.flush_delay 0",
    "/set irc.look.buffer_switch_autojoin off",
    `/server add net 127.0.0.1/${options.port} -nicks=${options.nick} -username=${options.nick} -anti_flood_prio_high=0${password}`,
    "/connect net",
  ];
  const child = new Child({
    command: [pathOf("weechat-headless"), "-d", folder, ...commands.flatMap((command) => ["-r", command])],
    env: { HOME: folder },
  });
  const logs = path.join(folder, "logs");
  const ears = new Ears(() => child.output);
  const tails: FileTail[] = [];
  const listen = (buffer: string, channel: string): void => {
    const file = path.join(logs, `irc.${buffer}.weechatlog`);
    tails.push(new FileTail(file, (line) => ears.hear(channel, parse(line))));
  };
  let fifo: Fifo | null = null;
  const into = async (buffer: string, lines: readonly string[]): Promise<void> =>
    await fifo?.write(lines.map((line) => `irc.${buffer} *${line}`));
  const person: Person = {
    nick: options.nick,
    client: "weechat",
    say: async (channel, ...texts) => await into(`net.${channel}`, texts),
    act: async (channel, text) => await into(`net.${channel}`, [`/me ${text}`]),
    raw: async (line) => await into("server.net", [`/quote ${line}`]),
    ears,
    quit: async () => {
      await fifo?.close();
      await child.stop();
      for (const tail of tails) await tail.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
  await settleIn(person, async () => {
    // What the server says is heard under the empty name.
    listen("server.net", "");
    fifo = await openFifo(path.join(folder, "fifo"));
    await ears.untilText("", "Welcome to");
    for (const channel of options.channels) {
      listen(`net.${channel}`, channel);
      await into("server.net", [`/join ${channel}`]);
      await ears.until(channel, (heard) => heard.some(({ kind }) => kind === "join"), "the own join");
    }
  });
  return person;
}

/** A line of its log: time, who or a sign for what happened, and the text, with tabs between. */
function parse(line: string): Heard {
  const [, sign = "", ...rest] = line.split("\t");
  const text = rest.join("\t");
  if (!SIGNS.has(sign)) return { kind: "message", nick: sign.replace(/^[~&@%+]/, ""), text };
  for (const [kind, pattern] of HAPPENED) {
    const found = pattern.exec(text)?.groups;
    if (found !== undefined) return { kind, nick: found["nick"] ?? "", text: found["text"] ?? "" };
  }
  if (sign !== " *") return { kind: "other", nick: "", text };
  const space = text.indexOf(" ");
  return { kind: "action", nick: text.slice(0, space), text: text.slice(space + 1) };
}

const SIGNS: ReadonlySet<string> = new Set(["-->", "<--", "--", " *", "=!=", ""]);

const HAPPENED: readonly (readonly [Heard["kind"], RegExp])[] = [
  ["join", /^(?<nick>\S+) .*\(\S+\) has joined /],
  ["leave", /^(?<nick>\S+) \(\S+\) has (?:left \S+|quit) ?(?:\((?<text>.*)\))?$/],
  ["leave", /^\S+ has kicked (?<nick>\S+) ?(?:\((?<text>.*)\))?$/],
  ["nick", /^(?<nick>\S+) is now known as (?<text>\S+)$/],
  ["topic", /^(?<nick>\S+) has changed topic for \S+ (?:from ".*" )?to "(?<text>.*)"$/],
  ["notice", /^Notice\((?<nick>[^)]+)\)(?: -> \S+)?: (?<text>.*)$/],
];
