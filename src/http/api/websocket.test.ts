import { EventEmitter } from "node:events";
import { Socket } from "node:net";
import { expect, test } from "vitest";
import type { WebSocket } from "ws";
import type { ApiDeps } from "./deps.ts";
import { serveWebSocket } from "./websocket.ts";

test("a failure while a message is taken in is reported, and the client told", async () => {
  const failure = new Error("cannot be");
  const reported: unknown[] = [];
  const told = Promise.withResolvers<string>();
  const socket = new EventEmitter();
  const send = (_to: unknown, frame: string): void => told.resolve(frame);
  const deps = {
    readers: { sockets: { add: () => undefined, send } },
    ingest: { post: () => Promise.reject(failure) },
    nowMs: () => 0,
    onError: (...report: unknown[]) => reported.push(report),
  };
  serveWebSocket(socket as unknown as WebSocket, new Socket(), deps as unknown as ApiDeps, false);
  socket.emit("message", Buffer.from('{"text":"x"}'), false);
  expect(await told.promise).toMatch(/"text":"the service failed on this message/);
  expect(reported).toEqual([[failure, "/api/websocket"]]);
});

test("a client that posts faster than the disk is not read further until some of it is stored", async () => {
  const calls: string[] = [];
  const socket = Object.assign(new EventEmitter(), {
    isPaused: false,
    pause: () => calls.push("pause"),
    resume: () => calls.push("resume"),
  });
  const posts: (() => void)[] = [];
  const post = () => new Promise((resolve) => posts.push(() => resolve({ ok: true, line: "", stored: false })));
  const deps = {
    readers: { sockets: { add: () => undefined } },
    ingest: { post },
    nowMs: () => 0,
    onError: () => undefined,
  };
  serveWebSocket(socket as unknown as WebSocket, new Socket(), deps as unknown as ApiDeps, false);
  for (let n = 1; n <= 1023; n += 1) socket.emit("message", Buffer.from('{"text":"x"}'), false);
  expect(calls).toEqual([]);
  socket.emit("message", Buffer.from('{"text":"x"}'), false);
  expect(calls).toEqual(["pause"]);
  socket.isPaused = true;
  posts.shift()?.();
  await new Promise((resolve) => setImmediate(resolve));
  expect(calls).toEqual(["pause", "resume"]);
});
