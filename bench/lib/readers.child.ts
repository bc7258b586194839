import { once } from "node:events";
import { type ClientRequest, type IncomingMessage, request } from "node:http";
import { connect } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { answerCommands } from "./child.ts";
import { readMarker } from "./marker.ts";
import type { ReaderCommand, ReaderReport } from "./readers.ts";
import { Durations, monotonic } from "./stats.ts";

const NEWLINE = 10;

/** What all readers have had since the last reset. */
const tally = { first: 0, last: 0, ended: 0, doubled: 0, delays: new Durations(), since: process.cpuUsage() };

/** Reads one stream: counts lines, and in the exact kind looks into each. */
class Reader {
  messages = 0;
  readonly #request: ClientRequest;
  readonly #seen: Set<number> | null;
  readonly #greeting = Promise.withResolvers<void>();
  #greeted = false;
  #from = 0;
  #rest = "";

  constructor(port: number, exact: boolean) {
    this.#seen = exact ? new Set() : null;
    this.#request = request({ host: "127.0.0.1", port, path: "/api/stream", agent: false });
    this.#request.on("response", (response) => {
      this.#read(response);
    });
    this.#request.on("error", this.#greeting.reject);
    this.#request.end();
  }

  /** Resolves once the stream has begun. */
  get greeting(): Promise<void> {
    return this.#greeting.promise;
  }

  reset(from: number): void {
    this.messages = 0;
    this.#seen?.clear();
    this.#from = from;
  }

  #read(response: IncomingMessage): void {
    if (response.statusCode !== 200) this.#greeting.reject(new Error(`GET /api/stream: ${response.statusCode}`));
    response.on("data", (chunk: Buffer) => {
      const came = this.#seen === null ? count(chunk) - (this.#greeted ? 0 : 1) : this.#readLines(chunk, this.#seen);
      this.#greeted = true;
      this.#greeting.resolve();
      this.messages += came;
      if (came === 0) return;
      tally.last = monotonic();
      tally.first ||= tally.last;
    });
    response.on("close", () => {
      tally.ended += 1;
    });
    // The server is stopped while readers are still there; what is missing then shows in the counts.
    response.on("error", () => {});
  }

  #readLines(chunk: Buffer, seen: Set<number>): number {
    const lines = (this.#rest + chunk.toString("latin1")).split("\n");
    this.#rest = lines.pop() ?? "";
    const now = monotonic();
    let came = 0;
    for (const line of lines) {
      const marker = readMarker(line.trimStart());
      if (marker === null || marker.number < this.#from) continue;
      came += 1;
      if (seen.has(marker.number)) tally.doubled += 1;
      seen.add(marker.number);
      tally.delays.record(now - marker.ms);
    }
    return came;
  }
}

function count(chunk: Buffer): number {
  let lines = 0;
  for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, at + 1)) lines += 1;
  return lines;
}

const readers: Reader[] = [];

async function open(port: number, wanted: number, exact: boolean): Promise<void> {
  // In groups: a thousand connections at once would run over the listen queue.
  for (let opened = 0; opened < wanted; opened += 100) {
    const group = Array.from({ length: Math.min(100, wanted - opened) }, () => new Reader(port, exact));
    readers.push(...group);
    await Promise.all(group.map((reader) => reader.greeting));
  }
}

async function openStuck(port: number): Promise<void> {
  const socket = connect({ host: "127.0.0.1", port });
  socket.pause();
  socket.on("error", () => {});
  await once(socket, "connect");
  socket.write(`GET /api/stream HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n\r\n`);
}

/** Until every reader has so many messages, or nothing has come for `quiet` ms. */
async function arrivals(messages: number, quiet: number): Promise<void> {
  let begin = monotonic();
  while (readers.some((reader) => reader.messages < messages)) {
    begin = Math.max(begin, tally.last);
    if (monotonic() - begin > quiet) return;
    await delay(20);
  }
}

function reset(from: number): void {
  for (const reader of readers) reader.reset(from);
  Object.assign(tally, { first: 0, last: 0, doubled: 0, delays: new Durations(), since: process.cpuUsage() });
}

function report(): ReaderReport {
  const messages = readers.map((reader) => reader.messages);
  const seconds = (tally.last - tally.first) / 1000;
  const cpu = process.cpuUsage(tally.since);
  return {
    readers: readers.length,
    ended: tally.ended,
    fewest: messages.reduce((least, had) => Math.min(least, had), Infinity),
    most: messages.reduce((most, had) => Math.max(most, had), 0),
    doubled: tally.doubled,
    seconds,
    delay: tally.delays.percentiles(),
    cpu: (cpu.user + cpu.system) / 1e6 / seconds,
  };
}

answerCommands(async (asked) => {
  const command = asked as ReaderCommand;
  switch (command.do) {
    case "open":
      await open(command.port, command.count, command.exact);
      break;
    case "open-stuck":
      await openStuck(command.port);
      break;
    case "await":
      await arrivals(command.messages, command.quiet);
      break;
    case "reset":
      reset(command.from);
      break;
  }
  return report();
});
