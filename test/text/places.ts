import { charsetOf } from "../../src/adapters/irc/wire/charset.ts";
import { adapter as irc } from "../../src/adapters/irc/index.ts";
import { renderPost as renderIrc } from "../../src/adapters/irc/render.ts";
import { adapter as matrix } from "../../src/adapters/matrix/index.ts";
import { renderPost as renderMatrix } from "../../src/adapters/matrix/render.ts";
import { adapter as mattermost } from "../../src/adapters/mattermost/index.ts";
import { renderPost as renderMattermost } from "../../src/adapters/mattermost/render.ts";
import { adapter as xmpp } from "../../src/adapters/xmpp/index.ts";
import { renderPost as renderXmpp } from "../../src/adapters/xmpp/render.ts";
import type { Account } from "../../src/config/config.ts";
import type { Source } from "../../src/contract/content.ts";
import type { Author } from "../../src/contract/events.ts";
import type { ChannelRef, EventKey, MessageRef, UserRef } from "../../src/contract/ids.ts";
import type { PostDraft } from "../../src/contract/ops.ts";
import { parse } from "../../src/content/formats.ts";
import { decodeStored, encode, encodeStored } from "../../src/gateway/codec.ts";
import { compileInbound } from "../../src/gateway/inbound.ts";
import { compilePlan } from "../../src/gateway/plan.ts";
import { compileNormalizer } from "../../src/gateway/normalize.ts";
import { aMessage, anAccount } from "../../src/gateway/samples.suite.ts";
import { compileView } from "../../src/gateway/view.ts";

/**
 * One text on its way from any place to every other, as far as it needs no network: the log's entry, the plan, and what
 * each adapter would send.
 */

export type Origin = "markdown" | "plain" | "irc" | "xmpp" | "matrix" | "mattermost";

/** What people and programs are shown. */
export interface Shown {
  /** Its lines. */
  readonly irc: string;
  readonly xmpp: string;
  /** XMPP's readers are told that nothing in it is formatting. */
  readonly unstyled: boolean;
  readonly body: string;
  /** Null: `body` says it all. */
  readonly html: string | null;
  readonly mattermost: string;
  /** To an account of the API with `TextFormat = "plain"`, and with `"markdown"`. */
  readonly plain: string;
  readonly markdown: string;
}

const quiet = { remoteNickFormat: "" };
const api = (name: string, TextFormat: string): Account => ({ ...anAccount(`api.${name}`), settings: { TextFormat } });
const POSTERS = { plain: api("plain", "plain"), markdown: api("markdown", "markdown") };
const NETWORKS = {
  irc: anAccount("irc.a"),
  xmpp: anAccount("xmpp.a"),
  matrix: anAccount("matrix.a"),
  mattermost: anAccount("mattermost.a"),
};
const FORMATS = { irc: "irc", xmpp: "styling", matrix: "html", mattermost: "mattermost" };
const all = new Map([...Object.values(POSTERS), ...Object.values(NETWORKS)].map((account) => [account.key, account]));
const plans = {
  irc: compilePlan(anAccount("irc.z", quiet), all, irc.capabilities),
  xmpp: compilePlan(anAccount("xmpp.z", quiet), all, xmpp.capabilities),
  matrix: compilePlan(anAccount("matrix.z", quiet), all, matrix.capabilities),
  mattermost: compilePlan(anAccount("mattermost.z", quiet), all, mattermost.capabilities),
};
const readers = { plain: compileView(POSTERS.plain, all), markdown: compileView(POSTERS.markdown, all) };
const author: Author = { id: "u" as UserRef, name: "u", identity: null, avatar: null };

/** Null: nothing of it goes any further, because there is nothing to say. */
export function cross(text: string, from: Origin): Shown | null {
  const payload = from === "plain" || from === "markdown" ? posted(text, from) : heard(text, from);
  if (payload === null) return null;
  const { key } = from === "plain" || from === "markdown" ? POSTERS[from] : NETWORKS[from];
  const line = (view: typeof readers.plain): string =>
    (JSON.parse(view.line({ seq: 1, account: key, payload }, "main")) as { readonly text: string }).text;
  const parts = renderXmpp(draftOf(payload, "xmpp"), { textMax: 100_000, resume: null });
  const [content] = matrixOf(draftOf(payload, "matrix"));
  return {
    irc: ircOf(draftOf(payload, "irc")),
    xmpp: parts.map((part) => (part.is === "text" ? part.text : "")).join("\n"),
    unstyled: parts.some((part) => part.is === "text" && part.unstyled),
    body: typeof content?.["body"] === "string" ? content["body"] : "",
    html: typeof content?.["formatted_body"] === "string" ? content["formatted_body"] : null,
    mattermost: mattermostOf(draftOf(payload, "mattermost")),
    plain: line(readers.plain),
    markdown: line(readers.markdown),
  };
}

function posted(text: string, from: keyof typeof POSTERS): string | null {
  const account = POSTERS[from];
  const message = aMessage({ text, account: account.name, protocol: "api", channel: "api", gateway: "main" });
  const verdict = compileInbound(account)(message);
  return verdict.is === "pass" ? encode(verdict.message) : null;
}

function heard(text: string, from: keyof typeof NETWORKS): string | null {
  const account = NETWORKS[from];
  const source: Source = { format: FORMATS[from], text };
  const body = { style: "normal" as const, source, blocks: parse(source.format, text), files: [] };
  const recorded = compileNormalizer(account, compileInbound(account)).normalize(
    {
      kind: "posted",
      key: "k" as EventKey,
      channel: "#c" as ChannelRef,
      atMs: 0,
      echoOf: null,
      messages: ["m" as MessageRef],
      author,
      body,
      replyTo: null,
      thread: null,
    },
    "#c",
    1,
    [],
  );
  return recorded.is === "entry" ? recorded.entry.payload : null;
}

function draftOf(payload: string, to: keyof typeof plans): PostDraft {
  const planned = plans[to].op(decodeStored(encodeStored(decodeStored(payload))), "main", {
    about: [],
    thread: [],
    ageMs: null,
    standing: [],
    line: null,
    quoting: [],
    answers: [],
    together: [],
    files: [],
    avatar: null,
    without: [],
    limits: {},
  });
  if (planned.is !== "op" || planned.op.kind !== "post") throw new Error("not a post");
  return planned.op;
}

function ircOf(draft: PostDraft): string {
  const charset = charsetOf("utf-8");
  if (charset === null) throw new Error("there is no UTF-8");
  const options = { colorNicks: false, stripMarkdown: false, messageLines: 10_000, lineBytes: 100_000 };
  return renderIrc(draft, { ...options, textBytes: 100_000, charset, resume: null, rest: null })
    .lines.map((line) => line.text)
    .join("\n");
}

function mattermostOf(draft: PostDraft): string {
  const { parts } = renderMattermost(draft, { textMax: 100_000, prefix: false, names: new Set(), files: [] });
  return parts.map(({ message }) => message).join("\n");
}

function matrixOf(draft: PostDraft): readonly Readonly<Record<string, unknown>>[] {
  const options = {
    textIdentity: { is: "own" },
    html: true,
    mayPing: draft.mayPing,
    find: () => null,
    resume: null,
  } as const;
  return renderMatrix(draft, options).parts.flatMap((part) => (part.is === "text" ? [part.content] : []));
}
