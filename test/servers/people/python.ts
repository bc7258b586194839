import path from "node:path";
import { Child } from "../child.ts";
import { PYTHON } from "../installed.ts";
import { Ears, type Heard, type Person, type PersonOptions, settleIn } from "./person.ts";

const SCRIPT = path.join(import.meta.dirname, "python-person.py");

interface Told {
  readonly kind: Heard["kind"] | "raw";
  readonly channel: string;
  readonly nick: string;
  readonly text: string;
}

export interface PythonPerson extends Person {
  /** Every line of the server, as it came; also heard under the empty name. */
  readonly lines: readonly string[];
}

/** Somebody with a client on python3-irc, which sends any line it is given and shows every line of the server. */
export async function pythonPerson(options: PersonOptions): Promise<PythonPerson> {
  let rest = "";
  const take = ({ kind, channel, nick, text }: Told): void => {
    if (kind === "raw") ears.hear("", { kind: "other", nick, text });
    else for (const place of channel === "*" ? options.channels : [channel]) ears.hear(place, { kind, nick, text });
  };
  const decoder = new TextDecoder();
  const child = new Child({
    command: [PYTHON, SCRIPT, String(options.port), options.nick, options.password ?? ""],
    onOutput: (part) => {
      const whole = (rest + decoder.decode(part, { stream: true })).split("\n");
      rest = whole.pop() ?? "";
      for (const line of whole) take(JSON.parse(line) as Told);
    },
  });
  const ears = new Ears(() => child.output);
  const raw = async (line: string): Promise<void> => child.write(`${JSON.stringify(line)}\n`);
  const line = async (pattern: RegExp, what: string): Promise<void> =>
    void (await ears.until("", (heard) => heard.some(({ text }) => pattern.test(text)), what));
  const person: PythonPerson = {
    nick: options.nick,
    client: "python3-irc",
    say: async (channel, ...texts) => {
      for (const text of texts) await raw(`PRIVMSG ${channel} :${text}`);
    },
    act: async (channel, text) => await raw(`PRIVMSG ${channel} :\u0001ACTION ${text}\u0001`),
    raw,
    ears,
    get lines() {
      return ears.in("").map(({ text }) => text);
    },
    quit: async () => void (await child.stop()),
  };
  await settleIn(person, async () => {
    const turnedAway = child.exited.then(() =>
      Promise.reject(new Error(`${options.nick} was turned away:\n${child.output}`)),
    );
    await Promise.race([line(/^:\S+ 001 /, "the welcome"), turnedAway]);
    for (const channel of options.channels) {
      await raw(`JOIN ${channel}`);
      await line(new RegExp(`^:\\S+ 366 \\S+ ${channel} `, "i"), `the names in ${channel}`);
    }
  });
  return person;
}
