import { mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { Child } from "../child.ts";
import { pathOf } from "../installed.ts";
import { type Fifo, openFifo } from "./fifo.ts";
import { Ears, type Heard, type Person, type PersonOptions, settleIn } from "./person.ts";
import { FileTail } from "./tail.ts";

/**
 * Somebody with `ii`: what is written into a FIFO is said, what is heard is in a file. Short lines only: it cuts long
 * ones.
 */
export async function iiPerson(options: PersonOptions): Promise<Person> {
  const folder = await mkdtemp(path.join(os.tmpdir(), "rialto-ii-"));
  const secret = options.password === undefined ? [] : ["-k", "II_PASSWORD"];
  const child = new Child({
    command: [pathOf("ii"), "-s", "127.0.0.1", "-p", String(options.port), "-i", folder, "-n", options.nick, ...secret],
    env: options.password === undefined ? {} : { II_PASSWORD: options.password },
  });
  const home = path.join(folder, "127.0.0.1");
  const ears = new Ears(() => child.output);
  const fifos: Fifo[] = [];
  const tails: FileTail[] = [];
  const fifo = async (file: string): Promise<Fifo> => {
    const opened = await openFifo(file);
    fifos.push(opened);
    return opened;
  };
  const listen = (file: string, hear: (line: string) => void): void => void tails.push(new FileTail(file, hear));
  const rooms = new Map<string, Fifo>();
  const into = async (place: string, lines: readonly string[]): Promise<void> => {
    const found = rooms.get(place);
    if (found === undefined) throw new Error(`${options.nick} is not in ${place}`);
    await found.write(lines);
  };
  const person: Person = {
    nick: options.nick,
    client: "ii",
    say: async (channel, ...texts) => await into(channel, texts),
    act: async (channel, text) => await into(channel, [`\u0001ACTION ${text}\u0001`]),
    raw: async (line) => await into("", [`/${line}`]),
    ears,
    quit: async () => {
      for (const each of fifos) await each.close();
      await child.stop();
      for (const tail of tails) await tail.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
  await settleIn(person, async () => {
    rooms.set("", await fifo(path.join(home, "in")));
    listen(path.join(home, "out"), (line) => ears.hear("", { kind: "other", nick: "", text: line }));
    await ears.untilText("", "Welcome to");
    for (const channel of options.channels) {
      listen(path.join(home, channel, "out"), (line) => ears.hear(channel, parse(line)));
      await into("", [`/j ${channel}`]);
      rooms.set(channel, await fifo(path.join(home, channel, "in")));
      const joined = (heard: readonly Heard[]): boolean =>
        heard.some(({ kind, nick }) => kind === "join" && nick === options.nick);
      await ears.until(channel, joined, "the own join");
    }
  });
  return person;
}

const ACTION = "\u0001ACTION ";

/** A line of its log: seconds, then `<nick> text` or `-!- what happened`. */
function parse(line: string): Heard {
  const said = /^\d+ <(?<nick>[^>]+)> (?<text>.*)$/.exec(line)?.groups;
  if (said !== undefined) {
    const { nick = "", text = "" } = said;
    if (!text.startsWith(ACTION)) return { kind: "message", nick, text };
    return { kind: "action", nick, text: text.slice(ACTION.length, -1) };
  }
  const joined = /^\d+ -!- (?<nick>[^(]+)\(.*\) has joined /.exec(line)?.groups?.["nick"];
  if (joined !== undefined) return { kind: "join", nick: joined, text: "" };
  return { kind: "other", nick: "", text: line };
}
