import { expect, onTestFinished, test, vi } from "vitest";
import { eventually } from "../../../test/support/wait.ts";
import type { KeptText } from "./kept.ts";
import { discard, holds, keepOutbox, pending, send } from "./outbox.ts";

const hooks = { isShown: () => false, onAccepted: () => undefined, onRefused: () => undefined };

/** A tab, in which the page can be loaded again, and a server that answers one request after the other. */
class Tab {
  readonly keys: string[] = [];
  readonly answers: (() => Promise<Response>)[] = [];
  #text = "";
  #leave: () => void;

  readonly #kept: KeptText = {
    read: () => this.#text,
    write: (text) => {
      this.#text = text;
    },
  };

  constructor() {
    vi.stubGlobal("fetch", async (_: unknown, { headers }: { readonly headers: Headers }) => {
      this.keys.push(headers.get("Idempotency-Key") ?? "");
      return await (this.answers.shift()?.() ?? Promise.reject(new Error("there is no answer")));
    });
    onTestFinished(() => {
      this.#leave();
      pending.value = [];
      vi.unstubAllGlobals();
    });
    this.#leave = keepOutbox(this.#kept, hooks);
  }

  reload(): void {
    this.#leave();
    pending.value = [];
    this.#leave = keepOutbox(this.#kept, hooks);
  }

  async shows(...states: readonly string[]): Promise<void> {
    await eventually(
      () => Promise.resolve(pending.value.map(({ text, state }) => `${text} ${state}`)),
      (now) => now.join() === states.join(),
      () => `${states.join()} to be shown`,
    );
  }
}

const says = (text: string): void => send({ text, replyTo: null, files: [] }, hooks);
const answer = (status: number, body: object) => async () => await Promise.resolve(Response.json(body, { status }));

test("what may not have arrived is sent again after a reload, under its key, and what was refused is shown", async () => {
  const tab = new Tab();
  tab.answers.push(
    async () => await Promise.reject(new Error("lost")),
    answer(400, { title: "No", status: 400, code: "bad_request", detail: "no", errors: [] }),
  );
  says("one");
  says("two");
  await tab.shows("one failed", "two failed");
  tab.answers.push(answer(202, { held: true, id: "m1" }));
  tab.reload();
  // The server knows of it already.
  holds([{ id: "m1", text: "one" }]);
  await tab.shows("one held", "two failed");
  expect(tab.keys[2]).toBe(tab.keys[0]);
  expect(tab.keys).toHaveLength(3);
  for (const { key } of pending.value) discard(key);
  tab.reload();
  expect(pending.value).toEqual([]);
});
