import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { answerCommands } from "./child.ts";
import type { FloodPlan, FloodReport } from "./flood.ts";
import { markerIn, stamp } from "./marker.ts";
import { monotonic } from "./stats.ts";

/** Frames written at once. */
const BATCH = 64;

/** A client's text frame with a mask of zeros: the payload stands in it as it is. */
function frame(payload: Buffer): Buffer {
  const head = payload.length < 126 ? Buffer.from([0x81, 0x80 | payload.length]) : Buffer.from([0x81, 0xfe, 0, 0]);
  if (payload.length >= 126) head.writeUInt16BE(payload.length, 2);
  return Buffer.concat([head, Buffer.alloc(4), payload]);
}

async function open(port: number): Promise<Socket> {
  const socket = connect({ host: "127.0.0.1", port, noDelay: true });
  await once(socket, "connect");
  socket.write(
    `GET /api/websocket HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n` +
      `Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${randomBytes(16).toString("base64")}\r\n\r\n`,
  );
  const [answer] = (await once(socket, "data")) as [Buffer];
  if (!answer.toString("latin1").startsWith("HTTP/1.1 101"))
    throw new Error(`no WebSocket: ${answer.toString("utf8")}`);
  // Pings go unanswered; a flood is over before that counts.
  socket.resume();
  return socket;
}

async function flood({ port, body, messages, firstNumber }: FloodPlan): Promise<FloodReport> {
  const socket = await open(port);
  const one = frame(Buffer.from(body));
  const marker = markerIn(one);
  const begin = monotonic();
  for (let sent = 0; sent < messages; sent += BATCH) {
    const frames = Array.from({ length: Math.min(BATCH, messages - sent) }, (_, index) => {
      stamp(one, marker, firstNumber + sent + index, monotonic());
      return Buffer.from(one);
    });
    if (!socket.write(Buffer.concat(frames))) await once(socket, "drain");
  }
  const seconds = (monotonic() - begin) / 1000;
  // Left open, it would be sent the messages of the next flood.
  socket.end();
  await once(socket, "close");
  return { accepted: messages, seconds };
}

answerCommands((command) => flood(command as FloodPlan));
