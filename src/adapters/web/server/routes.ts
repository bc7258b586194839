import { randomBytes } from "node:crypto";
import type { WebMe, WebMembers, WebMessage } from "../../../contract/web-chat.ts";
import { cut } from "../../../content/length.ts";
import { isObject, isTexts } from "../../../lib/shapes.ts";
import { isRefusal, NO_MORE, type Refusal, refusal, UNAVAILABLE, whyNot } from "../chat.ts";
import { came, leave, rename } from "../guests.ts";
import { react } from "../reacting.ts";
import { type GuestDraft, reword, say, takeBack } from "../saying.ts";
import type { StoredGuest, StoredMessage } from "../store/rows.ts";
import { guestAuthor, memberView } from "../views.ts";
import { EMPTY, type GuestCall, type GuestRoute, reply, type CallReply } from "./calls.ts";
import { fileRoutes } from "./files.ts";
import { readBody, textIn } from "./requests.ts";
import type { Chat } from "../chat.ts";

const PAGE_MAX = 100;
const WHY_MAX = 500;
/** That are listed. */
const GUESTS_MAX = 1_000;
/** Of one guest: nobody's reports are to make those of others go. */
const REPORTS_MAX = 20;
const KEY = /^[\x21-\x7e]{1,200}$/u;

/** What guests can do. */
export const guestRoutes: readonly GuestRoute[] = [
  { method: "GET", path: /^\/v1\/me$/u, handle: ({ chat, guest }) => reply(meOf(chat, guest)) },
  { method: "PATCH", path: /^\/v1\/me$/u, counts: true, handle: async (call) => await takeName(call) },
  { method: "POST", path: /^\/v1\/leave$/u, handle: async (call) => await goOut(call) },
  { method: "GET", path: /^\/v1\/history$/u, handle: (call) => history(call) },
  { method: "GET", path: /^\/v1\/events$/u, handle: async (call) => await watch(call) },
  { method: "GET", path: /^\/v1\/members$/u, handle: async (call) => await members(call) },
  { method: "POST", path: /^\/v1\/messages$/u, counts: true, handle: async (call) => await post(call) },
  { method: "PATCH", path: /^\/v1\/messages\/([\w-]+)$/u, counts: true, handle: async (call) => await edit(call) },
  {
    method: "DELETE",
    path: /^\/v1\/messages\/([\w-]+)$/u,
    counts: true,
    handle: async ({ chat, guest, params: [id = ""] }) => (await takeBack(chat, guest, id)) ?? EMPTY,
  },
  ...(["PUT", "DELETE"] as const).map((method): GuestRoute => ({
    method,
    path: /^\/v1\/messages\/([\w-]+)\/reactions\/([^/]+)$/u,
    counts: true,
    handle: async ({ chat, guest, params: [message = "", emoji = ""] }) =>
      (await react(chat, guest, { message, emoji, on: method === "PUT" })) ?? EMPTY,
  })),
  { method: "POST", path: /^\/v1\/typing$/u, handle: async (call) => await type(call) },
  { method: "POST", path: /^\/v1\/report$/u, counts: true, handle: async (call) => await report(call) },
  ...fileRoutes,
];

export function meOf(chat: Chat, guest: StoredGuest): WebMe {
  const { id, name } = chat.people.find(guest.id) ?? guest;
  const waiting = chat.timeline.heldOf(id).map((message) => ({ id: message.id, text: message.text }));
  return { guest: { id, name }, room: chat.roomOf(guest), waiting };
}

/** The body, and the guest as it is now: a body can take its time, and a ban can come before its end. */
async function bodyAndGuest(
  call: GuestCall,
): Promise<{ readonly body: Readonly<Record<string, unknown>>; readonly guest: StoredGuest } | Refusal> {
  const { chat, guest } = call;
  const read = await readBody(call);
  if (isRefusal(read)) return read;
  const now = chat.people.find(guest.id);
  return now === null || now.banned ? NO_MORE : { ...read, guest: now };
}

/** The cookie ends with the session. */
async function goOut({ chat, guest, cookies, response }: GuestCall): Promise<CallReply> {
  const refused = await leave(chat, guest);
  if (refused !== null) return refused;
  response.setHeader("Set-Cookie", cookies.endOf(guest.room));
  return EMPTY;
}

async function takeName(call: GuestCall): Promise<CallReply> {
  const read = await bodyAndGuest(call);
  if (isRefusal(read)) return read;
  const { chat } = call;
  const { guest } = read;
  const renamed = await rename(chat, guest, textIn(read.body, "name"));
  return isRefusal(renamed) ? renamed : reply(meOf(chat, renamed));
}

function history({ chat, guest, query }: GuestCall): CallReply {
  const limit = Math.min(PAGE_MAX, Math.max(1, Number(query.get("limit") ?? PAGE_MAX) || PAGE_MAX));
  const page = chat.timeline.page(guest.room, query.get("before"), limit + 1);
  const messages = page.slice(-limit).map((message) => viewOf(chat, guest, message));
  return reply({ messages, more: page.length > limit });
}

async function watch({ chat, guest, owner, streams, request, response, query }: GuestCall): Promise<CallReply> {
  try {
    await came(chat, guest);
  } catch (error) {
    return whyNot(error);
  }
  if (chat.people.find(guest.id)?.banned !== false) return NO_MORE;
  const after = request.headers["last-event-id"]?.toString() ?? query.get("after");
  if (response.destroyed) return "taken";
  const why = streams.open({ guest, owner, response }, after);
  return why === null ? "taken" : refusal("too_many", why, { retryS: 10 });
}

async function members({ chat, guest }: GuestCall): Promise<CallReply> {
  const view = await chat.linked.view(guest.room);
  if (chat.store.closed) return UNAVAILABLE;
  const guests = chat.people
    .all(guest.room)
    .filter((one) => one.present && !one.banned)
    .map((one) => memberView(guestAuthor(one), guest.id, true));
  return reply({ members: guests.slice(0, GUESTS_MAX), ...view } satisfies WebMembers);
}

async function post(call: GuestCall): Promise<CallReply> {
  const { chat, request } = call;
  const key = request.headers["idempotency-key"]?.toString() ?? "";
  if (!KEY.test(key)) return refusal("bad_request", "the header Idempotency-Key must be 1 to 200 characters of ASCII");
  const read = await bodyAndGuest(call);
  if (isRefusal(read)) return read;
  const { guest } = read;
  const { reply_to: to, files: given = [] } = read.body;
  const files = filesIn(given);
  if (files === null) return refusal("bad_request", "files must be a list of ids, or of objects with an id");
  const text = textIn(read.body, "text").toWellFormed().replaceAll("\0", "");
  const said = await say(chat, guest, key, { text, reply: typeof to === "string" ? to : null, ...files });
  if (isRefusal(said)) return said;
  if (said.is === "held") return reply({ held: true, id: said.message.id }, 202);
  return reply({ message: viewOf(chat, guest, said.message) }, 201);
}

/** Null: it is no list of files. */
function filesIn(given: unknown): Omit<GuestDraft, "text" | "reply"> | null {
  if (!Array.isArray(given)) return null;
  const files: readonly unknown[] = given.map((file: unknown) => (isObject(file) ? file["id"] : file));
  if (!isTexts(files)) return null;
  const hidden = files.filter((_, at) => {
    const file: unknown = given[at];
    return isObject(file) && file["spoiler"] === true;
  });
  return hidden.length === 0 ? { files } : { files, hidden };
}

async function edit(call: GuestCall): Promise<CallReply> {
  const read = await bodyAndGuest(call);
  if (isRefusal(read)) return read;
  const {
    chat,
    params: [id = ""],
  } = call;
  const { guest } = read;
  const text = textIn(read.body, "text").toWellFormed().replaceAll("\0", "");
  const message = await reword(chat, guest, id, text);
  return isRefusal(message) ? message : reply({ message: viewOf(chat, guest, message) });
}

const viewOf = (chat: Chat, guest: StoredGuest, message: StoredMessage): WebMessage =>
  chat.views.message(message, guest.id);

async function type(call: GuestCall): Promise<CallReply> {
  const { chat, guest, request } = call;
  const read = request.headers["content-type"] === undefined ? { body: {} } : await readBody(call);
  if (isRefusal(read)) return read;
  // Whoever may not speak is not shown either.
  if (chat.isUnseen(guest)) return EMPTY;
  const on = read.body["on"] !== false;
  chat.types(guest, on);
  return EMPTY;
}

async function report(call: GuestCall): Promise<CallReply> {
  const read = await bodyAndGuest(call);
  if (isRefusal(read)) return read;
  const { chat } = call;
  const { guest } = read;
  const message = textIn(read.body, "id");
  const found = chat.timeline.find(message);
  if (found?.room !== guest.room) return refusal("not_found", "there is no such message any more");
  const why = cut(textIn(read.body, "why").toWellFormed(), WHY_MAX, "codepoints");
  const open = chat.records.reports().filter((one) => one.guest === guest.id);
  if (open.some((one) => one.message === message)) return EMPTY;
  if (open.length >= REPORTS_MAX)
    return refusal("too_many", "you have reported much: somebody must look at it first", { retryS: 600 });
  const id = randomBytes(6).toString("hex");
  const { room, name } = guest;
  try {
    const entry = { id, room, guest: guest.id, name, message, why, atMs: chat.nowMs };
    await chat.store.write(() => chat.records.addReport(entry));
  } catch (error) {
    return whyNot(error);
  }
  chat.host.log.warn({ room, report: id }, "a guest has reported a message: see the guests of the dashboard");
  return EMPTY;
}
