import type { Message } from "../../contract/message.ts";
import { encode } from "../../gateway/codec.ts";

/**
 * A message of the service itself, as one line of JSON: all keys of a message, because clients read every object as
 * one.
 */
function serviceFrame(event: string, text: string, nowMs: number): string {
  const message: Message = {
    text,
    channel: "",
    username: "",
    userid: "",
    avatar: "",
    account: "",
    event,
    protocol: "",
    gateway: "",
    parent_id: "",
    timestamp: new Date(nowMs).toISOString(),
    id: "",
    Extra: null,
  };
  return encode(message);
}

/** The first object of every stream and WebSocket. */
export const greeting = (nowMs: number): string => serviceFrame("api_connected", "", nowMs);

/** Why a WebSocket client's message was refused. */
export const errorFrame = (reason: string, nowMs: number): string => serviceFrame("api_error", reason, nowMs);
