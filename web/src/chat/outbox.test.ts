import { expect, onTestFinished, test, vi } from "vitest";
import { eventually } from "../../../test/support/wait.ts";
import type { KeptText } from "./kept.ts";
import { discard, holds, keepOutbox, pending, retryNow, send } from "./outbox.ts";

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

const LOST = async (): Promise<Response> => await Promise.reject(new Error("lost"));
const REFUSED = answer(400, { title: "No", status: 400, code: "bad_request", detail: "no", errors: [] });

test("what may not have arrived is sent again after a reload, under its key, and what was refused is shown", async () => {
  const tab = new Tab();
  tab.answers.push(REFUSED, LOST);
  says("one");
  says("two");
  await tab.shows("one failed", "two failed");
  tab.answers.push(answer(202, { held: true, id: "m1" }));
  tab.reload();
  // The server knows of it already.
  holds([{ id: "m1", text: "two" }]);
  await tab.shows("one failed", "two held");
  expect(tab.keys[2]).toBe(tab.keys[1]);
  expect(tab.keys).toHaveLength(3);
  for (const { key } of pending.value) discard(key);
  tab.reload();
  expect(pending.value).toEqual([]);
});

test.each([
  ["no answer", LOST],
  ["502 of what stands before Rialto", answer(502, {})],
  ["503", answer(503, {})],
])("%s: it is sent again under its key once Rialto is back, before those behind it", async (_, none) => {
  const tab = new Tab();
  tab.answers.push(none, none);
  for (const text of ["one", "two", "three"]) says(text);
  await tab.shows("one failed", "two sending", "three sending");
  retryNow();
  await eventually(
    () => Promise.resolve(tab.keys.length),
    (count) => count === 2,
    () => "another try",
  );
  await tab.shows("one failed", "two sending", "three sending");
  for (const id of ["m1", "m2", "m3"]) tab.answers.push(answer(202, { held: true, id }));
  retryNow();
  await tab.shows("one held", "two held", "three held");
  const [key] = tab.keys;
  expect(tab.keys.slice(0, 3)).toEqual([key, key, key]);
  expect(new Set(tab.keys).size).toBe(3);
});

test("a message without an answer that is discarded lets the others go", async () => {
  const tab = new Tab();
  tab.answers.push(LOST);
  says("one");
  says("two");
  await tab.shows("one failed", "two sending");
  tab.answers.push(answer(202, { held: true, id: "m2" }));
  discard(pending.value[0]?.key ?? "");
  await tab.shows("two held");
});
