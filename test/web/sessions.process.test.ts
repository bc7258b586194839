import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { eventually } from "../support/wait.ts";
import { type Answered, ask, idIn, WebGuest } from "./guest.ts";
import { type WebStage, webStage } from "./stage.ts";

const ROOMS = 21;
const NAMES = Array.from({ length: ROOMS }, (_, at) => `attic${at}`);

let stage: WebStage;
beforeAll(async () => {
  const gateways = NAMES.map(
    (name) => `[[gateway]]
name = "${name}"
enable = true
inout = [{ account = "web.site", channel = "${name}" }, { account = "api.game" }]
`,
  );
  stage = await webStage('RunBy = "the keepers"\nJoinRate = 1000', gateways.join(""));
  await eventually(
    async () => await stage.admin("GET", `rooms/${NAMES.at(-1)}/moderation`),
    ({ status }) => status === 200,
    () => "the last room to open",
  );
});
afterAll(async () => await stage.stop());

const inviteTo = async (room: string, ...words: readonly string[]): Promise<string> =>
  new URL((await stage.command("invite", room, ...words)).trim()).hash.slice(1);

/** A browser with the cookies of its guests. */
const asked = async (path: string, ...guests: readonly WebGuest[]): Promise<Answered> =>
  await ask(stage.base, { path, headers: { Cookie: guests.map(({ cookie }) => cookie).join("; ") } });

async function joined(room: string, name: string): Promise<WebGuest> {
  const guest = new WebGuest(stage.base, name);
  expect((await guest.join(await inviteTo(room))).status).toBe(201);
  return guest;
}

const roomsIn = ({ json }: Answered): unknown =>
  (json?.["rooms"] as readonly { readonly name: string }[] | undefined)?.map(({ name }) => name);

test("a browser with a session in each of two rooms acts in the room that a request names", async () => {
  const lobby = await joined("lobby", "amy");
  const attic = await joined("attic0", "amy");
  expect(lobby.cookie.split("=")[0]).not.toBe(attic.cookie.split("=")[0]);
  expect(roomsIn(await asked("/v1/rooms", lobby, attic))).toEqual(["attic0", "lobby"]);
  for (const [room, { id }] of [["lobby", lobby] as const, ["attic0", attic] as const])
    expect(idIn(await asked(`/v1/me?room=${room}`, lobby, attic), "guest")).toBe(id);
  expect((await asked("/v1/me?room=attic1", lobby, attic)).status).toBe(401);
  // A session counts in its own room alone, also under the cookie of another room.
  const [name = ""] = attic.cookie.split("=");
  const [, secret = ""] = lobby.cookie.split("=");
  const swapped = await ask(stage.base, { path: "/v1/me?room=attic0", headers: { Cookie: `${name}=${secret}` } });
  expect(swapped.status).toBe(401);

  const message = idIn(await lobby.say("only in the lobby"), "message");
  const both = { Cookie: `${lobby.cookie}; ${attic.cookie}` };
  for (const [method, path] of [
    ["PATCH", `/v1/messages/${message}`],
    ["DELETE", `/v1/messages/${message}`],
    ["PUT", `/v1/messages/${message}/reactions/%F0%9F%91%8D`],
    ["POST", "/v1/report"],
  ] as const) {
    const body = { text: "changed", id: message, why: "" };
    const answered = await ask(stage.base, { method, path: `${path}?room=attic0`, body, headers: both });
    expect([path, answered.status]).toEqual([path, 404]);
  }
  expect((await asked("/v1/history?room=attic0", lobby, attic)).json).toMatchObject({ messages: [] });

  const left = await ask(stage.base, { method: "POST", path: "/v1/leave?room=lobby", headers: both });
  expect(left.headers["set-cookie"]).toEqual([
    expect.stringMatching(new RegExp(`^${lobby.cookie.split("=")[0]}=; .*Max-Age=0$`, "u")),
  ]);
  expect(roomsIn(await asked("/v1/rooms", lobby, attic))).toEqual(["attic0"]);
});

test("a session of the version before keeps working, and moves to the cookie of its room", async () => {
  const guest = await joined("lobby", "ben");
  const [name = "", secret = ""] = guest.cookie.split("=");
  const [base = ""] = name.split(".");
  const before = { Cookie: `${base}=${secret}` };
  for (const path of ["/v1/me", "/v1/me?room=lobby", "/v1/history"])
    expect((await ask(stage.base, { path, headers: before })).status).toBe(200);
  const rooms = await ask(stage.base, { path: "/v1/rooms", headers: before });
  expect(roomsIn(rooms)).toEqual(["lobby"]);
  expect(rooms.headers["cache-control"]).toBe("no-store");
  const cookies = rooms.headers["set-cookie"] ?? [];
  expect(cookies[0]).toMatch(/; Path=\/; HttpOnly; SameSite=Strict; Max-Age=2592000$/u);
  expect(cookies.map((cookie) => cookie.split(";")[0])).toEqual([guest.cookie, `${base}=`]);
  // Somebody else's session without a room does not take the place of one's own.
  const other = await joined("lobby", "cas");
  const planted = `${base}=${secret}; ${other.cookie}`;
  const me = await ask(stage.base, { path: "/v1/me?room=lobby", headers: { Cookie: planted } });
  expect(idIn(me, "guest")).toBe(other.id);
});

test("where an invite leads is known before the join; after its end only to guests of its room and to its own join", async () => {
  const invite = await inviteTo("lobby");
  const show = async (text: string, headers: Readonly<Record<string, string>> = {}): Promise<Answered> =>
    await ask(stage.base, { method: "POST", path: "/v1/invite", body: { invite: text }, headers });
  expect((await show(invite)).json).toEqual({ room: "lobby", topic: "", runBy: "the keepers", joined: false });
  expect((await show(invite, { Origin: "http://127.0.0.1:1" })).status).toBe(403);
  const key = randomUUID();
  const guest = new WebGuest(stage.base, "dee");
  expect((await guest.join(invite, { "Idempotency-Key": key })).status).toBe(201);
  expect((await show(invite)).json).toMatchObject({ status: 410, code: "invite_gone" });
  expect((await show("garbage")).status).toBe(410);
  // The answer to the join may have been lost.
  expect((await show(invite, { "Idempotency-Key": key })).json).toMatchObject({ joined: false });
  expect((await show(invite, { Cookie: guest.cookie })).json).toMatchObject({ joined: true });
});

test("a browser is in 20 rooms at most", async () => {
  const guests: WebGuest[] = [];
  for (const name of NAMES.slice(0, 20)) guests.push(await joined(name, "eli"));
  const Cookie = guests.map(({ cookie }) => cookie).join("; ");
  const late = new WebGuest(stage.base, "eli");
  const invite = await inviteTo("attic20");
  const detail = "you are in 20 rooms: leave a room first";
  expect((await late.join(invite, { Cookie })).json).toMatchObject({ code: "too_many", detail });
  expect((await late.join(invite)).status).toBe(201);
});
