import { expect, onTestFinished, test } from "vitest";
import { RecordingHost } from "../../../test/contract/recording-host.ts";
import type { ChatRow } from "../../../test/servers/telegram/wire.ts";
import { eventually } from "../../../test/support/wait.ts";
import type { Opened } from "../../contract/adapter.ts";
import type { Joined, Session } from "../../contract/session.ts";
import { type TelegramGate, telegramGate } from "./gate.suite.ts";
import { open } from "./session.ts";
import { telegramSettings } from "./settings.suite.ts";

const never = new AbortController().signal;

/** A session; with a host that has cursors it goes on behind the last of them. */
async function begin({ server, bot }: TelegramGate, host = new RecordingHost()): Promise<Session> {
  const settings = telegramSettings({ ApiURL: server.url, Token: bot.token });
  const opened: Opened = await open({ settings, host, since: host.cursors.at(-1) ?? null, signal: never });
  if (!opened.ok) throw new Error(opened.ended.why.message);
  onTestFinished(async () => await opened.session.close(never));
  return opened.session;
}

const join = async (session: Session, name: string | number): Promise<Joined> =>
  await session.join({ name: String(name), options: {} }, never);

const told = ({ posted }: RecordingHost): readonly string[] =>
  posted.map(({ channel, body }) => `${channel} ${body.source.text}`);

async function until(host: RecordingHost, what: () => boolean): Promise<void> {
  await eventually(
    async () => await Promise.resolve(what()),
    (is) => is,
    () => `it; told ${told(host).join(" | ")}, lost ${JSON.stringify(host.losses)}`,
  );
}

const said = async (host: RecordingHost, chat: ChatRow, text: string): Promise<void> =>
  await until(host, () => told(host).includes(`${chat.id} ${text}`));

async function stop(session: Session): Promise<void> {
  await session.quiesce();
  await session.close(never);
}

test("what was said while nobody was there waits until its room is joined, whatever stands in the way", async () => {
  const gate = await telegramGate();
  const { server, alice, group } = gate;
  const host = new RecordingHost();
  const first = await begin(gate, host);
  await join(first, group.id);
  alice.say(group, "before");
  await said(host, group, "before");
  await stop(first);
  alice.say(group, "while down");
  server.faults.fail({ path: "/getChat" }, 502, 2);
  const second = await begin(gate, host);
  for (const ok of [false, false, true]) {
    expect(told(host)).toEqual([`${group.id} before`]);
    expect((await join(second, group.id)).ok).toBe(ok);
  }
  await said(host, group, "while down");
});

test("a room that nobody asks for any more is forgotten", async () => {
  const gate = await telegramGate();
  const { server, alice, group, bot } = gate;
  const other = server.world.addSupergroup("harbour", alice.user);
  alice.add(other, bot);
  const host = new RecordingHost();
  const first = await begin(gate, host);
  for (const chat of [group, other]) await join(first, chat.id);
  alice.say(other, "before");
  await said(host, other, "before");
  await stop(first);
  const second = await begin(gate, host);
  await join(second, group.id);
  alice.say(other, "to nobody");
  alice.say(group, "after");
  await said(host, group, "after");
  expect(told(host)).toEqual([`${other.id} before`, `${group.id} after`]);
  expect(JSON.parse(host.cursors.at(-1) ?? "")).toMatchObject({ rooms: [String(group.id)] });
});

test("thrown out, and added again", async () => {
  const gate = await telegramGate();
  const { alice, group, bot } = gate;
  const host = new RecordingHost();
  const session = await begin(gate, host);
  await join(session, group.id);
  alice.kick(group, bot);
  await until(host, () => host.losses.length === 1);
  expect(host.losses[0]).toMatchObject({ channel: String(group.id), why: { code: "forbidden" }, retryInMs: 60_000 });
  expect(await join(session, group.id)).toMatchObject({ ok: false, why: { code: "forbidden" } });
  alice.add(group, bot);
  alice.say(group, "welcome back");
  await until(host, () => host.losses.length === 2);
  expect(host.losses[1]).toMatchObject({ channel: String(group.id), retryInMs: 0 });
  expect((await join(session, group.id)).ok).toBe(true);
  await said(host, group, "welcome back");
});

test("a group that becomes a supergroup keeps its name, also for the next session, and by the new one", async () => {
  const gate = await telegramGate();
  const { server, alice, bot } = gate;
  const crew = server.world.addGroup("crew", alice.user);
  alice.add(crew, bot);
  const host = new RecordingHost();
  const session = await begin(gate, host);
  expect(await join(session, crew.id)).toMatchObject({ ok: true, ref: String(crew.id) });
  const now = alice.upgrade(crew);
  alice.say(now, "larger");
  await said(host, crew, "larger");
  expect(host.losses).toEqual([]);
  // The core says of two names that they are one room.
  expect(await join(session, now.id)).toMatchObject({ ok: true, ref: String(crew.id) });
  await stop(session);
  const next = await begin(gate, host);
  expect(await join(next, now.id)).toMatchObject({ ok: true, ref: String(now.id) });
  alice.say(now, "by its new name");
  await said(host, now, "by its new name");
});

test.each([
  [
    "a chat where we never were",
    (gate: TelegramGate) => gate.server.world.addSupergroup("shut", gate.alice.user).id,
    /is not in it/u,
  ],
  ["a topic where there are none", (gate: TelegramGate) => `${gate.group.id}/5`, /has no topics/u],
  ["a person who never wrote to us", (gate: TelegramGate) => gate.alice.id, /must write to it first/u],
  ["what is no id", () => "town", /is no id of a chat/u],
])("%s is not joined, for a reason", async (_, name, why) => {
  const gate = await telegramGate();
  const joined = await join(await begin(gate), name(gate));
  expect(joined.ok ? "" : joined.why.message).toMatch(why);
});

test("a person who blocks us is waited for", async () => {
  const gate = await telegramGate();
  const { alice, bot } = gate;
  const chat = alice.start(bot);
  const host = new RecordingHost();
  const session = await begin(gate, host);
  expect(await join(session, chat.id)).toMatchObject({ ok: true });
  alice.block(bot);
  await until(host, () => host.losses.length === 1);
  expect(await join(session, chat.id)).toMatchObject({ ok: false, why: { code: "forbidden" } });
});

test("what privacy mode keeps from us is said until we are an administrator", async () => {
  const gate = await telegramGate();
  gate.bot.hasPrivacy = true;
  const host = new RecordingHost();
  const session = await begin(gate, host);
  await join(session, gate.group.id);
  expect(host.doubts.at(-1)?.message).toMatch(/privacy mode is on: make it an administrator/u);
  gate.alice.promote(gate.group, gate.bot);
  await until(host, () => host.doubts.at(-1) === null);
});

test("whoever asks for the id of a chat is told it", async () => {
  const gate = await telegramGate();
  const { alice, group, bot } = gate;
  await begin(gate);
  alice.say(group, `/chatId@${bot.user.username ?? ""}`);
  await eventually(
    async () => await Promise.resolve([...group.messages.values()].map(({ wire }) => wire.text)),
    (texts) => texts.includes(`The id of this chat is ${group.id}`),
    () => "an answer",
  );
});
