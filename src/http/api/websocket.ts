import type { Socket } from "node:net";
import type { RawData, WebSocket } from "ws";
import { isUnknown } from "../../log/unknown-outcome.ts";
import { WEBSOCKET_PATH } from "../http-server.ts";
import { errorFrame, greeting } from "./frames.ts";
import type { ApiDeps } from "./deps.ts";
import { parseJsonPost } from "./post-body.ts";

/** Messages of one client that may wait for the disk; it is not read further until some are stored. */
const IN_FLIGHT_MAX = 1024;
/** RFC 6455 §7.4.1: something that was not expected. */
const FAILED = 1011;

/**
 * One WebSocket of an account: greeting, then text frames of JSON both ways. What a client sends is posted like a
 * `POST /api/message` and goes to the account's other sockets as well; a refusal comes back as an error frame. Where
 * it stays unknown whether a message is stored, the socket is closed, and takes no more.
 * `isLive`: without a backlog.
 */
export function serveWebSocket(socket: WebSocket, tcp: Socket, deps: ApiDeps, isLive: boolean): void {
  // Without a listener a protocol error of the peer would be an uncaught exception; the close that follows cleans up.
  socket.on("error", () => undefined);
  let inFlight = 0;
  let isDoubtful = false;
  const take = async (data: RawData, isBinary: boolean): Promise<void> => {
    if (isDoubtful) return;
    inFlight += 1;
    if (inFlight >= IN_FLIGHT_MAX) socket.pause();
    try {
      await receive(socket, data, isBinary, deps);
    } catch (error) {
      isDoubtful ||= isUnknown(error);
      if (isDoubtful) socket.close(FAILED, "it is not known whether the last messages were stored");
      else failed(socket, deps, error);
    }
    inFlight -= 1;
    if (socket.isPaused && inFlight < IN_FLIGHT_MAX) socket.resume();
  };
  socket.on("message", (data, isBinary) => void take(data, isBinary));
  deps.readers.sockets.add(socket, tcp, greeting(deps.nowMs()), isLive);
}

async function receive(socket: WebSocket, data: RawData, isBinary: boolean, deps: ApiDeps): Promise<void> {
  if (isBinary) return refuse(socket, deps, "binary frames are not read; send the message as a text frame of JSON");
  const parsed = parseJsonPost(bytesOf(data));
  if (!parsed.ok) return refuse(socket, deps, parsed.problem.message);
  const outcome = await deps.ingest.post(parsed.draft, null);
  if (!outcome.ok) return refuse(socket, deps, outcome.problem.message);
  if (outcome.stored) deps.readers.sockets.broadcast(outcome.line, socket);
}

function failed(socket: WebSocket, deps: ApiDeps, error: unknown): void {
  deps.onError(error, WEBSOCKET_PATH);
  refuse(socket, deps, "the service failed on this message; see its log");
}

function bytesOf(data: RawData): Buffer {
  if (Array.isArray(data)) return Buffer.concat(data);
  return data instanceof ArrayBuffer ? Buffer.from(data) : data;
}

function refuse(socket: WebSocket, deps: ApiDeps, reason: string): void {
  deps.readers.sockets.send(socket, errorFrame(reason, deps.nowMs()));
}
