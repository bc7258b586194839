import type { Account } from "../config/config.ts";
import type { Capabilities } from "../contract/capabilities.ts";
import type { Body, Source, Style } from "../contract/content.ts";
import { EventLabel, type Message } from "../contract/message.ts";
import type { MayPing, OpAuthor, PostDraft } from "../contract/ops.ts";
import { readSource } from "../content/formats.ts";
import { shownName } from "../content/shown-name.ts";
import type { About, Stored } from "./codec.ts";
import { composed, type Wording } from "./fallback.ts";
import { hiddenCaptions, sharedFiles, sharedPicture } from "./plan-files.ts";
import type { Here } from "./planned.ts";
import { textFormat } from "./posted.ts";
import { type compileView, nickOf } from "./view.ts";

/** What holds for all entries at one destination account. */
export interface PlanScene {
  readonly destination: Account;
  readonly accounts: ReadonlyMap<string, Account>;
  readonly capabilities: Capabilities;
  readonly mayPing: MayPing;
  readonly words: Wording;
  readonly view: ReturnType<typeof compileView>;
}

/** One entry at one destination. */
export interface PlanCase {
  readonly stored: Stored;
  readonly gateway: string;
  readonly here: Here;
}

/** The message as the destination gets it. */
export function draftOf(at: PlanCase, scene: PlanScene): PostDraft {
  const { stored, here } = at;
  const { message } = stored;
  const { source, blocks } = readSource(stored.source ?? { format: formatOf(message, scene), text: message.text });
  const files = sharedFiles(message, here, scene.capabilities);
  const said: Body = { style: styleOf(message, scene), source, blocks, files };
  const hidden = hiddenCaptions(message, scene.capabilities);
  const body = hidden.length === 0 ? said : composed(said, [...blocks, ...hidden]);
  return { author: authorOf(at, scene), body, reply: null, thread: null, mayPing: scene.mayPing };
}

function styleOf({ event }: Message, { capabilities }: PlanScene): Style {
  const style = STYLES.get(event) ?? "normal";
  return style === "notice" && capabilities.notice === "none" ? "normal" : style;
}

const STYLES: ReadonlyMap<string, Style> = new Map([
  [EventLabel.action, "action"],
  [EventLabel.notice, "notice"],
]);

/** Of a message without a source. */
function formatOf({ protocol, account: name }: Message, { accounts }: PlanScene): Source["format"] {
  const account = accounts.get(name.toLowerCase());
  return protocol === "api" && account !== undefined ? textFormat(account) : "plain";
}

export function authorOf(
  { stored: { message }, gateway, here }: PlanCase,
  { view, capabilities, accounts }: PlanScene,
): OpAuthor {
  const { userid, username, account } = message;
  const name = visibleName(username);
  const { avatar, ...shown } = view.author({ ...message, username: name, userid: shownName(userid) }, gateway);
  const nick = nickOf(accounts.get(account.toLowerCase()), name);
  // A client that gives no id tells people apart by their names.
  return {
    id: userid === "" ? username : userid,
    name,
    ...(nick !== name && { nick }),
    ...shown,
    avatar: sharedPicture(avatar, here, capabilities),
    account: account.toLowerCase(),
  };
}

/** Who is called something is not shown as if nobody spoke. */
const visibleName = (name: string): string => shownName(name) || (name === "" ? "" : "?");

/** Who wrote what is deleted. */
export function writerOf(
  { stored: { message }, gateway }: PlanCase,
  about: About,
  { view, accounts }: PlanScene,
): OpAuthor | null {
  if (about.author === null) return null;
  const { id, account: key } = about.author;
  const account = accounts.get(key)?.name ?? key;
  const protocol = key.slice(0, key.indexOf("."));
  const name = visibleName(about.name);
  const wrote = { ...message, username: name, userid: shownName(id), avatar: "", account, protocol };
  return { id, name, ...view.author(wrote, gateway), avatar: null, account: key };
}
