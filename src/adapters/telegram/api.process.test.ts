import { expect, test } from "vitest";
import type { OpenedFile } from "../../contract/session.ts";
import { apiOn, telegramGate } from "./gate.suite.ts";

const never = new AbortController().signal;

async function textOf(opened: OpenedFile): Promise<string> {
  return opened.ok ? await new Response(opened.stream).text() : opened.why.message;
}

test.each([
  ["Telegram's own", {}],
  ["a server on this machine, from its disk,", { isLocal: true }],
])("a file of %s opens whole", async (_, options) => {
  const gate = await telegramGate(options);
  const content = Buffer.from("all of it");
  const row = gate.alice.send(gate.group, "document", { name: "notes.txt", content });
  const opened = await apiOn(gate).openFile(row.wire.document?.file_id ?? "", never);
  expect(opened).toMatchObject({ ok: true, bytes: content.length });
  expect(await textOf(opened)).toBe("all of it");
});

test("a file that Rialto may not read on the disk is a reason, without its path", async () => {
  const gate = await telegramGate();
  const json = { ok: true, result: { file_id: "x", file_unique_id: "y", file_path: `/var/${gate.bot.token}/a.txt` } };
  gate.server.faults.answer({ path: "/getFile" }, { json }, 2);
  expect(await textOf(await apiOn(gate).openFile("x", never))).toBe(
    "the Bot API server keeps the file where Rialto may not read it",
  );
});

test.each([
  ["Telegram's words", (token: string) => ({ ok: false, error_code: 400, description: `Bad Request: ${token}` }), 400],
  ["words of a proxy", (token: string) => ({ description: `no route for /bot${token}/getChat` }), 502],
  ["words of a proxy with signs for signs", (token: string) => ({ description: encodeURIComponent(token) }), 403],
])("%s that repeat the token do not get through", async (_, json, status) => {
  const gate = await telegramGate();
  gate.server.faults.answer({ path: "/getChat" }, { status, json: json(gate.bot.token) });
  const answer = await apiOn(gate).chat(gate.group.id, never);
  const words = JSON.stringify(answer);
  expect(answer.ok).toBe(false);
  expect(words).not.toContain(gate.bot.token);
  expect(words).not.toContain(encodeURIComponent(gate.bot.token));
});

test("what Telegram says of a wait and of a new id is read", async () => {
  const gate = await telegramGate();
  gate.server.limit({ path: "/getChat" }, 7);
  const api = apiOn(gate);
  expect(await api.chat(gate.group.id, never)).toMatchObject({
    ok: false,
    failure: { code: "rate_limited", status: 429, retryAfterMs: 7_000, certain: true },
  });
  const crew = gate.server.world.addGroup("crew", gate.alice.user);
  gate.alice.add(crew, gate.bot);
  const now = gate.alice.upgrade(crew);
  expect(await api.chat(crew.id, never)).toMatchObject({ ok: false, failure: { migrateTo: now.id, certain: true } });
});
