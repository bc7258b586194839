import { connect, type Socket } from "node:net";
import { ATTACKED, type Case, over, repeat, type Scene } from "./case.ts";

const BODY_BYTES = 15 * 1000 * 1000;

/** Each sends all of a body but its last byte. */
async function unfinishedBodies(count: number, scene: Scene): Promise<void> {
  const part = Buffer.alloc(64 * 1024, "x");
  const send = (): Socket => {
    const socket = connect({ host: "127.0.0.1", port: scene.port });
    let left = BODY_BYTES - 1;
    const more = (): void => {
      while (left > 0) {
        const bytes = part.subarray(0, left);
        left -= bytes.length;
        if (!socket.write(bytes)) return;
      }
    };
    socket.on("error", () => undefined).on("drain", more);
    socket.write(
      `POST /v1/gateways/${ATTACKED.gateway}/messages HTTP/1.1\r\nHost: 127.0.0.1:${scene.port}\r\n` +
        `Content-Type: application/json\r\nContent-Length: ${BODY_BYTES}\r\n\r\n`,
    );
    more();
    return socket;
  };
  const sockets = Array.from({ length: count }, send);
  await over(scene);
  for (const socket of sockets) socket.destroy();
}

/** What costs without any right. */
export const requestCases: readonly Case[] = [
  { name: "bodies-60", attack: async (scene) => await unfinishedBodies(scene.smoke ? 6 : 60, scene) },
  { name: "docs-32", attack: async (scene) => await repeat(32, scene, () => scene.ask("/v1/docs")) },
  { name: "openapi-32", attack: async (scene) => await repeat(32, scene, () => scene.ask("/v1/openapi.json")) },
];
