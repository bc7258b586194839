import { describe, expect, test } from "vitest";
import { apiOn, type TelegramGate, telegramGate } from "./gate.suite.ts";
import { logIn, type TelegramLogin } from "./login.ts";

const signal = new AbortController().signal;
const words = (text: RegExp): string => expect.stringMatching(text) as string;

async function enter(
  gate: TelegramGate,
  more: { readonly token?: string; readonly base?: string; readonly isFirst?: boolean } = {},
): Promise<TelegramLogin> {
  const { isFirst = true } = more;
  return await logIn({ api: apiOn(gate, more), isFirst, signal });
}

test("who we are is known, and what was said before us is passed over", async () => {
  const gate = await telegramGate();
  const { bot, alice, group, server } = gate;
  for (const text of ["one", "two"]) alice.say(group, text);
  const login = await enter(gate);
  expect(login).toMatchObject({
    ok: true,
    me: { id: bot.user.id, username: "rialto_bot", name: "rialto", readsAll: true },
  });
  const last = login.ok ? (login.last ?? 0) : 0;
  expect(last).toBeGreaterThan(0);
  alice.say(group, "three");
  const updates = await apiOn(gate).updates({ offset: last + 1, waitS: 0 }, signal);
  expect(updates).toMatchObject({ ok: true, value: [{ message: { text: "three" } }] });
  expect(server.updates.waiting(bot)).toBe(1);
});

test("where we have been before, what waits is left to the poll", async () => {
  const gate = await telegramGate();
  gate.alice.say(gate.group, "one");
  expect(await enter(gate, { isFirst: false })).toMatchObject({ ok: true, last: null });
  expect(gate.server.updates.waiting(gate.bot)).toBe(1);
});

describe("a login that is refused says what to do", () => {
  test("a token of nobody, which is not shown", async () => {
    const [token, message] = ["123456789:AAF-openbarley_openbarley", /does not accept Token .*@BotFather/u];
    const gate = await telegramGate();
    const login = await enter(gate, { token });
    expect(login).toMatchObject({
      ok: false,
      ended: { cause: "auth", why: { code: "auth", message: words(message) } },
    });
    expect(JSON.stringify(login)).not.toContain(token);
  });

  test("a webhook, of which only the server is named", async () => {
    const gate = await telegramGate();
    gate.bot.webhook = "https://hooks.example.org/some-secret";
    const message = words(/webhook at hooks\.example\.org\. .*deleteWebhook/u);
    const login = await enter(gate);
    expect(login).toMatchObject({ ok: false, ended: { cause: "config", why: { message } } });
    expect(JSON.stringify(login)).not.toContain("some-secret");
  });

  test("a bot that was moved to another server", async () => {
    const gate = await telegramGate();
    gate.bot.loggedOut = true;
    const message = words(/logged out of this server: set ApiURL/u);
    expect(await enter(gate)).toMatchObject({ ok: false, ended: { cause: "config", why: { message } } });
  });

  test("another program that asks for messages", async () => {
    const gate = await telegramGate();
    const conflict =
      "Conflict: terminated by other getUpdates request; make sure that only one bot instance is running";
    gate.server.refuse("getUpdates", 409, conflict);
    const message = words(/another program asks/u);
    expect(await enter(gate)).toMatchObject({ ok: false, ended: { cause: "lost", why: { message } } });
  });

  test.each([
    [true, "config", /no Bot API at ApiURL/u],
    [false, "lost", /something else than the Bot API/u],
  ])("another server, first: %j", async (isFirst, cause, message) => {
    const gate = await telegramGate();
    gate.server.faults.answer({ path: "/getMe" }, { json: { hello: "world" } });
    expect(await enter(gate, { isFirst })).toMatchObject({
      ok: false,
      ended: { cause, why: { message: words(message) } },
    });
    gate.server.faults.fail({ path: "/getMe" }, 404);
    expect(await enter(gate, { isFirst })).toMatchObject({
      ok: false,
      ended: { cause, why: { message: words(message) } },
    });
  });

  test.each([
    ["trouble", 502, /HTTP 502/u],
    ["too much", 429, /HTTP 429/u],
  ])("a server in %s heals", async (_, status, message) => {
    const gate = await telegramGate();
    gate.server.faults.fail({ path: "/getMe" }, status);
    const login = await enter(gate);
    expect(login).toMatchObject({ ok: false, ended: { cause: "lost", why: { message: words(message) } } });
  });

  test("nobody there, and no token in what is said of it", async () => {
    const gate = await telegramGate();
    // Port 1 (tcpmux): nothing is listening there.
    const login = await enter(gate, { base: "http://127.0.0.1:1" });
    expect(login).toMatchObject({ ok: false, ended: { cause: "lost", why: { code: "network" } } });
    expect(JSON.stringify(login)).not.toContain(gate.bot.token);
  });
});
