import { type Line, wordsOf } from "../lines.ts";
import type { ApiClient } from "../../support/client.ts";
import { GATEWAY } from "../harness.ts";

/** Under a key: asked again at the next machine after so long, in ms. Longer than a takeover takes. */
const KEYED_MS = 5_000;
/** Without a key: so long an answer is waited for, in ms. After 60 s the program closes the connection itself. */
const UNKEYED_MS = 70_000;
const AGAIN_MS = 100;

/** How a program posts: by the reference's API with or without a key, or below /v1. */
type Manner = "keyed" | "v1" | "unkeyed";

/** A program that posts at one machine, and at the next one when that does not take it. */
export class Poster {
  readonly name: string;
  /** Lines without a key that were not answered: each may be there once, or not at all. */
  readonly unanswered = new Set<number>();
  /** Answers other than that it was taken, or cannot be now. */
  readonly wrong: string[] = [];
  said = 0;
  accepted = 0;
  /** It waits for an answer. */
  isWaiting = false;
  readonly #manner: Manner;
  readonly #addresses: readonly ApiClient[];
  readonly #round: number;
  #at: number;

  constructor(index: number, options: { readonly addresses: readonly ApiClient[]; readonly round: number }) {
    this.name = `p${index}`;
    this.#manner = (["keyed", "v1", "keyed", "unkeyed"] as const)[index % 4] ?? "keyed";
    this.#addresses = options.addresses;
    this.#round = options.round;
    this.#at = index % options.addresses.length;
  }

  /** Resolves when the next line is taken, or nobody knows whether it was. */
  async say(isOver: () => boolean): Promise<void> {
    this.said += 1;
    const line: Line = { round: this.#round, from: this.name, n: this.said };
    this.isWaiting = true;
    while (!isOver()) {
      const became = await this.#try(wordsOf(line));
      if (became === "taken") this.accepted += 1;
      if (became === "unknown" && this.#manner === "unkeyed") this.unanswered.add(line.n);
      if (became === "taken" || (became === "unknown" && this.#manner === "unkeyed")) break;
      this.#at = (this.#at + 1) % this.#addresses.length;
      await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
    }
    this.isWaiting = false;
  }

  async #try(text: string): Promise<"taken" | "refused" | "unknown"> {
    const isKeyed = this.#manner !== "unkeyed";
    const isV1 = this.#manner === "v1";
    const body = isV1 ? { text, author: { name: "anna" } } : { gateway: GATEWAY, username: "anna", text };
    const headers = { "Content-Type": "application/json", ...(isKeyed && { "Idempotency-Key": text }) };
    const path = isV1 ? `/v1/gateways/${GATEWAY}/messages` : "/api/message";
    const patienceMs = isKeyed ? KEYED_MS : UNKEYED_MS;
    try {
      const options = { method: "POST", headers, body: JSON.stringify(body), patienceMs };
      const answer = await this.#client.request(path, options);
      if (answer.status === 200 || answer.status === 201) return "taken";
      if (answer.status !== 503) this.wrong.push(`${text}: ${answer.status} ${answer.text.slice(0, 200)}`);
      return "refused";
    } catch (error) {
      // Nobody was there to take it.
      return (error as NodeJS.ErrnoException).code === "ECONNREFUSED" ? "refused" : "unknown";
    }
  }

  get #client(): ApiClient {
    const client = this.#addresses[this.#at];
    if (client === undefined) throw new Error("there is no address to post at");
    return client;
  }
}
