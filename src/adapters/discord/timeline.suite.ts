import type { APIMessage } from "discord-api-types/v10";
import { RecordingHost } from "../../../test/contract/recording-host.ts";
import { FakeClock } from "../../../test/support/fake-clock.ts";
import type { Cursor } from "../../contract/ids.ts";
import { parsed } from "../kit/json.ts";
import type { DiscordPage } from "./api.ts";
import { rawMessage } from "./message.suite.ts";
import { discordMessageIn, firstIdAt } from "./model.ts";
import { OwnMessages } from "./own-messages.ts";
import { DiscordPeople } from "./people.ts";
import { DiscordPositions } from "./positions.ts";
import type { DiscordChannel } from "./records.ts";
import type { DiscordFailure, DiscordResult } from "./rest-result.ts";
import { DISCORD_API } from "./settings.ts";
import { DiscordTimeline } from "./timeline.ts";

/** An id of the first of May 2024, so many seconds after noon. */
export const id = (seconds: number): string => firstIdAt(Date.UTC(2024, 4, 1, 12, 0, seconds));

const BROKEN: DiscordFailure = {
  why: "refused",
  status: 503,
  code: 0,
  message: "HTTP 503",
  certain: true,
  retryAfterMs: null,
  scope: null,
};

export function timelineOf(since: object | null, { resumed = false, clock = new FakeClock() } = {}) {
  const host = new RecordingHost(clock);
  const positions = new DiscordPositions(since === null ? null : (JSON.stringify(since) as Cursor));
  /** What channels have, newest first; null: the network answers with a failure. Its answer waits for `until`. */
  const history = { of: new Map<string, readonly APIMessage[] | null>(), until: Promise.resolve(), asked: 0 };
  const found = async <T>(value: T): Promise<DiscordResult<T>> => await Promise.resolve({ ok: true, value });
  const threads: DiscordChannel[] = [];
  const page = async (channel: string): Promise<DiscordResult<DiscordPage>> => {
    history.asked += 1;
    await history.until;
    const rows = history.of.get(channel) ?? [];
    if (history.of.get(channel) === null) return { ok: false, failure: BROKEN };
    const messages = rows.flatMap((row) => discordMessageIn(row) ?? []).toReversed();
    return await found({ messages, isFull: rows.length >= 100 });
  };
  const api: ConstructorParameters<typeof DiscordTimeline>[0]["api"] = {
    messages: async (channel) => {
      const answer = await page(channel);
      return answer.ok ? { ok: true, value: answer.value.messages } : answer;
    },
    page,
    message: async () => await Promise.resolve({ ok: false, failure: { ...BROKEN, status: 404 } }),
    activeThreads: async () => await found(threads),
    archivedThreads: async () => await found([]),
  };
  const settings = { ApiURL: DISCORD_API, ShowEmbeds: false, UseUserName: false, UseDiscriminator: false };
  const people = new DiscordPeople({
    api: { member: async () => ({ ok: false, failure: BROKEN }), membersNamed: async () => await found([]) },
    clock,
    settings,
    guild: "1",
  });
  const full: boolean[] = [];
  const timeline = new DiscordTimeline({
    host,
    api,
    positions,
    people,
    own: new OwnMessages({ me: "me", application: "me" }),
    settings,
    files: { note: () => undefined },
    me: "me",
    guild: "1",
    names: { channel: () => null, role: () => null, parentOf: () => null, hidden: () => null },
    resumed,
    membersIntent: true,
    onFull: (is) => full.push(is),
  });
  const enter = (channel: string, lastMessage = ""): void =>
    timeline.enter({ id: channel, lastMessage, topic: "", isThread: false });
  return { threads, host, clock, positions, timeline, history, full, enter };
}

export const ready = (session: string) => ({
  type: "READY",
  data: { session_id: session, resume_gateway_url: "wss://gateway" },
  seq: 1,
});

export const said = (seq: number, content: string, given: Partial<APIMessage> = {}) => ({
  type: "MESSAGE_CREATE",
  data: { ...rawMessage({ id: id(seq), content, ...given }) },
  seq,
});

export const texts = ({ posted }: RecordingHost): readonly string[] => posted.map(({ body }) => body.source.text);

export const lastCursor = ({ cursors }: RecordingHost): unknown => parsed(cursors.at(-1) ?? "");
