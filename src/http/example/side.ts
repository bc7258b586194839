/**
 * One side of the example, in the browser: shows what arrives at the account, and posts what somebody types. The server
 * hands it out as it was compiled, so it imports nothing.
 */

/** What it uses of the browser's elements. */
interface Box {
  textContent: string | null;
  scrollTop: number;
  readonly scrollHeight: number;
  readonly clientHeight: number;
  readonly childElementCount: number;
  readonly firstElementChild: Box | null;
  append(...children: readonly (Box | string)[]): void;
  remove(): void;
}

interface Field extends Box {
  value: string;
  readOnly: boolean;
  focus(): void;
}

interface Form extends Box {
  addEventListener(type: "submit", listener: (event: { preventDefault(): void }) => void): void;
}

declare const document: {
  readonly location: { readonly host: string };
  createElement(tag: string): Box;
  querySelector(selector: "#form"): Form;
  querySelector(selector: "#name" | "#text"): Field;
  querySelector(selector: "#status" | "#messages" | "#error"): Box;
};

/** Of a message of the API. */
interface Shown {
  readonly text: string;
  readonly username: string;
  readonly event: string;
  readonly timestamp: string;
}

const SHOWN_KEYS = ["text", "username", "event", "timestamp"];

const isShown = (value: unknown): value is Shown =>
  typeof value === "object" && value !== null && SHOWN_KEYS.every((key) => key in value);

const SHOWN_MAX = 500;
const PATIENCE_MS = 10_000;
const RETRY_MS = { first: 500, longest: 5_000 };
/** Less than this from the end counts as the end. */
const END_PX = 8;

const status = document.querySelector("#status");
const messages = document.querySelector("#messages");
const error = document.querySelector("#error");
const form = document.querySelector("#form");
const name = document.querySelector("#name");
const input = document.querySelector("#text");
const usualName = name.value;

/** After a crash of Rialto, what came last can come again. */
const seen = new Set<string>();
let retryMs = RETRY_MS.first;
let isPosting = false;
/** What was posted and not answered: the same again has the same key, and cannot arrive twice. */
let unanswered = { body: "", key: "" };

function show({ text, username, timestamp }: Shown): void {
  const print = JSON.stringify([timestamp, username, text]);
  if (seen.has(print)) return;
  seen.add(print);
  const [oldest] = seen;
  if (seen.size > SHOWN_MAX && oldest !== undefined) seen.delete(oldest);
  const line = document.createElement("div");
  const author = document.createElement("b");
  author.textContent = `<${username}> `;
  line.append(author, text);
  const isAtEnd = messages.scrollHeight - messages.scrollTop - messages.clientHeight < END_PX;
  messages.append(line);
  if (messages.childElementCount > SHOWN_MAX) messages.firstElementChild?.remove();
  if (isAtEnd) messages.scrollTop = messages.scrollHeight;
}

function connect(): void {
  const socket = new WebSocket(`ws://${document.location.host}/api/websocket`);
  socket.addEventListener("message", ({ data }) => {
    const message: unknown = JSON.parse(String(data));
    if (!isShown(message)) return;
    if (message.event === "" || message.event === "user_action") return show(message);
    if (message.event !== "api_connected") return;
    retryMs = RETRY_MS.first;
    status.textContent = "Connected.";
  });
  socket.addEventListener("close", () => {
    status.textContent = "Not connected: Rialto does not answer. This page keeps trying.";
    setTimeout(connect, retryMs);
    retryMs = Math.min(retryMs * 2, RETRY_MS.longest);
  });
}

function whyIn(answer: unknown): string | null {
  if (typeof answer !== "object" || answer === null || !("message" in answer)) return null;
  return typeof answer.message === "string" ? answer.message : null;
}

/** Why it was not taken, for people; null: it was. */
async function post(body: string): Promise<string | null> {
  if (unanswered.body !== body) unanswered = { body, key: newKey() };
  const headers = { "Content-Type": "application/json", "Idempotency-Key": unanswered.key };
  try {
    const signal = AbortSignal.timeout(PATIENCE_MS);
    const answer = await fetch("/api/message", { method: "POST", headers, body, signal });
    const said: unknown = await answer.json();
    if (!answer.ok) return whyIn(said) ?? `status ${answer.status}`;
    unanswered = { body: "", key: "" };
    if (isShown(said)) show(said);
    return null;
  } catch {
    return "Rialto does not answer. Try again.";
  }
}

/** Not `randomUUID`, which browsers have only at addresses that they trust. */
const newKey = (): string => crypto.getRandomValues(new Uint32Array(4)).join("-");

async function submit(): Promise<void> {
  const text = input.value;
  if (isPosting || text.trim() === "") return;
  isPosting = true;
  input.readOnly = true;
  const why = await post(JSON.stringify({ text, username: name.value.trim() || usualName }));
  isPosting = false;
  input.readOnly = false;
  if (why === null) input.value = "";
  error.textContent = why === null ? "" : `Not sent: ${why}`;
  input.focus();
}

form.addEventListener("submit", (event) => {
  event.preventDefault();
  void submit();
});
connect();
