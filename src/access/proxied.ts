import type { Clock } from "../contract/host.ts";
import { printable, shorten } from "../lib/printable.ts";
import { type Access, type Scope, SCOPES } from "./access.ts";

/** Somebody whom a web server in front has signed in. Moments are Unix ms. */
export interface ProxiedView {
  /** As that server calls them. */
  readonly user: string;
  /** Since Rialto was started. */
  readonly createdMs: number;
  readonly usedMs: number;
  /** What the browser called itself. */
  readonly agent: string;
}

/** More who come make Rialto forget whom it has not seen for longest; they come in all the same. */
const PEOPLE_MAX = 100;
const AGENT_CHARS = 200;
const NEVER = new AbortController().signal;

/** Operators whom a web server in front has signed in: it says so with each request, and nothing of it is kept. */
export class ProxiedPeople {
  readonly #clock: Pick<Clock, "nowMs">;
  /** The one that came last is the last. */
  readonly #people = new Map<string, ProxiedView>();

  constructor(clock: Pick<Clock, "nowMs">) {
    this.#clock = clock;
  }

  /** For a user whom a web server that is trusted named. */
  come(user: string, agent: string): Access {
    const usedMs = this.#clock.nowMs();
    const createdMs = this.#people.get(user)?.createdMs ?? usedMs;
    this.#people.delete(user);
    this.#people.set(user, { user, createdMs, usedMs, agent: printable(shorten(agent, AGENT_CHARS)) });
    for (const each of this.#people.keys()) {
      if (this.#people.size <= PEOPLE_MAX) break;
      this.#people.delete(each);
    }
    const rights = { scopes: new Set<Scope>(SCOPES), gateways: null, token: null };
    return { account: "", ...rights, by: "proxy", name: user, ended: NEVER };
  }

  /** The one who came last first. */
  list(): readonly ProxiedView[] {
    return [...this.#people.values()].toReversed();
  }
}
