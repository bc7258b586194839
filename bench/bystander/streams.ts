import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { ATTACKED, type Case, over, repeat, type Scene } from "./case.ts";

const BACKLOG = 40_000;
/** So many connections at once: more would run over the listen queue. */
const GROUP = 50;

interface Streams {
  readonly count: number;
  readonly reads: boolean;
  readonly token: string;
}

async function openStreams({ count, reads, token }: Streams, scene: Scene): Promise<void> {
  const { port, signal } = scene;
  const sockets: Socket[] = [];
  for (let opened = 0; opened < count && !signal.aborted; opened += GROUP) {
    const group = Array.from({ length: Math.min(GROUP, count - opened) }, async () => {
      const socket = connect({ host: "127.0.0.1", port });
      socket.on("error", () => undefined);
      sockets.push(socket);
      await Promise.race([once(socket, "connect"), once(socket, "close")]);
      socket.write(
        `GET /v1/events?after=0&mine=true HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAuthorization: Bearer ${token}\r\n\r\n`,
      );
      if (reads) socket.resume();
      else socket.pause();
    });
    await Promise.all(group);
  }
  await over(scene);
  for (const socket of sockets) socket.destroy();
}

const streams = (count: number, reads: boolean): Case => ({
  name: `streams-${count}-${reads ? "fast" : "stuck"}`,
  backlog: BACKLOG,
  prepare: async ({ token }) => [await token("read")],
  attack: async (scene, [token = ""]) => await openStreams({ count: scene.smoke ? 5 : count, reads, token }, scene),
});

const searches = (count: number): Case => ({
  name: `search-${count}`,
  backlog: BACKLOG,
  general: "Search = true",
  prepare: async ({ token }) => [await token("read")],
  attack: async (scene, [token = ""]) => {
    const path = `/v1/gateways/${ATTACKED.gateway}/history?q=aaaa&from=nobody`;
    await repeat(count, scene, () => scene.ask(path, { token }));
  },
});

/** What reads much of the log: streams that begin at its start, and searches. */
export const streamCases: readonly Case[] = [
  ...[20, 100, 400].map((count) => streams(count, false)),
  ...[20, 100, 400].map((count) => streams(count, true)),
  ...[1, 8, 32].map(searches),
];
