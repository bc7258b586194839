import { once } from "node:events";
import http from "node:http";
import type net from "node:net";
import { afterEach, describe, expect, test } from "vitest";
import { RecordingHost } from "../../../test/contract/recording-host.ts";
import type { OpAuthor } from "../../contract/ops.ts";
import { fits } from "./claims.ts";
import { Client } from "./client.ts";
import { localpartsOf } from "./ghost-ids.ts";
import { Ghosts } from "./ghosts.ts";
import { Http } from "../kit/http.ts";
import { emptyRoom } from "./room.ts";

const by = (account: string, id: string, name = id): OpAuthor => ({ id, name, shown: name, avatar: null, account });
const OPS_ALICE = by("api.team", "ops_alice");
const ALICE = by("api.team_ops", "alice");
const OLD = "@rialto_api.team_ops_alice:a";
const HASHED = /^@rialto_api\.team_ops_alice-[\da-f]{10}:a$/u;

test.each([
  [ALICE, "alice", true],
  [ALICE, "ops_alice", false],
  [ALICE, "somebody", false],
  [ALICE, "", false],
  [by("api.team_ops", "u42", "Alice"), "Alice", true],
  // A name is what a sender likes: the one that another sender has by id proves nothing.
  [by("api.team_ops", "alice", "ops_alice"), "ops_alice", false],
  [OPS_ALICE, "ops_alice", true],
  [OPS_ALICE, "alice", false],
  [OPS_ALICE, "Alice of old", true],
  [OPS_ALICE, "", true],
  [by("api.team", "ops_alice", "alice"), "alice", true],
])("%o, and a ghost that is called %j: %s", (author, shown, expected) => {
  expect(fits(author, localpartsOf(author), shown)).toBe(expected);
});

interface User {
  name: string;
  claim: string | null;
}

interface Town {
  readonly users: Map<string, User>;
  readonly asked: string[];
  /** Answers to requests whose path contains this, in place of the right one. */
  readonly failing: Map<string, number>;
  readonly url: string;
}

const servers: http.Server[] = [];
const clients: Http[] = [];
afterEach(() => {
  for (const client of clients.splice(0)) client.close();
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

/** A homeserver, as far as ghosts without rooms need one. */
async function homeserver(known: Readonly<Record<string, User>> = {}): Promise<Town> {
  const town = { users: new Map(Object.entries(known)), asked: [] as string[], failing: new Map<string, number>() };
  const server = http.createServer((request, response) => {
    void read(request).then((body) => {
      const url = new URL(request.url ?? "", "http://x");
      const what = `${request.method} ${decodeURIComponent(url.pathname).replace("/_matrix/client/v3/", "")}`;
      town.asked.push(what);
      const failing = [...town.failing].find(([part]) => what.includes(part))?.[1];
      const [status, json] =
        failing === undefined ? answer(town.users, what, url.searchParams.get("user_id") ?? "", body) : [failing, {}];
      response.writeHead(status, { "Content-Type": "application/json" }).end(JSON.stringify(json));
    });
  });
  servers.push(server);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return { ...town, url: `http://127.0.0.1:${(server.address() as net.AddressInfo).port}` };
}

async function read(request: http.IncomingMessage): Promise<string> {
  let text = "";
  for await (const part of request) text += String(part);
  return text;
}

function answer(users: Map<string, User>, what: string, as: string, body: string): readonly [number, object] {
  if (what === "POST register") {
    const id = `@${(JSON.parse(body) as { username: string }).username}:a`;
    if (users.has(id)) return [400, { errcode: "M_USER_IN_USE" }];
    users.set(id, { name: id.slice(1, id.indexOf(":")), claim: null });
    return [200, {}];
  }
  const user = users.get(as);
  if (user === undefined) return [403, { errcode: "M_FORBIDDEN" }];
  if (what.startsWith("GET profile")) return [200, { displayname: user.name }];
  if (what.endsWith("/displayname")) user.name = (JSON.parse(body) as { displayname: string }).displayname;
  if (what.endsWith("/account_data/chat.rialto.sender")) {
    if (what.startsWith("PUT")) user.claim = body;
    else return user.claim === null ? [404, { errcode: "M_NOT_FOUND" }] : [200, JSON.parse(user.claim) as object];
  }
  return [200, {}];
}

/** A session of the adapter's ghosts: how a sender speaks in it. */
function session({ url }: Town) {
  const client = new Http(new RecordingHost().clock);
  clients.push(client);
  const options = { client: new Client({ http: client, server: url, token: "t" }), prefix: "rialto_" };
  const ghosts = new Ghosts({ ...options, user: "@rialto:a" });
  const room = emptyRoom("!r:a", () => true);
  const signal = new AbortController().signal;
  return async (author: OpAuthor): Promise<string> => {
    const ready = await ghosts.ready(author, null, room, signal);
    if (!ready.ok) return `failed: ${ready.failure.why.code}`;
    return ghosts.owns(ready.value) ? ready.value : `not ours: ${ready.value}`;
  };
}

describe("a ghost of an older build", () => {
  test("stays with the sender it is named after; the other one gets another; both for good", async () => {
    const town = await homeserver({ [OLD]: { name: "alice", claim: null } });
    const [first, again, later] = [session(town), session(town), session(town)];
    const other = await first(OPS_ALICE);
    expect(other).toMatch(HASHED);
    expect(await first(ALICE)).toBe(OLD);
    expect([await again(ALICE), await again(OPS_ALICE)]).toEqual([OLD, other]);
    expect([await later(OPS_ALICE), await later(ALICE)]).toEqual([other, OLD]);
    expect([...town.users].map(([id, { name }]) => [id, name])).toEqual([
      [OLD, "alice"],
      [other, "ops_alice"],
    ]);
  });

  test("whoever has another by now keeps that, whatever the old one is called", async () => {
    const town = await homeserver({ [OLD]: { name: "somebody", claim: null } });
    const own = await session(town)(ALICE);
    expect(own).toMatch(HASHED);
    town.users.set(OLD, { name: "alice", claim: null });
    expect(await session(town)(ALICE)).toBe(own);
  });

  test("two who speak at once do not both get it", async () => {
    const town = await homeserver({ [OLD]: { name: "Ops", claim: null } });
    const speak = session(town);
    const [one, two] = [by("api.team", "ops_alice", "Ops"), by("api.team_ops", "alice", "Ops")];
    const ids = await Promise.all([speak(two), speak(one), speak(two), speak(one)]);
    expect(ids).toEqual([OLD, expect.stringMatching(HASHED), OLD, ids[1]]);
    expect(await Promise.all([session(town)(one), session(town)(two)])).toEqual([ids[1], OLD]);
  });
});

test("who is new gets the id without a hash only where its first `_` is the end of the account, and keeps it", async () => {
  const town = await homeserver();
  const speak = session(town);
  expect(await speak(ALICE)).toMatch(HASHED);
  expect(await speak(OPS_ALICE)).toBe(OLD);
  expect(await session(town)(by("api.team_ops", "alice", "ops_alice"))).toMatch(HASHED);
  expect(await session(town)(OPS_ALICE)).toBe(OLD);
});

describe("what it costs", () => {
  test("senders without `_` are not looked up", async () => {
    const town = await homeserver();
    await session(town)(by("api.team", "alice"));
    expect(town.asked.filter((what) => /account_data|GET/u.test(what))).toEqual([]);
  });

  test("a claim is asked for once in a session", async () => {
    const town = await homeserver({ [OLD]: { name: "alice", claim: null } });
    await session(town)(ALICE);
    town.asked.length = 0;
    const speak = session(town);
    await speak(ALICE);
    await speak({ ...ALICE, name: "Alice" });
    const looked = town.asked.filter((what) => /account_data|GET/u.test(what));
    expect(looked).toEqual([`GET user/${OLD}/account_data/chat.rialto.sender`]);
  });
});

describe("a homeserver that does not do it", () => {
  test("one that fails now is asked again: nobody speaks as somebody else meanwhile", async () => {
    const town = await homeserver({
      [OLD]: { name: "x", claim: JSON.stringify({ account: "api.team_ops", id: "alice" }) },
    });
    const speak = session(town);
    town.failing.set("account_data", 500);
    expect(await speak(OPS_ALICE)).toBe("failed: remote_error");
    town.failing.set("account_data", 429);
    expect(await speak(OPS_ALICE)).toBe("failed: rate_limited");
    town.failing.clear();
    expect(await speak(OPS_ALICE)).toMatch(HASHED);
  });

  test("one that keeps no account data: ids that no two senders share", async () => {
    const town = await homeserver({ [OLD]: { name: "alice", claim: null } });
    town.failing.set("account_data", 404);
    expect(await session(town)(ALICE)).toMatch(HASHED);
    expect(await session(town)(by("api.web", "a_b"))).toBe("@rialto_api.web_a_b:a");
  });
});
