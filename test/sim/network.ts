import type { Adapter, OpenArgs, Opened } from "../../src/contract/adapter.ts";
import type { Capabilities } from "../../src/contract/capabilities.ts";
import type { Host } from "../../src/contract/host.ts";
import type { Ended, Session } from "../../src/contract/session.ts";
import { aborted } from "./aborted.ts";
import type { Chance } from "./chance.ts";
import type { Life } from "./life.ts";
import { Link } from "./link.ts";
import type { Loop } from "./loop.ts";
import type { NetTraits, Server } from "./server.ts";
import { SimSession } from "./session.ts";
import type { Oracle } from "./oracle.ts";

interface NetworkParts {
  readonly server: Server;
  readonly loop: Loop;
  readonly chance: Chance;
  readonly oracle: Oracle;
  /** The life of the program that opens sessions now. */
  readonly life: () => Life;
  /** A bug that is planted between the core and the session. */
  readonly wrap: { readonly session: (session: Session) => Session; readonly host: (host: Host) => Host };
}

/** An adapter of a simulated network, and its connections. */
export class Network {
  readonly server: Server;
  readonly adapter: Adapter;
  readonly #parts: NetworkParts;
  readonly #links = new Set<Link>();

  constructor(parts: NetworkParts) {
    const { traits } = parts.server;
    this.#parts = parts;
    this.server = parts.server;
    this.adapter = {
      manifest: { protocol: traits.name, title: traits.name, schema: { type: "object", properties: {} } },
      capabilities: capabilitiesOf(traits),
      load: () => Promise.resolve({ open: async (args) => await this.#open(args) }),
    };
  }

  /** All connections break. */
  cut(): void {
    for (const link of this.#links) link.cut();
  }

  /** All connections seem to stand, and nothing comes or goes. */
  hush(): void {
    for (const link of this.#links) link.silent = true;
  }

  async #open({ host, since, signal }: OpenArgs<Readonly<Record<string, unknown>>>): Promise<Opened> {
    const { server, loop, chance, oracle, life, wrap } = this.#parts;
    const fault = server.openFaults.shift();
    if (fault !== undefined) oracle.counts.fault(`open ${fault}`);
    if (fault === "throw") throw new Error("simulated: the session cannot be opened");
    const link = new Link(loop, life(), chance, server.traits.latencyMs);
    this.#links.add(link);
    link.onCut(() => this.#links.delete(link));
    const asking = link.ask(() => (fault === "refused" ? REFUSED : fault === "auth" ? LOCKED : refusalOf(server)), {
      swallow: fault === "hang",
      lateMs: fault === "slow" ? 58_000 : 0,
    });
    const answer = await Promise.race([asking, aborted(signal)]);
    const ended = answer === "aborted" ? GIVEN_UP : answer.ok ? answer.value : REFUSED;
    if (ended === null)
      return { ok: true, session: wrap.session(new SimSession(wrap.host(host), link, server, oracle, since)) };
    link.cut(0);
    return { ok: false, ended };
  }
}

const REFUSED: Ended = { cause: "lost", why: { code: "network", message: "refused" } };
const LOCKED: Ended = { cause: "auth", why: { code: "auth", message: "the token is not good" } };
const GIVEN_UP: Ended = { cause: "asked", why: { code: "stopping", message: "given up" } };

function refusalOf({ isDown, isLocked }: Server): Ended | null {
  if (isDown) return REFUSED;
  return isLocked ? LOCKED : null;
}

function capabilitiesOf({ idempotency, rich, history, inflightMax }: NetTraits): Capabilities {
  const ops = rich ? "native" : "none";
  return {
    ops: { edit: ops, delete: ops, react: ops, topic: ops },
    reply: ops,
    replyWords: "quote",
    thread: "none",
    mention: "none",
    notice: "native",
    fileIn: "none",
    fileOut: "none",
    members: "none",
    topic: "none",
    history: history ? "native" : "none",
    identity: ["prefix"],
    idempotency,
    proof: "server",
    formats: ["text", "para"],
    limits: { textMax: 4000, textUnit: "codepoints", inflightMax },
  };
}
