import { type Child, startChild } from "./child.ts";

/** Messages sent over one WebSocket as fast as the server takes them: more per second than single POSTs can bring. */
export interface FloodPlan {
  readonly port: number;
  /** JSON with a marker in its text, see `messageBody`. */
  readonly body: string;
  readonly messages: number;
  /** Number of the first message. */
  readonly firstNumber: number;
}

export interface FloodReport {
  /** Messages handed to the socket; the server answers none of them. */
  readonly accepted: number;
  readonly seconds: number;
}

/** A WebSocket sender in a process of its own. */
export function startFlood(): Child<FloodPlan, FloodReport> {
  return startChild("flood");
}
