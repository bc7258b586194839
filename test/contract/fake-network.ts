import type { Adapter, OpenArgs, Opened } from "../../src/contract/adapter.ts";
import type { Capabilities } from "../../src/contract/capabilities.ts";
import type { Reason } from "../../src/contract/outcome.ts";
import type { Ended } from "../../src/contract/session.ts";
import { FakeLink } from "./fake-link.ts";
import type { FakeTraits, OpenStep, Rate, Step } from "./fake-script.ts";
import { FakePerson } from "./fake-person.ts";
import { FakeServer } from "./fake-server.ts";
import { FakeSession } from "./fake-session.ts";
import { aborted } from "./fake-turns.ts";
import { CountingClock } from "./recording-host.ts";

/** The account's settings on the fake network; all have a default. */
interface FakeSettings {
  readonly nick?: string;
  /** `good` opens. */
  readonly token?: string;
  /** `here` is there. */
  readonly server?: string;
}

/**
 * A network in memory, with an adapter for it, that does what a test's script says. Deterministic when latency is 0.
 */
export class FakeNetwork {
  readonly traits: FakeTraits;
  readonly server: FakeServer;
  readonly adapter: Adapter;
  readonly settings: Readonly<Record<string, unknown>> = { nick: "rialto", token: "good", server: "here" };
  /** How often a session was opened, or tried to. */
  opens = 0;
  rate: Rate | null = null;
  readonly #links = new Set<FakeLink>();
  readonly #sessions = new Set<FakeSession>();
  readonly #steps = new Map<string, Step[]>();
  readonly #openSteps: OpenStep[] = [];
  /** Links that wait for the server to go on; null while it goes. */
  #stalled: Set<FakeLink> | null = null;
  #people = 0;

  constructor(traits: Partial<FakeTraits> = {}) {
    this.traits = {
      clock: new CountingClock(),
      latencyMs: 0,
      idempotency: "none",
      ops: "none",
      without: [],
      limits: {},
      inflightMax: 8,
      textMax: 80,
      window: 4,
      refsPerRoom: false,
      ...traits,
    };
    this.server = new FakeServer(this.traits);
    // Not by defineAdapter: what this network can do is known only at run time.
    this.adapter = {
      manifest: { protocol: "fake", title: "Fake network", schema: { type: "object", properties: {} } },
      capabilities: capabilitiesOf(this.traits),
      load: () => Promise.resolve({ open: this.#open }),
    };
  }

  /** The next calls of the post handler for this channel go so, one step each; afterwards all is well again. */
  script(channel: string, ...steps: readonly Step[]): void {
    this.#steps.set(channel, [...(this.#steps.get(channel) ?? []), ...steps]);
  }

  /** The next calls of open go so. */
  scriptOpen(...steps: readonly OpenStep[]): void {
    this.#openSteps.push(...steps);
  }

  /** From now on all goes well. */
  forgetScript(): void {
    this.#steps.clear();
    this.#openSteps.length = 0;
  }

  /** Joins of this channel are refused, until `allow`. */
  refuse(channel: string, why: Reason, retryInMs: number | null = null): void {
    this.server.refusals.set(channel, { why, retryInMs });
  }

  allow(channel: string): void {
    this.server.refusals.delete(channel);
  }

  /** All connections break. */
  cut(): void {
    for (const link of this.#links) link.cut();
    this.#links.clear();
    this.#sessions.clear();
  }

  /** The server stops reading and writing until the function it gives is called. */
  stall(): () => void {
    const stalled = new Set(this.#links);
    this.#stalled = stalled;
    for (const link of stalled) link.stall();
    return () => {
      this.#stalled = null;
      for (const link of stalled) link.unstall();
    };
  }

  /** All our sessions are thrown out of the channel. */
  kick(channel: string, reason = "out"): void {
    for (const { name } of this.#sessions) this.server.kick(channel, name, "operator", reason);
  }

  person(name?: string): FakePerson {
    this.#people += 1;
    return new FakePerson(this.server, name ?? `person${this.#people}`);
  }

  /** What our sessions have said in the channel, oldest first. */
  said(channel: string): readonly string[] {
    return this.server
      .room(channel)
      .messages.filter(({ key, gone }) => key !== null && !gone)
      .map(({ text }) => text);
  }

  readonly #open = async ({
    settings,
    host,
    since,
    signal,
  }: OpenArgs<Readonly<Record<string, unknown>>>): Promise<Opened> => {
    this.opens += 1;
    const account = settings as FakeSettings;
    const step = this.#openSteps.shift();
    const abort = aborted(signal);
    const link = new FakeLink(this.traits.clock, this.traits.latencyMs);
    if (this.#stalled !== null) {
      link.stall();
      this.#stalled.add(link);
    }
    this.#links.add(link);
    const login = step === "hang" ? new Promise<never>(() => undefined) : link.ask(() => step ?? fault(account));
    const answer = await Promise.race([login, abort.promise]);
    abort.stop();
    const ended = answer === true ? GIVEN_UP : answer.ok ? answer.value : BROKEN;
    if (ended !== null) {
      link.cut();
      this.#links.delete(link);
      return { ok: false, ended };
    }
    const road = { traits: this.traits, server: this.server, rate: () => this.rate };
    const name = this.server.free(account.nick ?? "rialto");
    const session = new FakeSession(
      name,
      link,
      host,
      since,
      road,
      (room) => this.#steps.get(room)?.shift() ?? { is: "deliver" },
    );
    this.server.members.add(session);
    this.server.ours.add(name);
    this.#sessions.add(session);
    return { ok: true, session };
  };
}

const GIVEN_UP: Ended = { cause: "asked", why: { code: "stopping", message: "given up" } };
const BROKEN: Ended = { cause: "lost", why: { code: "network", message: "the connection broke" } };

function fault({ nick, token, server }: FakeSettings): Ended | null {
  if (nick === "") return { cause: "config", why: { code: "config", message: "nick is empty" } };
  if (server !== undefined && server !== "here") {
    return { cause: "lost", why: { code: "network", message: `${server} does not answer` } };
  }
  if (token !== undefined && token !== "good") {
    return { cause: "auth", why: { code: "auth", message: "the token is not known" } };
  }
  return null;
}

function capabilitiesOf(traits: FakeTraits): Capabilities {
  return {
    ops: { edit: traits.ops, delete: traits.ops, react: traits.ops, topic: traits.ops },
    reply: traits.ops,
    replyWords: "quote",
    thread: traits.ops,
    mention: traits.ops,
    notice: "native",
    fileIn: traits.ops,
    fileOut: traits.ops === "native" ? "native" : "emulated",
    members: "native",
    topic: "native",
    history: traits.ops,
    identity: ["prefix"],
    idempotency: traits.idempotency === "key" ? { by: "key", windowMs: 86_400_000 } : { by: traits.idempotency },
    proof: "server",
    formats: ["text", "para"],
    limits: { textMax: traits.textMax, textUnit: "codepoints", inflightMax: traits.inflightMax },
  };
}
