import { once } from "node:events";
import http from "node:http";
import type net from "node:net";
import { afterEach, expect, test } from "vitest";
import { RecordingAttempt } from "../../../test/contract/recording-attempt.ts";
import { RecordingHost } from "../../../test/contract/recording-host.ts";
import type { Cursor } from "../../contract/ids.ts";
import { open } from "./session.ts";
import { matrixSettings } from "./settings.suite.ts";
import { join, post } from "./town.suite.ts";

const US = "@rialto:a.example";
const ROOM = "!r";

const servers: http.Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

/** A homeserver with one room whose state is this, and that answers every message so. */
async function homeserver(state: Readonly<Record<string, object>>, status: number, refusal: object): Promise<string> {
  const server = http.createServer((request, response) => {
    const { pathname } = new URL(request.url ?? "", "http://x");
    if (pathname.endsWith("/sync")) return;
    const type = /\/state\/(?<type>[^/]+)\/$/u.exec(pathname)?.groups?.["type"];
    const known = type === undefined ? OTHERS.find(([end]) => pathname.includes(end))?.[1] : state[type];
    const isSend = pathname.includes("/send/");
    response.writeHead(isSend ? status : known === undefined ? 404 : 200, { "Content-Type": "application/json" });
    response.end(JSON.stringify(isSend ? refusal : (known ?? { errcode: "M_NOT_FOUND" })));
  });
  servers.push(server);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return `http://127.0.0.1:${(server.address() as net.AddressInfo).port}`;
}

const OTHERS: readonly (readonly [string, object])[] = [
  ["/versions", { versions: ["v1.16"] }],
  ["/whoami", { user_id: US }],
  ["/join/", { room_id: ROOM }],
  ["/joined_members", { joined: {} }],
  ["/joined_rooms", { joined_rooms: [ROOM] }],
  ["/messages", { chunk: [] }],
];

const SPAM = { errcode: "M_FORBIDDEN", error: "This message has been rejected as probable spam" };
const POLICY = { via: "policy.example", public_keys: { ed25519: "x" } };
const HINT = `the room's policy server policy.example may have refused it: ask the room's moderators to let ${US} pass`;
const MUTED = { "m.room.power_levels": { events_default: 50 } };

test.each<[string, Record<string, object>, number, object, object, string]>([
  ["by a policy server", { "m.room.policy": POLICY }, 403, SPAM, { is: "rejected" }, HINT],
  ["by one of the draft", { "org.matrix.msc4284.policy": POLICY }, 403, SPAM, { is: "rejected" }, HINT],
  ["by a spam filter", {}, 403, SPAM, { is: "rejected" }, `M_FORBIDDEN: ${SPAM.error}`],
  [
    "without a right, policy server or not",
    { ...MUTED, "m.room.policy": POLICY },
    403,
    SPAM,
    { is: "deferred" },
    "raise",
  ],
  [
    "by a limit of the account",
    { "m.room.policy": POLICY },
    403,
    { errcode: "M_USER_LIMIT_EXCEEDED", error: "too much", info_uri: "https://a.example/why" },
    { is: "rejected" },
    "read https://a.example/why",
  ],
  [
    "because the user is suspended",
    {},
    403,
    { errcode: "M_USER_SUSPENDED", error: "Actions are not allowed" },
    { is: "deferred", scope: "session", retryInMs: 60_000 },
    "is suspended: the homeserver's admins can lift that",
  ],
])("a message that is refused %s", async (_, state, status, refusal, outcome, words) => {
  const settings = matrixSettings({ Server: await homeserver(state, status, refusal), Token: "t" });
  const signal = new AbortController().signal;
  const opened = await open({ settings, host: new RecordingHost(), since: "s0" as Cursor, signal });
  if (!opened.ok) throw new Error(opened.ended.why.message);
  const joined = await join(opened.session, ROOM);
  if (!joined.ok) throw new Error(joined.why.message);
  const ended = await opened.session.handlers.post(post(joined.ref, "x-1", "hello"), new RecordingAttempt());
  await opened.session.close(AbortSignal.timeout(1_000));
  expect(ended).toMatchObject({ ...outcome, why: { message: expect.stringContaining(words) as string } });
});
