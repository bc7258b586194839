import type { Account } from "../config/config.ts";
import { EventLabel, JOIN_PART, type Message } from "../contract/message.ts";
import type { Seq } from "../log/log.ts";
import { decode, decodeStored, encode, isBare } from "./codec.ts";
import { compileReplacements } from "./filters.ts";
import { fullMessage, hasFullEvents } from "./full-events.ts";
import { compileIconURL, compileNickFormat, stripNick, type NickValues } from "./nick-format.ts";
import { type LinkFor, withLinks } from "./with-links.ts";

/** How one reader account sees messages. */
export interface View {
  /** Whether events with this label reach the reader at all. */
  readonly admits: (event: string) => boolean;
  /** The message as the reader gets it in one gateway: a new object, name and avatar made for this reader, text untouched. */
  readonly show: (message: Message, gateway: string) => Message;
  /**
   * True when `show` changes nothing in any stored message of this source, so that the stored string can be passed on
   * as it is. Only sources that name the gateway themselves (API accounts) can have this.
   */
  readonly verbatim: (accountKey: string) => boolean;
  /** A stored entry as a reader of the API gets it in one gateway: JSON without a newline. */
  readonly line: (entry: ViewedEntry, gateway: string) => string;
}

interface ViewedEntry {
  readonly seq: Seq;
  /** Key of the account it came from. */
  readonly account: string;
  readonly payload: string;
}

/**
 * Compiles the view of one reader; `accounts` are all accounts by key, for what the sources' settings say about names, and `linkFor` gives
 * lines the addresses of files that have none of their own.
 */
export function compileView(
  reader: Account,
  accounts: ReadonlyMap<string, Account>,
  linkFor: LinkFor = () => null,
): View {
  const { remoteNickFormat, stripNick: strips, iconURL } = reader.presentation;
  const nickFormat = compileNickFormat(remoteNickFormat);
  const icon = iconURL === "" ? null : compileIconURL(iconURL);
  const keepsNames = remoteNickFormat === "{NICK}" && !strips && icon === null;
  const isFull = hasFullEvents(reader);

  const view: View = {
    admits: compileAdmits(reader),
    show: (message, gateway) => {
      const source = sourceOf(accounts.get(message.account.toLowerCase()));
      const nick = source.replaceNick(strips ? stripNick(message.username) : message.username);
      const values: NickValues = {
        nick,
        bridge: message.account.slice(message.account.indexOf(".") + 1),
        protocol: message.protocol,
        gateway,
        label: source.label,
        userid: message.userid,
        channel: message.channel,
      };
      const avatar =
        message.avatar === "" && icon !== null ? icon({ ...values, nick: message.username }) : message.avatar;
      return { ...message, username: nickFormat(values), avatar, gateway };
    },
    verbatim: (accountKey) => {
      const account = accounts.get(accountKey);
      return keepsNames && !isFull && account?.protocol === "api" && account.presentation.replaceNicks.length === 0;
    },
    line: ({ seq, account, payload }, gateway) => {
      const bare = isBare(payload);
      if (bare && view.verbatim(account)) return payload;
      const stored = bare ? null : decodeStored(payload);
      const shown = view.show(stored === null ? decode(payload) : withLinks(stored, linkFor), gateway);
      return encode(isFull ? fullMessage(shown, stored?.about ?? null, seq) : shown);
    },
  };
  return view;
}

/** Never shown to a reader of the API: what is momentary. */
const UNSHOWN: ReadonlySet<string> = new Set([EventLabel.typing, "avatar_download", "file_delete"]);

function compileAdmits(reader: Account): (event: string) => boolean {
  const { presentation } = reader;
  const isFull = hasFullEvents(reader);
  return (event) => {
    if (event === "") return true;
    if (JOIN_PART.has(event)) return presentation.showJoinPart;
    if (event === EventLabel.topic) return presentation.showTopicChange;
    // What acts on a message is for readers that can name messages; to others, an edit is one more. Notices were never shown to clients of old.
    if (event === EventLabel.delete || event === EventLabel.notice) return isFull;
    if (event === EventLabel.reaction) return isFull && !presentation.reactionDisable;
    return !UNSHOWN.has(event);
  };
}

/** What a source's own settings say about the names in its messages. */
interface Source {
  readonly label: string;
  readonly replaceNick: (nick: string) => string;
}

const UNKNOWN_SOURCE: Source = { label: "", replaceNick: (nick) => nick };

/** Compiled once for an account, not once for each of its readers. */
const sources = new WeakMap<Account, Source>();

/** `undefined`: an account that was in the configuration when the message was accepted, and is no more. */
function sourceOf(account: Account | undefined): Source {
  if (account === undefined) return UNKNOWN_SOURCE;
  let source = sources.get(account);
  if (source === undefined) {
    const { label, replaceNicks } = account.presentation;
    source = { label, replaceNick: compileReplacements(replaceNicks) };
    sources.set(account, source);
  }
  return source;
}
