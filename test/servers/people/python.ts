import path from "node:path";
import { within } from "../../support/wait.ts";
import { Child } from "../child.ts";
import { PYTHON } from "../installed.ts";
import { Ears, type Heard, type Person, type PersonOptions, settleIn } from "./person.ts";

const SCRIPT = path.join(import.meta.dirname, "python-people.py");

interface Told {
  readonly who: number;
  readonly kind: Heard["kind"] | "raw" | "end";
  readonly channel: string;
  readonly nick: string;
  readonly text: string;
}

/** One program for all people that are there at the same time: most of what it needs is its start. */
class PythonPeople {
  static #running: PythonPeople | null = null;
  readonly #child: Child;
  readonly #people = new Map<number, (told: Told) => void>();
  #rest = "";
  #count = 0;

  /** The one that runs; it ends when the last person in it has quit. */
  static get running(): PythonPeople {
    return (PythonPeople.#running ??= new PythonPeople());
  }

  private constructor() {
    const decoder = new TextDecoder();
    this.#child = new Child({
      command: [PYTHON, SCRIPT],
      onOutput: (part) => {
        const whole = (this.#rest + decoder.decode(part, { stream: true })).split("\n");
        this.#rest = whole.pop() ?? "";
        for (const line of whole) this.#take(JSON.parse(line) as Told);
      },
    });
    void this.#child.exited.then(() => {
      if (PythonPeople.#running === this) PythonPeople.#running = null;
      for (const who of this.#people.keys()) this.#take({ who, kind: "end", channel: "", nick: "", text: this.output });
    });
  }

  get output(): string {
    return this.#child.output;
  }

  add({ port, nick, password = "" }: PersonOptions, take: (told: Told) => void): number {
    const who = (this.#count += 1);
    this.#people.set(who, take);
    this.tell({ who, connect: [port, nick, password] });
    return who;
  }

  tell(command: object): void {
    this.#child.write(`${JSON.stringify(command)}\n`);
  }

  async remove(who: number): Promise<void> {
    if (!this.#people.delete(who) || this.#people.size > 0) return;
    PythonPeople.#running = null;
    await this.#child.stop();
  }

  #take(told: Told): void {
    this.#people.get(told.who)?.(told);
  }
}

export interface PythonPerson extends Person {
  /** Every line of the server, as it came; also heard under the empty name. */
  readonly lines: readonly string[];
}

/** Somebody with a client on python3-irc, which sends any line it is given and shows every line of the server. */
export async function pythonPerson(options: PersonOptions): Promise<PythonPerson> {
  const people = PythonPeople.running;
  const end = Promise.withResolvers<string>();
  const who = people.add(options, ({ kind, channel, nick, text }) => {
    if (kind === "end") end.resolve(text);
    else if (kind === "raw") ears.hear("", { kind: "other", nick, text });
    else for (const place of channel === "*" ? options.channels : [channel]) ears.hear(place, { kind, nick, text });
  });
  const ears = new Ears(() => people.output);
  const raw = async (line: string): Promise<void> => people.tell({ who, line });
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
    quit: async () => {
      people.tell({ who, quit: true });
      await within(end.promise, () => `the end of ${options.nick}; it printed:\n${people.output}`);
      await people.remove(who);
    },
  };
  await settleIn(person, async () => {
    const turnedAway = end.promise.then((why) =>
      Promise.reject(new Error(`${options.nick} was turned away: ${why}\n${people.output}`)),
    );
    await Promise.race([line(/^:\S+ 001 /, "the welcome"), turnedAway]);
    for (const channel of options.channels) {
      await raw(`JOIN ${channel}`);
      await line(new RegExp(`^:\\S+ 366 \\S+ ${channel} `, "i"), `the names in ${channel}`);
    }
  });
  return person;
}
