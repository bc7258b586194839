import { afterEach, beforeEach, expect, test, vi } from "vitest";

/** As much of a browser's element as the page uses. */
class Box extends EventTarget {
  value = "";
  readOnly = false;
  scrollTop = 0;
  readonly scrollHeight = 100;
  readonly clientHeight = 100;
  readonly focus = vi.fn();
  readonly children: (Box | string)[] = [];
  #parent: Box | null = null;
  #text = "";

  get textContent(): string {
    return this.#text + this.children.map((child) => (typeof child === "string" ? child : child.textContent)).join("");
  }
  set textContent(text: string) {
    this.#text = text;
  }
  get childElementCount(): number {
    return this.children.length;
  }
  get firstElementChild(): Box | null {
    return (this.children[0] as Box | undefined) ?? null;
  }
  append(...children: (Box | string)[]): void {
    for (const child of children) if (typeof child !== "string") child.#parent = this;
    this.children.push(...children);
  }
  remove(): void {
    const siblings = this.#parent?.children ?? [];
    siblings.splice(siblings.indexOf(this), 1);
  }
}

class Socket extends EventTarget {
  readonly url: string;

  constructor(url: string) {
    super();
    this.url = url;
    sockets.push(this);
  }
  say(fields: Readonly<Record<string, string>>): void {
    const message = { event: "", username: "ann", text: "", timestamp: "", ...fields };
    this.dispatchEvent(new MessageEvent("message", { data: JSON.stringify(message) }));
  }
  drop(): void {
    this.dispatchEvent(new Event("close"));
  }
}

let sockets: Socket[];
let elements: Readonly<Record<"status" | "messages" | "error" | "form" | "name" | "text", Box>>;
const fetch = vi.fn<(url: string, init: { headers: Record<string, string>; body: string }) => Promise<Response>>();

beforeEach(async () => {
  vi.useFakeTimers();
  sockets = [];
  const box = (): Box => new Box();
  elements = { status: box(), messages: box(), error: box(), form: box(), name: box(), text: box() };
  elements.name.value = "left";
  const byId = new Map(Object.entries(elements).map(([id, element]) => [`#${id}`, element]));
  vi.stubGlobal("document", {
    location: { host: "127.0.0.1:4242" },
    createElement: box,
    querySelector: (selector: string) => byId.get(selector),
  });
  vi.stubGlobal("WebSocket", Socket);
  vi.stubGlobal("fetch", fetch.mockReset());
  vi.resetModules();
  await import("./side.ts");
});

afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

const lines = (): readonly string[] => elements.messages.children.map((line) => (line as Box).textContent);
const socket = (): Socket => sockets.at(-1)!;

async function send(text: string): Promise<void> {
  elements.text.value = text;
  elements.form.dispatchEvent(new Event("submit", { cancelable: true }));
  await expect.poll(() => elements.text.readOnly).toBe(false);
}

const accepted = (text: string): Response => Response.json({ text, username: "left", event: "", timestamp: "1" });
const keysSent = (): readonly unknown[] => fetch.mock.calls.map(([, { headers }]) => headers["Idempotency-Key"]);

test("what arrives is shown with its author, and only messages are", () => {
  expect(socket().url).toBe("ws://127.0.0.1:4242/api/websocket");
  socket().say({ event: "api_connected" });
  socket().say({ text: "hello" });
  socket().say({ text: "waves", event: "user_action" });
  socket().say({ text: "joins", event: "join_leave" });
  expect(lines()).toEqual(["<ann> hello", "<ann> waves"]);
});

test("says whether it is connected, and connects again until it is", async () => {
  socket().say({ event: "api_connected" });
  expect(elements.status.textContent).toBe("Connected.");
  for (const tries of [1, 2, 3, 4, 5, 6]) {
    socket().drop();
    expect(elements.status.textContent).toMatch(/^Not connected/u);
    await vi.advanceTimersByTimeAsync(5_000);
    expect(sockets).toHaveLength(1 + tries);
  }
  socket().say({ event: "api_connected" });
  expect(elements.status.textContent).toBe("Connected.");
});

test("what comes again after a crash is shown once", () => {
  socket().say({ text: "hello", timestamp: "1" });
  socket().drop();
  socket().say({ text: "hello", timestamp: "1" });
  socket().say({ text: "hello", timestamp: "2" });
  expect(lines()).toEqual(["<ann> hello", "<ann> hello"]);
});

test("keeps the newest 500 messages", () => {
  for (let n = 1; n <= 501; n += 1) socket().say({ text: `${n}` });
  expect(lines()).toHaveLength(500);
  expect(lines()[0]).toBe("<ann> 2");
});

test("what was posted is shown, and the field is free again", async () => {
  fetch.mockResolvedValueOnce(accepted("hello"));
  await send("hello");
  expect(JSON.parse(fetch.mock.calls[0]?.[1].body ?? "")).toEqual({ text: "hello", username: "left" });
  expect([elements.text.value, elements.error.textContent, lines()]).toEqual(["", "", ["<left> hello"]]);
  await send("   ");
  expect(fetch).toHaveBeenCalledTimes(1);
});

test("a message that was refused stays in the field, with the reason", async () => {
  fetch.mockResolvedValueOnce(Response.json({ message: "no room on the disk" }, { status: 503 }));
  await send("hello");
  expect([elements.text.value, elements.error.textContent, lines()]).toEqual([
    "hello",
    "Not sent: no room on the disk",
    [],
  ]);
  expect(elements.text.focus).toHaveBeenCalledOnce();
});

test("a message without an answer stays too; sent again it has the same key, and another one has another", async () => {
  fetch.mockRejectedValueOnce(new TypeError("Failed to fetch"));
  await send("hello");
  expect([elements.text.value, elements.error.textContent]).toEqual([
    "hello",
    "Not sent: Rialto does not answer. Try again.",
  ]);
  fetch.mockResolvedValueOnce(accepted("hello")).mockResolvedValueOnce(accepted("hello"));
  await send("hello");
  expect([elements.text.value, elements.error.textContent]).toEqual(["", ""]);
  await send("hello");
  const [first, again, next] = keysSent();
  expect(again).toBe(first);
  expect(next).not.toBe(first);
});

test("a second submit while one is under way posts nothing", async () => {
  const answer = Promise.withResolvers<Response>();
  fetch.mockReturnValueOnce(answer.promise);
  elements.text.value = "hello";
  for (let n = 0; n < 2; n += 1) elements.form.dispatchEvent(new Event("submit"));
  answer.resolve(accepted("hello"));
  await expect.poll(() => elements.text.value).toBe("");
  expect(fetch).toHaveBeenCalledTimes(1);
});
