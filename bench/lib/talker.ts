import { setTimeout as delay } from "node:timers/promises";

/** Something that came in a room, at the end of a talker. */
export interface Heard {
  /** As `TalkerOptions.rooms` has it. */
  readonly room: string;
  readonly kind: "message" | "edit" | "reaction";
  readonly text: string;
}

export interface TalkerOptions {
  /** Rooms to be in, by their bare names, which are made where that is needed. */
  readonly rooms: readonly string[];
  readonly nick: string;
  /** Called for what others say. */
  readonly heard: (what: Heard) => void;
}

/** Somebody on a network whose own client costs next to nothing: what is measured is the servers, and Rialto. */
export interface Talker {
  /** Resolves once it is handed to the network; on Matrix, once the server has it. */
  readonly say: (room: string, text: string) => Promise<void>;
  readonly stop: () => Promise<void>;
}

/** Resolves once it is so. Rejects when that takes too long: no benchmark hangs. */
export async function soon(what: string, is: () => boolean, ms = 60_000): Promise<void> {
  for (const begin = performance.now(); !is(); await delay(5)) {
    if (performance.now() - begin > ms) throw new Error(`waited ${ms} ms for ${what}`);
  }
}
