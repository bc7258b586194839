import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { type WebSocket, WebSocketServer } from "ws";
import { type DiscordEvent, DiscordShard, type ShardEnd } from "../../../src/adapters/discord/shard.ts";
import { within } from "../../support/wait.ts";
import type { Random } from "../random.ts";
import type { Case, Target } from "../target.ts";
import { text } from "../text.ts";
import { body, payload } from "./discord-records.ts";

const READY = { session_id: "s1", resume_gateway_url: "wss://gateway.example", user: { id: "1" }, guilds: [] };

let server: Promise<WebSocketServer> | null = null;

/** One for all inputs; the process ends in spite of it. */
async function listening(): Promise<WebSocketServer> {
  const made = new WebSocketServer({ host: "127.0.0.1", port: 0 });
  await once(made, "listening");
  const inner = Reflect.get(made, "_server") as { unref(): void };
  inner.unref();
  return made;
}

function strange(random: Random): string | Buffer {
  if (random.chance(0.1)) return Buffer.from(text(random));
  if (random.chance(0.2))
    return body(random, { op: 10, d: { heartbeat_interval: random.pick([41_250, 0, -1, 1e300, "x"]) } });
  if (random.chance(0.2)) return body(random, { op: 0, t: "READY", s: 1, d: READY });
  if (random.chance(0.1)) return JSON.stringify({ op: random.pick([7, 9]), d: random.pick([true, false, null]) });
  return payload(random);
}

/** Whatever the server says, it ends with the connection at the latest, and nothing of it comes afterwards. */
async function follow(frames: readonly (string | Buffer)[], begins: boolean): Promise<void> {
  const at = await (server ??= listening());
  const { port } = at.address() as AddressInfo;
  const events: DiscordEvent[] = [];
  const end = Promise.withResolvers<ShardEnd>();
  let ends = 0;
  const came = once(at, "connection") as Promise<[WebSocket]>;
  const shard = new DiscordShard({
    url: `ws://127.0.0.1:${port}`,
    version: "10",
    token: "t0ken",
    intents: 1,
    from: begins ? null : { session: "s1", url: `ws://127.0.0.1:${port}`, seq: 1 },
    onEvent: (event) => events.push(event),
    onHeard: () => undefined,
    onEnd: (how) => {
      ends += 1;
      end.resolve(how);
    },
  });
  shard.open();
  const [socket] = await came;
  socket.on("error", () => undefined);
  for (const frame of frames) socket.send(frame);
  shard.ask();
  socket.close(4000);
  await within(end.promise, () => "the end");
  const known = events.length;
  shard.end();
  await new Promise((resolve) => setImmediate(resolve));
  if (ends !== 1) throw new Error(`it ended ${ends} times`);
  if (events.length !== known) throw new Error("events come after the end");
  for (const { type, data } of events) {
    if (typeof type !== "string" || typeof data !== "object") throw new Error(`no event: ${JSON.stringify({ type })}`);
  }
}

/** Payloads of the gateway, on a connection. */
export const discordGateway: Target = {
  name: "discord-gateway",
  make: (random): Case => {
    const frames = random.some(12, () => strange(random));
    const begins = random.chance(0.7);
    return { show: () => frames.map(String).join("\n"), run: async () => await follow(frames, begins) };
  },
};
