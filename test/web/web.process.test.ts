import { afterAll, beforeAll, expect, test } from "vitest";
import type { StatusView } from "../../src/admin/views.ts";
import { eventually } from "../support/wait.ts";
import { ask, idIn, WebGuest, wordsOf } from "./guest.ts";
import { type WebStage, webStage } from "./stage.ts";

let stage: WebStage;
beforeAll(async () => {
  stage = await webStage('LinksAfter = 1\nTrustProxy = ["::ffff:127.0.0.1"]\n');
});
afterAll(async () => await stage.stop());

const seen = (guest: WebGuest): readonly string[] =>
  [...guest.messages.values()].map(({ author, blocks }) => `${author.name}: ${wordsOf(blocks)}`);

async function sees(guest: WebGuest, line: string): Promise<void> {
  await eventually(
    () => Promise.resolve(seen(guest)),
    (lines) => lines.includes(line),
    () => `"${line}" in ${JSON.stringify(seen(guest))}`,
  );
}

/** What programs read, from now on. */
async function heard(wanted: string): Promise<readonly string[]> {
  const lines: string[] = [];
  await eventually(
    async () =>
      lines.push(...(await stage.game.poll()).map(({ event, username, text }) => `${event} ${username}: ${text}`)),
    () => lines.some((line) => line.includes(wanted)),
    () => `"${wanted}" in ${JSON.stringify(lines)}`,
  );
  return lines;
}

test("an invite is one line, and a guest and a program talk", async () => {
  const link = await stage.invite();
  expect(link).toMatch(new RegExp(`^${stage.base}/join#[\\w-]{43}$`, "u"));
  const json = JSON.parse(
    await stage.command("invite", "lobby", "--uses", "2", "--expires", "2h", "--hold", "--json"),
  ) as object;
  expect(json).toMatchObject({
    gateway: "lobby",
    uses: 2,
    used: 0,
    hold: true,
    url: expect.stringContaining("/join#") as string,
  });
  const ann = await stage.guest("ann", link);
  expect((await ann.say("What **news**?")).status).toBe(201);
  expect(await heard("What")).toContain(" ann (guest): What **news**?");
  await stage.game.say({ text: "none *yet*", username: "game", gateway: "lobby" });
  await sees(ann, "game: none yet");
});

test("what a guest changes is changed elsewhere, and only the guest's own can be", async () => {
  const [bea, carl] = [await stage.guest("bea"), await stage.guest("carl")];
  const id = idIn(await bea.say("frist"), "message");
  const path = `/v1/messages/${id}`;
  await sees(carl, "bea: frist");
  expect((await carl.ask({ method: "PATCH", path, body: { text: "mine" } })).status).toBe(404);
  expect((await carl.ask({ method: "DELETE", path })).status).toBe(404);
  expect((await bea.ask({ method: "PATCH", path, body: { text: "first" } })).status).toBe(200);
  expect((await carl.ask({ method: "PUT", path: `${path}/reactions/${encodeURIComponent("👍")}` })).status).toBe(204);
  expect((await carl.ask({ method: "PUT", path: `${path}/reactions/word` })).status).toBe(400);
  await sees(carl, "bea: first");
  const lines = await heard("msg_reaction");
  expect(lines.filter((line) => line.includes("first"))).toContain("msg_edit bea (guest): first");
  expect((await bea.ask({ method: "DELETE", path })).status).toBe(204);
  await heard("msg_delete");
  await eventually(
    () => Promise.resolve(carl.messages.has(id)),
    (is) => !is,
    () => "the message to go",
  );
});

test("a file that no message has can be taken back, by its guest alone, and makes room for another", async () => {
  const [bob, eva] = [await stage.guest("bob"), await stage.guest("eva")];
  const upload = async (guest: WebGuest): Promise<Awaited<ReturnType<WebGuest["ask"]>>> =>
    await guest.ask({ method: "POST", path: "/v1/files?name=a.txt", body: Buffer.from("content") });
  const remove = async (guest: WebGuest, id: string): Promise<number> =>
    (await guest.ask({ method: "DELETE", path: `/v1/files/${id}` })).status;
  for (let count = 0; count < 25; count += 1) expect(await remove(bob, idIn(await upload(bob), "file"))).toBe(204);
  const id = idIn(await upload(bob), "file");
  expect(await remove(eva, id)).toBe(204);
  expect((await bob.ask({ path: `/v1/files/${id}` })).status).toBe(200);
  expect((await bob.say("with a file", { files: [id] })).status).toBe(201);
  expect(await remove(bob, id)).toBe(403);
  expect((await bob.ask({ path: `/v1/files/${id}` })).status).toBe(200);
  expect(await remove(bob, "nothing")).toBe(204);
});

test("a cookie of the same name from elsewhere keeps nobody out", async () => {
  const cora = await stage.guest("cora");
  const [name = ""] = cora.cookie.split("=");
  const askedBy = async (Cookie: string) => await ask(stage.base, { path: "/v1/me", headers: { Cookie } });
  expect(await askedBy(`${name}=of-another-server; ${cora.cookie}`)).toMatchObject({
    status: 200,
    json: { guest: { name: "cora" } },
  });
  expect((await askedBy(`${name}=of-another-server`)).status).toBe(401);
});

test("a message is said once under its key, and the key is good for no other", async () => {
  const dora = await stage.guest("dora");
  const [first, again, other] = [
    await dora.say("only once", {}, "key-1"),
    await dora.say("only once", {}, "key-1"),
    await dora.say("something else", {}, "key-1"),
  ];
  expect([first.status, again.status, other.status]).toEqual([201, 201, 422]);
  expect(idIn(again, "message")).toBe(idIn(first, "message"));
  const lines = await heard("only once");
  expect(lines.filter((line) => line.includes("only once"))).toHaveLength(1);
});

test("an invite ends with its uses, with its time, and when it is taken back", async () => {
  const link = await stage.invite();
  await stage.guest("emil", link);
  const late = await stage.guest("late one").then(() => null);
  expect(late).toBeNull();
  const refusedBy = async (invite: string): Promise<number> =>
    (await ask(stage.base, { method: "POST", path: "/v1/join", body: { invite: invite.split("#")[1], name: "fritz" } }))
      .status;
  expect(await refusedBy(link)).toBe(410);
  const short = await stage.invite("--expires", "1ms");
  expect(await refusedBy(short)).toBe(410);
  const made = await stage.admin("POST", "invites", { gateway: "lobby" });
  expect(made.status).toBe(201);
  const { id, url } = made.body as { readonly id: string; readonly url: string };
  const { body } = await stage.admin("GET", "invites");
  expect(JSON.stringify(body)).not.toContain(url.split("#")[1]);
  expect((await stage.admin("DELETE", `invites/${id}`)).status).toBe(204);
  expect(await refusedBy(url)).toBe(410);
  expect(await stage.command("invite", "nowhere")).toContain('there is no gateway "nowhere"');
});

test("a repeated join is the same guest, and uses the invite once", async () => {
  const link = await stage.invite();
  const key = { "Idempotency-Key": "0123456789abcdef01234567" };
  const join = async (name: string, headers: Readonly<Record<string, string>> = key) => {
    const guest = new WebGuest(stage.base, name);
    const answered = await guest.join(link, headers);
    return { status: answered.status, id: guest.id, cookie: guest.cookie };
  };
  const [first, again] = await Promise.all([join("quinn"), join("quinn")]);
  expect([first.status, again]).toEqual([201, first]);
  // Somebody who sees no answer may choose another name.
  expect(await join("quincy")).toEqual(first);
  const { json } = await ask(stage.base, { path: "/v1/me", headers: { Cookie: first.cookie } });
  expect(json).toMatchObject({ guest: { id: first.id, name: "quincy" } });
  expect((await join("rufus", { "Idempotency-Key": "another-key-of-another-one" })).status).toBe(410);
  expect((await join("rufus", { "Idempotency-Key": "short" })).status).toBe(400);
  await ask(stage.base, { method: "POST", path: "/v1/leave", headers: { Cookie: first.cookie } });
  expect((await join("quincy")).status).toBe(410);
});

test("a name is there once, whatever it is written with", async () => {
  await stage.guest("paypal");
  const link = await stage.invite("--uses", "9");
  const join = async (name: string) =>
    await ask(stage.base, { method: "POST", path: "/v1/join", body: { invite: link.split("#")[1], name } });
  for (const name of ["PayPal", "pаypаl", "pay\u200bpal", "p\u0301aypal", "paypa1"]) {
    const { status, json } = await join(name);
    expect([name, status, json?.["code"]]).toEqual([name, 409, "name_taken"]);
    expect(json?.["suggestion"]).toMatch(/ 2$/u);
  }
  expect((await join("\u200b ")).json).toMatchObject({ status: 400, code: "bad_name" });
  expect((await join("x".repeat(33))).json).toMatchObject({ code: "bad_name" });
});

test("what is held waits for approval, and a guest can be muted, banned and undone", async () => {
  const gus = await stage.guest("gus", await stage.invite("--hold"));
  const watcher = await stage.guest("hedy");
  const held = await gus.say("let me in");
  expect(held.status).toBe(202);
  const { body } = await stage.admin("GET", "held");
  const [waiting] = (body as { held: { id: string; text: string; gateway: string; guest: string }[] }).held;
  expect(waiting).toMatchObject({ text: "let me in", gateway: "lobby", guest: gus.id });
  const status = async () => (await stage.admin("GET", "status")).body as StatusView;
  const { troubles, notices } = await status();
  expect(notices).toMatchObject([{ what: "1 message of a guest waits for approval" }]);
  // That the machine is busy may be one.
  expect(troubles.filter((trouble) => /guest/u.test(JSON.stringify(trouble)))).toEqual([]);
  expect(JSON.stringify(notices)).not.toContain("let me in");
  expect(seen(watcher)).toEqual([]);
  expect((await stage.admin("POST", `held/${waiting?.id}/approve`)).status).toBe(204);
  expect((await stage.admin("POST", `held/${waiting?.id}/approve`)).status).toBe(404);
  expect((await status()).notices).toEqual([]);
  await sees(watcher, "gus: let me in");
  await heard("gus (guest): let me in");
  expect(gus.events.map(({ type }) => type)).toContain("hold");
  expect((await gus.say("see https://example.org")).status).toBe(201);
  await stage.admin("POST", `guests/${gus.id}/mute`);
  expect((await gus.say("hello?")).json).toMatchObject({ status: 403, code: "muted" });
  const renamed = await gus.ask({ method: "PATCH", path: "/v1/me", body: { name: "hello" } });
  expect(renamed.json).toMatchObject({ status: 403, code: "muted" });
  await stage.admin("POST", `guests/${gus.id}/unmute`);
  expect((await gus.say("hello!")).status).toBe(201);
  const purged = await stage.admin("POST", `guests/${gus.id}/purge`);
  expect(purged).toMatchObject({ status: 200, body: { deleted: 3 } });
  await eventually(
    () => Promise.resolve(seen(watcher)),
    (lines) => lines.length === 0,
    () => "all of gus to go",
  );
  const deleted = await heard("msg_delete");
  expect(deleted.length).toBeGreaterThan(0);
  await stage.admin("POST", `guests/${gus.id}/ban`);
  expect((await gus.say("again")).json).toMatchObject({ status: 403, code: "banned" });
  const link = await stage.invite("--uses", "9");
  const from = async (address: string, name: string): Promise<number> => {
    const headers = { "X-Forwarded-For": address };
    const body = { invite: link.split("#")[1], name };
    return (await ask(stage.base, { method: "POST", path: "/v1/join", body, headers })).status;
  };
  expect([await from("127.0.0.2", "ivo"), await from("192.0.2.7", "ivo")]).toEqual([403, 201]);
  await stage.admin("POST", `guests/${gus.id}/unban`);
  expect(await from("127.0.0.2", "jan")).toBe(201);
});

test("what is rejected is never said, also under its key again", async () => {
  const tess = await stage.guest("tess", await stage.invite("--hold"));
  expect((await tess.say("buy now", {}, "key-2")).status).toBe(202);
  const { body } = await stage.admin("GET", "held");
  const [waiting] = (body as { held: { id: string }[] }).held;
  expect((await stage.admin("POST", `held/${waiting?.id}/reject`)).status).toBe(204);
  expect((await tess.say("buy now", {}, "key-2")).status).toBe(404);
  const { json } = await tess.ask({ path: "/v1/history" });
  expect(JSON.stringify(json)).not.toContain("buy now");
});

test("a ban counts for a request whose body was still on its way", async () => {
  const oda = await stage.guest("oda");
  const begun = oda.begin("kept for later");
  expect(await begun.arrived).toBe(true);
  await stage.admin("POST", `guests/${oda.id}/ban`);
  expect(await begun.finish()).toBe(403);
  await stage.admin("POST", `guests/${oda.id}/unban`);
});

test("slow mode and links are as the room says now", async () => {
  const kim = await stage.guest("kim");
  for (const text of ["look at https://example.org", "https\\://example.org", "exam**ple.com**"])
    expect((await kim.say(text)).json).toMatchObject({ status: 403, code: "no_links" });
  const named = await kim.ask({ method: "PATCH", path: "/v1/me", body: { name: "example.com" } });
  expect(named.json).toMatchObject({ status: 400, code: "bad_name" });
  const rules = await stage.admin("PUT", "rooms/lobby/moderation", { slowModeS: 600 });
  expect(rules.body).toEqual({ hold: false, slowModeS: 600, linksAfter: 1 });
  const one = await kim.say("one");
  expect(one.status).toBe(201);
  const slow = await kim.say("two");
  expect([slow.status, slow.json?.["code"], Number(slow.headers["retry-after"]) > 500]).toEqual([
    429,
    "slow_mode",
    true,
  ]);
  // Edits and names are no way round it: one of them at a time, and a slip can be mended at once.
  const path = `/v1/messages/${idIn(one, "message")}`;
  const edit = async (text: string) => await kim.ask({ method: "PATCH", path, body: { text } });
  const rename = async (name: string) => await kim.ask({ method: "PATCH", path: "/v1/me", body: { name } });
  expect([(await edit("One")).status, (await edit("One")).status]).toEqual([200, 200]);
  for (const another of [await edit("and two"), await rename("and three")])
    expect(another.json).toMatchObject({ status: 429, code: "slow_mode" });
  const react = async (emoji: string): Promise<number> =>
    (await kim.ask({ method: "PUT", path: `${path}/reactions/${encodeURIComponent(emoji)}` })).status;
  expect([await react("👍"), await react("🎉"), await react(":and_four:")]).toEqual([204, 204, 400]);
  await stage.admin("PUT", "rooms/lobby/moderation", { slowModeS: 0 });
  expect((await kim.say("three")).status).toBe(201);
  expect((await rename("kimberly")).status).toBe(200);
  expect((await stage.admin("PUT", "rooms/lobby/moderation", { slowModeS: -1 })).status).toBe(400);
});

test("a report is seen by operators, and settled", async () => {
  const [leo, mia] = [await stage.guest("leo"), await stage.guest("mia")];
  const id = idIn(await leo.say("buy now"), "message");
  expect((await mia.ask({ method: "POST", path: "/v1/report", body: { id, why: "spam" } })).status).toBe(204);
  expect((await mia.ask({ method: "POST", path: "/v1/report", body: { id, why: "again" } })).status).toBe(204);
  const { body } = await stage.admin("GET", "reports");
  const { reports } = body as { reports: { id: string }[] };
  const [report] = reports;
  expect(reports).toHaveLength(1);
  expect(report).toMatchObject({
    by: "mia",
    why: "spam",
    author: "leo",
    guest: leo.id,
    text: "buy now",
    gateway: "lobby",
  });
  expect((await stage.admin("DELETE", `reports/${report?.id}`)).status).toBe(204);
});

test("only the page itself is answered: cookie, header, origin, host, limits", async () => {
  const nora = await stage.guest("nora");
  const path = "/v1/messages";
  const body = { text: "x" };
  const headers = { "Idempotency-Key": "k", Cookie: nora.cookie };
  const post = async (more: Readonly<Record<string, string>>): Promise<number> =>
    (await ask(stage.base, { method: "POST", path, body, headers: { ...headers, ...more } })).status;
  expect(await post({})).toBe(201);
  expect(await post({ "X-Rialto": "0" })).toBe(403);
  expect(await post({ Origin: "http://evil.example" })).toBe(403);
  expect(await post({ "Sec-Fetch-Site": "cross-site" })).toBe(403);
  expect(await post({ Host: "evil.example" })).toBe(421);
  expect(await post({ Cookie: "guest=none" })).toBe(401);
  expect(await post({ "Content-Type": "text/plain" })).toBe(400);
  const joined = await new (nora.constructor as typeof WebGuest)(stage.base, "otto").join(await stage.invite());
  expect(joined.headers["set-cookie"]?.[0]).toMatch(/; Path=\/; HttpOnly; SameSite=Strict; Max-Age=\d+$/u);
  for (const way of ["me", "history", "events", "members", "files/x"])
    expect((await ask(stage.base, { path: `/v1/${way}` })).status).toBe(401);
  for (let asked = 0; asked < 2; asked += 1) {
    const me = await nora.ask({ path: "/v1/me" });
    expect(me.headers["set-cookie"]?.[0]).toMatch(/^[^;]{43,}; Path=\/; HttpOnly; SameSite=Strict; Max-Age=2592000$/u);
  }
  expect((await nora.say("y".repeat(8_001))).json).toMatchObject({ status: 413 });
  expect((await nora.say("y".repeat(200_000))).json).toMatchObject({ status: 413 });
  expect((await nora.say("  ")).json).toMatchObject({ status: 400 });
  const page = await ask(stage.base, { path: "/join" });
  expect(page.headers["content-security-policy"]).toContain("require-trusted-types-for 'script'");
  expect((await ask(stage.base, { path: "/assets/../index.html" })).status).toBe(404);
});

test("a page that was away is told what it has missed, and one whose place is unknown begins anew", async () => {
  const [pia, rolf] = [await stage.guest("pia"), await stage.guest("rolf")];
  pia.unwatch();
  await rolf.say("while you were away");
  await pia.watch();
  await sees(pia, "rolf: while you were away");
  const { json } = await pia.ask({ path: "/v1/history?limit=1" });
  expect(json).toMatchObject({ more: true, messages: [{ author: { name: "rolf", mine: false } }] });
  const stream = await ask(stage.base, { path: "/v1/history?before=none", headers: { Cookie: pia.cookie } });
  expect(stream.json).toEqual({ messages: [], more: false });
});
