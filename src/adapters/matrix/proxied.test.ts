import { once } from "node:events";
import http from "node:http";
import type net from "node:net";
import { onTestFinished } from "vitest";
import { describeProxied } from "../../../test/contract/proxied.ts";
import { RecordingHost } from "../../../test/contract/recording-host.ts";
import type { Cursor } from "../../contract/ids.ts";
import { open } from "./session.ts";
import { matrixSettings } from "./settings.suite.ts";
import { joined } from "./town.suite.ts";

const ROOM = "!r:a";

/** A homeserver with one room, which tells by /sync what was said. */
async function homeserver() {
  const waiting: object[] = [];
  let said = 0;
  let hold: (() => void) | null = null;
  const server = http.createServer((request, response) => {
    const { pathname } = new URL(request.url ?? "", "http://x");
    const answer = (body: object | string): void =>
      void response.end(typeof body === "string" ? body : JSON.stringify(body));
    if (pathname.endsWith("/sync")) {
      hold = () => {
        hold = null;
        const events = waiting.splice(0);
        answer({ next_batch: `s${said}`, rooms: { join: { [ROOM]: { timeline: { events } } } } });
      };
      if (waiting.length > 0) hold();
      return;
    }
    request.resume().on("end", () => {
      const known = ANSWERS.find(([part]) => pathname.includes(part))?.[1];
      if (known === undefined) response.statusCode = 404;
      answer(known ?? { errcode: "M_NOT_FOUND" });
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const say = (content: object): void => {
    said += 1;
    const about = { event_id: `$${said}`, sender: "@alice:a", origin_server_ts: 1 };
    waiting.push({ type: "m.room.message", ...about, content });
    hold?.();
  };
  return { url: `http://127.0.0.1:${(server.address() as net.AddressInfo).port}`, say };
}

const ANSWERS: readonly (readonly [string, object | string])[] = [
  ["/versions", { versions: ["v1.11"] }],
  ["/whoami", { user_id: "@rialto:a" }],
  ["/join/", { room_id: ROOM }],
  ["/joined_members", { joined: {} }],
  ["/media/config", { "m.upload.size": 1_000_000 }],
  ["/media/v3/config", { "m.upload.size": 1_000_000 }],
  ["/media/v3/upload", { content_uri: "mxc://a/up" }],
  ["/media/download/", "content"],
  ["/send/", { event_id: "$sent" }],
];

// The poll of /sync, and everything else.
describeProxied(2, async (Proxy) => {
  const { url, say } = await homeserver();
  const settings = matrixSettings({ Server: url, Token: "t", Proxy });
  const host = new RecordingHost();
  const opened = await open({ settings, host, since: "s0" as Cursor, signal: new AbortController().signal });
  if (!opened.ok) throw new Error(opened.ended.why.message);
  const { session } = opened;
  onTestFinished(async () => await session.close(AbortSignal.timeout(1_000)));
  const channel = await joined(session, ROOM);
  return {
    host,
    session,
    channel,
    say: (body) => say({ msgtype: "m.text", body }),
    sendFile: () => say({ msgtype: "m.file", body: "b.txt", url: "mxc://a/b" }),
  };
});
