import { RecordingHost } from "../../../test/contract/recording-host.ts";
import { FakeClock } from "../../../test/support/fake-clock.ts";
import { type ChannelRef, type Cursor, mint } from "../../contract/ids.ts";
import type { Json } from "../kit/json.ts";
import { inWords } from "./event-words.suite.ts";
import { CREW, saidBy } from "./message.suite.ts";
import { TelegramPeople } from "./people.ts";
import { TelegramPositions } from "./positions.ts";
import { TelegramTimeline } from "./timeline.ts";

const TOWN: ChannelRef = mint("ChannelRef", "-1001");
const TOPIC: ChannelRef = mint("ChannelRef", "-1001/3");
const DOCK: ChannelRef = mint("ChannelRef", "-1003");
export const HARBOUR = { id: -1_003, type: "supergroup", title: "Dock" };
/** … before it was a supergroup. */
export const OLD = { id: -50, type: "group", title: "Dock" };

/** A timeline in two chats, one of them with a topic, and time that stands still. */
export function stage({
  picture = Promise.resolve(null),
  since = null,
}: { picture?: Promise<null>; since?: Cursor | null } = {}) {
  const clock = new FakeClock();
  const host = new RecordingHost(clock);
  const positions = new TelegramPositions(since);
  const moves: string[] = [];
  const others: string[] = [];
  const api = {
    picture: async () => ({ ok: true, value: await picture }) as const,
    call: async () => await Promise.resolve({ ok: true, value: [{ emoji: "🦀" }] } as const),
  };
  const settings = { UseFirstName: true, UseFullName: false };
  const timeline = new TelegramTimeline({
    api,
    host,
    me: { id: 1 },
    positions,
    places: {
      refOf: (chat, topic) => {
        if (isDock(chat)) return DOCK;
        return chat !== CREW.id ? null : topic === null ? TOWN : topic === 3 ? TOPIC : null;
      },
      refsOf: (chat) => (isDock(chat) ? [DOCK] : chat === CREW.id ? [TOWN, TOPIC] : []),
      isJoined: (chat) => chat === CREW.id,
    },
    people: new TelegramPeople({ api, clock, settings }),
    stickersAsPng: false,
    onMoved: (from, to) => moves.push(`${from} ${to}`),
    onOther: (update) => others.push(Object.keys(update).join(" ")),
  });
  const told = (): readonly string[] => host.events.map(inWords);
  return { clock, host, positions, moves, others, timeline, told };
}

const isDock = (chat: number): boolean => chat === HARBOUR.id || chat === OLD.id;

let last = 100;

/** The number of an update, each higher than the one before. */
export const nextUpdate = (): number => (last += 1);
export const lastUpdate = (): number => last;

export const message = (more: Json, kind = "message"): Json => ({ update_id: nextUpdate(), [kind]: saidBy(more) });
