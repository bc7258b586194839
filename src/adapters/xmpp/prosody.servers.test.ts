import { createHash } from "node:crypto";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import type { Posted } from "../../contract/events.ts";
import type { Cursor, FileId, OpId } from "../../contract/ids.ts";
import type { PostOp } from "../../contract/ops.ts";
import type { Session } from "../../contract/session.ts";
import { RecordingAttempt } from "../../../test/contract/recording-attempt.ts";
import { RecordingHost } from "../../../test/contract/recording-host.ts";
import { aSharedFile, readAll } from "../../../test/contract/shared-file.ts";
import { plainBody, wordsOf } from "../../../test/contract/texts.ts";
import { needs } from "../../../test/servers/installed.ts";
import { type Extension, SlixmppPerson } from "../../../test/servers/people/slixmpp.ts";
import { startProsody } from "../../../test/servers/xmpp/prosody.ts";
import type { XmppServer } from "../../../test/servers/xmpp/server.ts";
import { eventually } from "../../../test/support/wait.ts";
import { open } from "./session.ts";
import type { XmppSettings } from "./settings.ts";
import { xmppSettings } from "./settings.suite.ts";

const SERVICE = "conference.localhost";
const PASSWORD = "open-sesame";

let server: XmppServer;
let count = 0;
const closing: (() => Promise<unknown>)[] = [];

async function person(nick?: string): Promise<SlixmppPerson> {
  count += 1;
  const user = `person${count}`;
  await server.register(user, PASSWORD);
  const jid = `${user}@localhost`;
  const client = await SlixmppPerson.connect({ port: server.port, jid, password: PASSWORD, nick: nick ?? user });
  closing.push(async () => await client.quit());
  return client;
}

async function tryOpen(settings: Partial<XmppSettings> = {}, since: Cursor | null = null) {
  const host = new RecordingHost();
  const all = xmppSettings({ Server: `127.0.0.1:${server.port}`, Password: PASSWORD, NoStartTLS: true, ...settings });
  const opened = await open({ settings: all, host, since, signal: new AbortController().signal });
  if (opened.ok) closing.push(async () => await opened.session.close(AbortSignal.timeout(1_000)));
  return { opened, host };
}

async function session(settings: Partial<XmppSettings> = {}, since: Cursor | null = null) {
  const { opened, host } = await tryOpen(settings, since);
  if (!opened.ok) throw new Error(opened.ended.why.message);
  return { session: opened.session, host };
}

async function join(session: Session, name: string, key?: string) {
  const joined = await session.join({ name, options: key === undefined ? {} : { key } }, new AbortController().signal);
  if (!joined.ok) throw new Error(joined.why.message);
  return joined;
}

/** A room nobody has been in. */
function newRoom(): string {
  count += 1;
  return `room${count}`;
}

async function posted(host: RecordingHost, text: string): Promise<Posted> {
  const found = (): Posted | undefined => host.posted.find(({ body }) => wordsOf(body) === text);
  await eventually(
    () => Promise.resolve(found() !== undefined),
    Boolean,
    () => `"${text}"; came: ${JSON.stringify(host.posted.map(({ body }) => body.source.text))}`,
  );
  return found() as Posted;
}

function postOf(channel: PostOp["channel"], text: string, id = crypto.randomUUID() as OpId): PostOp {
  const fixed = { kind: "post", attempt: 1, author: null, reply: null, thread: null, resume: null } as const;
  return { ...fixed, id, channel, body: plainBody(text), mayPing: { users: false, everyone: false } };
}

needs(["prosody", "python3-slixmpp", "openssl"], () => {
  beforeAll(async () => {
    server = await startProsody({ tls: true });
    await server.register("rialto", PASSWORD);
  }, 30_000);
  afterEach(async () => {
    for (const close of closing.splice(0).reverse()) await close();
  });
  afterAll(async () => await server.stop());

  describe("logging in", () => {
    const direct = (): Partial<XmppSettings> => ({ Server: `127.0.0.1:${server.tlsPort}`, UseDirectTLS: true });

    test.each([
      ["STARTTLS", () => ({ NoStartTLS: false, SkipTLSVerify: true })],
      ["direct TLS", () => ({ ...direct(), SkipTLSVerify: true })],
      ["PLAIN over TLS", () => ({ ...direct(), SkipTLSVerify: true, Mechanism: "PLAIN" })],
      ["PLAIN without, where it is named", () => ({ Mechanism: "PLAIN" })],
      ["without an account", () => ({ Anonymous: true, Jid: "anonymous.localhost" })],
    ])("%s", async (_, settings: () => Partial<XmppSettings>) => {
      const { opened } = await tryOpen(settings());
      expect(opened.ok).toBe(true);
    });

    test.each([
      ["a certificate of its own making", () => ({ NoStartTLS: false }), "config", /certificate .* SkipTLSVerify/u],
      ["the same at once", direct, "config", /certificate .* SkipTLSVerify/u],
      ["TLS where there is none", () => ({ UseDirectTLS: true }), "config", /does not start with TLS/u],
      ["a wrong password", () => ({ Password: "no" }), "auth", /check Jid and Password/u],
      ["nobody's domain", () => ({ Jid: "rialto@elsewhere.example" }), "config", /check the domain of Jid/u],
      ["a mechanism that is not there", () => ({ Mechanism: "SCRAM-SHA-256" }), "config", /change Mechanism/u],
      ["no account where one is needed", () => ({ Anonymous: true }), "config", /not ANONYMOUS/u],
    ])("%s", async (_, settings: () => Partial<XmppSettings>, cause, message) => {
      const { opened } = await tryOpen(settings());
      expect(opened).toMatchObject({ ok: false, ended: { cause } });
      if (!opened.ok) expect(opened.ended.why.message).toMatch(message);
    });
  });

  test("who reuses the id of another's message edits nothing of it", async () => {
    const room = newRoom();
    const jid = `${room}@${SERVICE}`;
    const [alice, mallory] = [await person("alice"), await person("mallory")];
    await alice.join(jid);
    await mallory.join(jid);
    const { session: ours, host } = await session();
    await join(ours, room);
    alice.say(jid, "I owe you 10", [], "m1");
    const genuine = await posted(host, "I owe you 10");
    const replace: Extension = ["urn:xmpp:message-correct:0", "replace", { id: "m1" }, []];
    mallory.say(jid, "I owe you 1000", [replace], "m2");
    mallory.say(jid, "the same id", [], "m1");
    await posted(host, "the same id");
    const forged = host.events.find(({ kind }) => kind === "edited");
    if (forged?.kind !== "edited") throw new Error("the correction is told, as what it is");
    expect(genuine.messages).not.toContain(forged.message);
    expect(forged.author.identity).not.toBe(genuine.author.identity);
    expect(genuine.messages.filter((ref) => host.posted.at(-1)?.messages.includes(ref))).toEqual([]);
    alice.say(jid, "I owe you 11", [replace], "m3");
    await eventually(
      () => Promise.resolve(host.events.filter(({ kind }) => kind === "edited").length),
      (edits) => edits === 2,
      () => "the correction of her own",
    );
    const own = host.events.at(-1);
    expect(genuine.messages).toContain(own?.kind === "edited" ? own.message : null);
    // Somebody else who has the nick now is somebody else.
    alice.leave(jid, "bye");
    await mallory.rename(jid, "alice");
    mallory.say(jid, "I owe you 1000", [replace], "m4");
    await eventually(
      () => Promise.resolve(host.events.filter(({ kind }) => kind === "edited").length),
      (edits) => edits === 3,
      () => "the third correction",
    );
    const stolen = host.events.at(-1);
    expect(genuine.messages).not.toContain(stolen?.kind === "edited" ? stolen.message : null);
  });

  test("a moderator takes a message away: the room vouches for it", async () => {
    const room = newRoom();
    const jid = `${room}@${SERVICE}`;
    const [owner, guest] = [await person(), await person()];
    await owner.join(jid);
    await guest.join(jid);
    const { session: ours, host } = await session();
    await join(ours, room);
    const id = guest.say(jid, "spam");
    const spam = await posted(host, "spam");
    const { sid } = await guest.shown(jid, id);
    await owner.ask("moderate", { room: jid, id: sid, reason: "no" });
    await eventually(
      () => Promise.resolve(host.events.some(({ kind }) => kind === "deleted")),
      Boolean,
      () => "the deletion",
    );
    const deleted = host.events.find(({ kind }) => kind === "deleted");
    expect(deleted).toMatchObject({ vouched: true, by: { name: owner.nick } });
    expect(spam.messages).toContain(deleted?.kind === "deleted" ? deleted.message : null);
  });

  test.each(["bob@home/laptop", "a/b/c", "@", "日本 語", "<b>&amp;'\""])("the nick %s", async (nick) => {
    const room = newRoom();
    const somebody = await person(nick);
    await somebody.join(`${room}@${SERVICE}`);
    const { session: ours, host } = await session();
    await join(ours, room);
    somebody.say(`${room}@${SERVICE}`, "hello");
    const { author } = await posted(host, "hello");
    expect(author).toMatchObject({ name: nick, id: `${room}@${SERVICE}/${nick}` });
  });

  test("a taken nick gets an underscore", async () => {
    const room = newRoom();
    const squatter = await person("rialto");
    await squatter.join(`${room}@${SERVICE}`);
    const { session: ours, host } = await session();
    const { ref } = await join(ours, room);
    await ours.handlers.post(postOf(ref, "here I am"), new RecordingAttempt());
    await squatter.until(
      () => squatter.messages(`${room}@${SERVICE}`).some(({ nick }) => nick === "rialto_"),
      "to hear us",
    );
    squatter.say(`${room}@${SERVICE}`, "I am not you");
    await posted(host, "I am not you");
  });

  test("a room with a password", async () => {
    const room = newRoom();
    const owner = await person();
    await owner.join(`${room}@${SERVICE}`);
    const fields = { "muc#roomconfig_passwordprotectedroom": true, "muc#roomconfig_roomsecret": "barley" };
    await owner.ask("configure", { room: `${room}@${SERVICE}`, fields });
    const { session: ours } = await session();
    const without = await ours.join({ name: room, options: {} }, new AbortController().signal);
    expect(without.ok ? "in" : without.why.message).toContain("options.key");
    expect((await join(ours, room, "barley")).ok).toBe(true);
  });

  test("pictures come from vCards, and only as what they were", async () => {
    const room = newRoom();
    const somebody = await person();
    const content = Buffer.from("89504e470d0a1a0a", "hex");
    await somebody.ask("picture", { content: content.toString("base64") });
    await somebody.join(`${room}@${SERVICE}`);
    const { session: ours, host } = await session();
    await join(ours, room);
    const sha1 = createHash("sha1").update(content).digest("hex");
    somebody.raw(
      `<presence to="${room}@${SERVICE}/${somebody.nick}"><x xmlns="vcard-temp:x:update"><photo>${sha1}</photo></x></presence>`,
    );
    somebody.say(`${room}@${SERVICE}`, "look at me");
    const { author } = await posted(host, "look at me");
    const ref = author.avatar?.ref ?? null;
    if (ref === null) throw new Error("there is no picture");
    const opened = await ours.openFile?.(ref, new AbortController().signal);
    if (opened?.ok !== true) throw new Error(`the picture does not open: ${JSON.stringify(opened)}`);
    expect(Buffer.from(await readAll(opened.stream))).toEqual(content);
  });

  test("a room without archive and ids: what was missed comes from its history, our own is known", async () => {
    const room = `${newRoom()}@bare.localhost`;
    const somebody = await person();
    await somebody.join(room);
    const first = await session();
    const { ref, without } = await join(first.session, room);
    expect(without).toEqual(["delete", "react"]);
    somebody.say(room, "before");
    await posted(first.host, "before");
    const op = postOf(ref, "ours");
    expect((await first.session.handlers.post(op, new RecordingAttempt())).is).toBe("delivered");
    await first.session.quiesce();
    await first.session.close(AbortSignal.timeout(1_000));
    somebody.say(room, "meanwhile");
    const second = await session({}, first.host.cursors.at(-1) ?? null);
    await join(second.session, room);
    await posted(second.host, "meanwhile");
    expect((await second.session.handlers.post(op, new RecordingAttempt())).is).toBe("delivered");
    expect(somebody.messages(room).filter(({ body }) => body === "ours")).toHaveLength(1);
    expect(second.host.posted.map(({ body }) => body.source.text)).not.toContain("ours");
  });

  test("what nobody reads does not end us, now or from the archive", async () => {
    const room = newRoom();
    const jid = `${room}@${SERVICE}`;
    const mallory = await person();
    await mallory.join(jid);
    const first = await session();
    await join(first.session, room);
    mallory.say(jid, "before");
    await posted(first.host, "before");
    const deep = `${"<a xmlns='urn:example:a'>".repeat(100)}${"</a>".repeat(100)}`;
    const forged = `<delay xmlns="urn:xmpp:delay" stamp="2001-01-01T00:00:00Z" from="${jid}"/>`;
    mallory.raw(`<message to="${jid}" type="groupchat" id="deep"><body>deep</body>${deep}${forged}</message>`);
    const event = await posted(first.host, "deep");
    expect(Date.now() - event.atMs).toBeLessThan(3_600_000);
    const [cursor = null] = first.host.cursors;
    await first.session.close(AbortSignal.timeout(1_000));
    const second = await session({}, cursor);
    await join(second.session, room);
    expect((await posted(second.host, "deep")).key).toBe(event.key);
    mallory.say(jid, "after");
    await posted(second.host, "after");
  });

  test("an edit of the words above a file leaves its caption", async () => {
    const room = newRoom();
    const somebody = await person();
    await somebody.join(`${room}@${SERVICE}`);
    const { session: ours, host } = await session();
    const { ref } = await join(ours, room);
    const file = aSharedFile({ id: "f1" as FileId, name: "sea.txt", comment: "the sea", bytes: 5 });
    host.files.set("f1" as FileId, Buffer.from("waves"));
    const op = postOf(ref, "the words");
    const outcome = await ours.handlers.post({ ...op, body: { ...op.body, files: [file] } }, new RecordingAttempt());
    const target = outcome.is === "delivered" ? outcome.receipt.messages : [];
    const edit = { ...postOf(ref, "other words"), id: "edit:1" as OpId, kind: "edit", target } as const;
    expect((await ours.handlers.edit?.(edit, new RecordingAttempt()))?.is).toBe("delivered");
    const seen = (): readonly string[] =>
      somebody.messages(`${room}@${SERVICE}`).flatMap(({ body, oob }) => (body === null || oob !== null ? [] : [body]));
    await somebody.until(() => seen().includes("other words"), "to see the edit");
    expect(seen()).toEqual(["the words", "the sea", "other words"]);
  });

  test.each([
    ["another caption", "cap one", "cap two", ["cap one", "cap two"], 1],
    ["a caption for a picture without one", "", "cap", ["cap"], 0],
  ])("an edit that brings %s", async (_case, comment, now, expected, corrections) => {
    const room = newRoom();
    const somebody = await person();
    await somebody.join(`${room}@${SERVICE}`);
    const { session: ours, host } = await session();
    const { ref } = await join(ours, room);
    const file = aSharedFile({ id: "f1" as FileId, name: "sea.txt", comment, bytes: 5 });
    host.files.set("f1" as FileId, Buffer.from("waves"));
    const op = { ...postOf(ref, ""), author: null };
    const first = { ...op, body: { ...op.body, blocks: [], files: [file] } };
    const outcome = await ours.handlers.post(first, new RecordingAttempt());
    const target = outcome.is === "delivered" ? outcome.receipt.messages : [];
    const body = { ...op.body, blocks: [], files: [{ ...file, comment: now }] };
    const edit = { ...op, id: "edit:1" as OpId, kind: "edit", target, body } as const;
    expect((await ours.handlers.edit?.(edit, new RecordingAttempt()))?.is).toBe("delivered");
    const seen = () =>
      somebody.messages(`${room}@${SERVICE}`).filter(({ body: said, oob }) => said !== null && oob === null);
    await somebody.until(() => seen().some((one) => one.body === now), "to see the caption");
    expect(seen().map(({ body: said }) => said)).toEqual(expected);
    expect(seen().filter(({ replaces }) => replaces !== null)).toHaveLength(corrections);
  });

  test("an edit that replaces a file sends the new one and takes the old one back", async () => {
    const room = newRoom();
    const somebody = await person();
    await somebody.join(`${room}@${SERVICE}`);
    const { session: ours, host } = await session();
    const { ref } = await join(ours, room);
    const file = (name: string) => aSharedFile({ id: name as FileId, name, comment: "", bytes: 5 });
    for (const name of ["old.txt", "new.txt"]) host.files.set(name as FileId, Buffer.from("waves"));
    const op = postOf(ref, "look");
    const outcome = await ours.handlers.post(
      { ...op, body: { ...op.body, files: [file("old.txt")] } },
      new RecordingAttempt(),
    );
    const target = outcome.is === "delivered" ? outcome.receipt.messages : [];
    const changed = { before: 1, added: [0], removed: [{ at: 0, name: "[old.txt]" }] };
    const body = { ...op.body, files: [file("new.txt")] };
    const edit = { ...op, id: "edit:1" as OpId, kind: "edit", target, body, changed } as const;
    await ours.handlers.edit?.(edit, new RecordingAttempt());
    const gone = () => somebody.messages(`${room}@${SERVICE}`).flatMap(({ retracts }) => retracts ?? []);
    await somebody.until(() => gone().length > 0, "to see the old one go");
    const files = somebody.messages(`${room}@${SERVICE}`).filter(({ oob }) => oob !== null);
    expect(files.map(({ oob }) => oob?.replace(/^.*\//u, ""))).toEqual(["old.txt", "new.txt"]);
    expect(gone()).toEqual([files[0]?.sid]);
  });

  test("a room takes files as large as the upload service does, once that has answered", async () => {
    const { session: ours } = await session();
    const room = newRoom();
    const { limits } = await eventually(
      async () => await join(ours, room),
      (joined) => joined.limits !== undefined,
      () => "what the upload service takes",
    );
    expect(limits).toEqual({ fileBytesMax: 300 * 1024 ** 2 });
  });

  test("a room that nobody has made yet is made", async () => {
    const { session: ours } = await session();
    const { ref, without } = await join(ours, newRoom());
    // It has an archive and ids from the first message on.
    expect(without).toEqual([]);
    expect((await ours.handlers.post(postOf(ref, "first"), new RecordingAttempt())).is).toBe("delivered");
  });
});

needs(["prosody", "python3-slixmpp"], () => {
  test("what was said while the server was away from us comes, once and in order", async () => {
    server = await startProsody();
    closing.push(async () => await server.stop());
    await server.register("rialto", PASSWORD);
    const room = newRoom();
    const jid = `${room}@${SERVICE}`;
    const before = await person("early");
    await before.join(jid);
    await before.ask("configure", { room: jid, fields: { "muc#roomconfig_persistentroom": true } });
    const first = await session();
    const { ref } = await join(first.session, room);
    before.say(jid, "one");
    await posted(first.host, "one");
    await server.halt();
    expect((await first.session.ended).cause).toBe("lost");
    await server.restart();
    const after = await person("late");
    await after.join(jid);
    for (const text of ["two", "three"]) after.say(jid, text);
    await after.until(() => after.messages(jid).some(({ body }) => body === "three"), "to be heard");
    const second = await session({}, first.host.cursors.at(-1) ?? null);
    expect((await join(second.session, room)).ref).toBe(ref);
    after.say(jid, "four");
    await posted(second.host, "four");
    expect(second.host.posted.map(({ body }) => body.source.text)).toEqual(["two", "three", "four"]);
    for (const close of closing.splice(0).reverse()) await close();
  });
});
