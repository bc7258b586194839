import { EventEmitter } from "node:events";
import { expect, test } from "vitest";
import type { WebSocket } from "ws";
import type { ApiDeps } from "./routes.ts";
import { serveWebSocket } from "./websocket.ts";

test("a failure while a message is taken in is reported, and the client told", async () => {
  const failure = new Error("cannot be");
  const reported: unknown[] = [];
  const told = Promise.withResolvers<string>();
  const socket = Object.assign(new EventEmitter(), { send: told.resolve });
  const deps = {
    readers: { sockets: { add: () => undefined } },
    ingest: { post: () => Promise.reject(failure) },
    nowMs: () => 0,
    onError: (...report: unknown[]) => reported.push(report),
  };
  serveWebSocket(socket as unknown as WebSocket, deps as unknown as ApiDeps);
  socket.emit("message", Buffer.from('{"text":"x"}'), false);
  expect(await told.promise).toMatch(/"text":"the service failed on this message/);
  expect(reported).toEqual([[failure, "/api/websocket"]]);
});
