import { renderPost as renderIrc } from "../../../src/adapters/irc/render.ts";
import { charsetOf } from "../../../src/adapters/irc/wire/charset.ts";
import { adapter as irc } from "../../../src/adapters/irc/index.ts";
import { adapter as matrix } from "../../../src/adapters/matrix/index.ts";
import { adapter as xmpp } from "../../../src/adapters/xmpp/index.ts";
import { renderPost as renderMatrix } from "../../../src/adapters/matrix/render.ts";
import { renderPost as renderXmpp } from "../../../src/adapters/xmpp/render.ts";
import type { Event } from "../../../src/contract/events.ts";
import type { MessageRef } from "../../../src/contract/ids.ts";
import type { PostDraft } from "../../../src/contract/ops.ts";
import type { RoomLimits } from "../../../src/contract/session.ts";
import { compileInbound } from "../../../src/gateway/inbound.ts";
import { decodeStored, encodeStored, type Stored } from "../../../src/gateway/codec.ts";
import { compilePlan } from "../../../src/gateway/plan.ts";
import type { Here } from "../../../src/gateway/planned.ts";
import { compileNormalizer } from "../../../src/gateway/normalize.ts";
import { anAccount } from "../../../src/gateway/samples.suite.ts";
import { compileView } from "../../../src/gateway/view.ts";
import type { Known } from "../../../src/log/log.ts";

const NOW = Date.UTC(2026, 0, 2);
const REFS = ["r1", "r2"] as unknown as readonly MessageRef[];
const TIGHT: RoomLimits = { textMax: 20, fileBytesMax: 1, editWithinMs: 1_000, reactions: ["❤"] };
const utf8 = charsetOf("utf-8");

const account = anAccount("net.here", {
  extractNicks: [["net.here", "<(\\S+)>"]],
  ignoreNicks: ["^bot$"],
  replaceMessages: [["cat", "dog"]],
  showJoinPart: true,
  showTopicChange: true,
  syncTopic: true,
});
const record = compileNormalizer(account, compileInbound(account));

const TALKATIVE = {
  editFallback: "whole",
  deleteFallback: "note",
  reactionFallback: "line",
  showJoinPart: true,
  showTopicChange: true,
  remoteNickFormat: "[{PROTOCOL}/{LABEL}] <{NICK}> ",
} as const;
const destinations = [irc, xmpp, matrix].map(({ capabilities, manifest }) => {
  const there = anAccount(`${manifest.protocol}.there`, TALKATIVE);
  return compilePlan(there, new Map([account, there].map((each) => [each.key, each])), capabilities);
});
const api = compileView(anAccount("api.there", TALKATIVE), new Map([[account.key, account]]));

const known: Known = {
  seq: 7,
  subject: "net.here/#room",
  at: NOW - 60_000,
  author: JSON.stringify(["bob", null]),
  name: "bob",
  excerpt: "what it said",
  gone: false,
};

/** Takes what an adapter told the whole way to every network, as far as nothing has to be sent. */
export function cross(events: readonly Event[]): void {
  for (const event of events) {
    const asked = record.lookups(event, "#room");
    for (const answers of [asked.map(() => null), asked.map(() => known)]) {
      const recorded = record.normalize(event, "#room", NOW, answers);
      if (recorded.is === "entry") deliver(decodeStored(recorded.entry.payload));
    }
  }
}

/** A stored message at every network, as if it knew the message it is about, and as if not. */
export function deliver(stored: Stored): void {
  if (api.admits(stored.message.event))
    api.line({ seq: 1, account: account.key, payload: encodeStored(stored) }, "main");
  for (const plan of destinations) {
    for (const [refs, limits] of [
      [[], {}],
      [REFS, {}],
      [REFS, TIGHT],
    ] as const) {
      const needs = plan.needs(stored, { without: [], limits });
      const here: Here = {
        about: refs,
        thread: refs,
        ageMs: 60_000,
        standing: [{ emoji: "👍", names: ["bob"] }],
        line: refs,
        quoting: [],
        answers: [],
        together: [],
        files: needs.files.map((file) => ({
          name: file?.name ?? "a",
          comment: "c",
          mime: null,
          bytes: null,
          url: "https://e.example/a",
          id: null,
          missing: "it is gone",
        })),
        avatar: null,
        without: [],
        limits,
      };
      const planned = plan.op(stored, "main", here);
      if (planned.is === "op" && (planned.op.kind === "post" || planned.op.kind === "edit")) write(planned.op);
    }
  }
}

function write(draft: PostDraft): void {
  if (utf8 === null) throw new Error("there is no UTF-8");
  const lines = renderIrc(draft, {
    colorNicks: true,
    stripMarkdown: false,
    messageLines: 20,
    lineBytes: 400,
    textBytes: 512,
    charset: utf8,
    resume: null,
    rest: null,
  });
  for (const { text } of lines.lines) {
    if (/[\r\n\0]/u.test(text)) throw new Error(`a line holds the end of a line: ${JSON.stringify(text)}`);
  }
  renderXmpp(draft, { textMax: 2_000, resume: null });
  const find = (name: string): string | null => (name === "alice" ? "@alice:e.example" : null);
  renderMatrix(draft, { textIdentity: { is: "prefix" }, html: true, mayPing: draft.mayPing, find, resume: null });
}
