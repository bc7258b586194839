import type { Socket } from "node:net";
import type { WebSocket } from "ws";
import type { BodyBudget, HeldBody } from "./body-budget.ts";

/** Of a frame from a client without its payload, which is at most 125 bytes of a control frame. */
const CONTROL_HEAD = 6;
const TRY_AGAIN_LATER = 1013;

/**
 * Counts what has come of a WebSocket's message that is not whole yet as a body, up to one read of the connection. A
 * socket whose message has no room, or is slow when others need it, is closed.
 */
export function holdMessages(socket: WebSocket, wire: Socket, budget: BodyBudget): void {
  let held: HeldBody | null = null;
  let bytes = 0;
  const release = (): void => {
    held?.release();
    held = null;
    bytes = 0;
  };
  const refuse = (): void => {
    release();
    socket.close(TRY_AGAIN_LATER, "too many messages are coming in at once");
    socket.pause();
    // Who takes nothing does not take the close either, and would hold on to what has come.
    if (wire.writableLength > 0) socket.terminate();
    else wire.destroySoon();
  };
  // Whoever pings in the middle of a message has not ended it.
  const withoutControl = (payload: Buffer): void => {
    bytes -= payload.length + CONTROL_HEAD;
    if (bytes <= 0) release();
  };
  // Before the WebSocket reads it, which ends messages at once.
  wire.prependListener("data", (part: Buffer) => {
    bytes += part.length;
    held ??= budget.hold(0, refuse);
    if (!held.grow(part.length)) refuse();
  });
  socket.on("message", release).on("ping", withoutControl).on("pong", withoutControl).on("close", release);
}
