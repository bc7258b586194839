import { onTestFinished } from "vitest";
import type { Opened, OpenArgs } from "../../src/contract/adapter.ts";
import type { Event } from "../../src/contract/events.ts";
import type { ChannelRef, Cursor } from "../../src/contract/ids.ts";
import type { AnyHandlers, Session } from "../../src/contract/session.ts";
import { eventually } from "../support/wait.ts";
import { RecordingHost } from "./recording-host.ts";

/** One life of an account, without the core: a session that has joined the channel "town". */
export interface Life {
  readonly host: RecordingHost;
  readonly session: Session;
  readonly handlers: AnyHandlers;
  readonly ref: ChannelRef;
}

interface Tried {
  readonly host: RecordingHost;
  readonly opened: Opened;
}

/** What a try begins with: nothing, or the host and the cursor of an earlier life. */
export interface Beginning {
  readonly host?: RecordingHost;
  readonly since?: Cursor | null;
}

/** What an earlier life has left, with what the core knows. */
export function after(before: Pick<Life, "host"> | null): Beginning {
  return before === null ? {} : { host: before.host, since: before.host.cursors.at(-1) ?? null };
}

/** The session is closed with the test. */
export async function tryToOpen<S>(
  open: (args: OpenArgs<S>) => Promise<Opened>,
  settings: S,
  { host = new RecordingHost(), since = null }: Beginning,
): Promise<Tried> {
  const opened = await open({ settings, host, since, signal: new AbortController().signal });
  if (opened.ok) onTestFinished(async () => await opened.session.close(new AbortController().signal));
  return { host, opened };
}

export async function enterTown({ host, opened }: Tried): Promise<Life> {
  if (!opened.ok) throw new Error(opened.ended.why.message);
  const { session } = opened;
  const joined = await session.join({ name: "town", options: {} }, new AbortController().signal);
  if (!joined.ok) throw new Error(joined.why.message);
  return { host, session, handlers: session.handlers, ref: joined.ref };
}

/** It ends as a stop of the program does. */
export async function stop({ session }: Pick<Life, "session">): Promise<void> {
  await session.quiesce();
  await session.close(new AbortController().signal);
}

/** In words: what was handed over, but for ours, and for what the core knows already. */
export function toldBy({ events }: RecordingHost): readonly string[] {
  const keys = new Set<string>();
  return events
    .filter(({ echoOf, key }) => echoOf === null && (key === null || (!keys.has(key) && keys.add(key))))
    .map(inWords);
}

function inWords(event: Event): string {
  switch (event.kind) {
    case "posted":
      return `${event.author.name}: ${event.body.source.text}`;
    case "edited":
      return `${event.author.name} edits: ${event.body.source.text}`;
    case "deleted":
      return "deleted";
    case "reacted":
      return `${event.author.name} ${event.on ? "+" : "-"}${event.emoji}`;
    case "member":
    case "topic":
      return event.text;
  }
}

export async function heard(host: RecordingHost, words: readonly string[]): Promise<void> {
  await until(host, () => toldBy(host).length >= words.length);
}

/** `what`: these words are told, or something else is so. */
export async function until(host: RecordingHost, what: string | (() => boolean)): Promise<void> {
  await eventually(
    async () => await Promise.resolve(typeof what === "string" ? toldBy(host).includes(what) : what()),
    (is) => is,
    () => `${typeof what === "string" ? what : "it"}; had ${JSON.stringify(toldBy(host))}`,
  );
}
