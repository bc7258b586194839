import type { Account } from "../config/config.ts";
import type { Source } from "../contract/content.ts";
import { DEFAULT_NICK_FORMAT, EventLabel, JOIN_PART, type Message } from "../contract/message.ts";
import { parse, render } from "../content/formats.ts";
import { shownName } from "../content/shown-name.ts";
import type { WantedFile } from "../files/files.ts";
import type { Seq } from "../log/log.ts";
import { withoutEcho } from "./caption.ts";
import { decode, decodeStored, encode, isBare } from "./codec.ts";
import { contentsWanted, type FileContent, withContents } from "./file-contents.ts";
import { compileReplacements } from "./filters.ts";
import { fullMessage, hasFullEvents } from "./full-events.ts";
import {
  compileIconURL,
  compileNamePrefix,
  compileNickFormat,
  type NickValues,
  type ShownName,
  stripNick,
} from "./nick-format.ts";
import { plainMessage } from "./plain-message.ts";
import { textFormat } from "./posted.ts";
import { replyText } from "./reply-text.ts";
import { type LinkFor, withLinks, withPicture } from "./with-links.ts";

/** How one reader account sees messages. */
export interface View {
  /** Whether events with this label reach the reader at all. */
  readonly admits: (event: string) => boolean;
  /**
   * The message as the reader gets it in one gateway: a new object, name and avatar made for this reader, text
   * untouched.
   */
  readonly show: (message: Message, gateway: string) => Message;
  /**
   * True when `show` changes nothing in any stored message of this source, so that the stored string can be passed on
   * as it is. Only sources that name the gateway themselves (API accounts) can have this.
   */
  readonly verbatim: (accountKey: string) => boolean;
  /** The files whose content the reader gets inside of an entry's message, one for each of its files; null: none. */
  readonly wants: (payload: string) => readonly (WantedFile | null)[] | null;
  /**
   * A stored entry as a reader of the API gets it in one gateway: JSON without a newline. `contents`: of what `wants`
   * names.
   */
  readonly line: (entry: ViewedEntry, gateway: string, contents?: readonly (FileContent | null)[]) => string;
}

/** A view that gives names with their marks. */
interface NamedView extends View {
  /** The name and the avatar of what `show` gives. */
  readonly author: (message: Message, gateway: string) => ShownName & { readonly avatar: string };
}

interface ViewedEntry {
  readonly seq: Seq;
  /** Key of the account it came from. */
  readonly account: string;
  readonly payload: string;
}

/**
 * Compiles the view of one reader; `accounts` are all accounts by key, for what the sources' settings say about names,
 * and `linkFor` gives lines the addresses of files that have none of their own.
 */
export function compileView(
  reader: Account,
  accounts: ReadonlyMap<string, Account>,
  linkFor: LinkFor = () => null,
  nameMarks: string | null = null,
): NamedView {
  const { remoteNickFormat, stripNick: strips, iconURL } = reader.presentation;
  const keepsNames = remoteNickFormat === "{NICK}" && !strips && iconURL === "";
  const isFull = hasFullEvents(reader);
  const isMarkdown = textFormat(reader) === "markdown";
  const postsMarkdown = (accountKey: string): boolean => {
    const account = accounts.get(accountKey);
    return account?.protocol === "api" && textFormat(account) === "markdown";
  };

  const view: NamedView = {
    admits: compileAdmits(reader),
    author: compileAuthor(reader, accounts, nameMarks),
    show: (message, gateway) => {
      const { shown: username, avatar } = view.author(message, gateway);
      return { ...message, username, avatar, gateway };
    },
    verbatim: (accountKey) => {
      const account = accounts.get(accountKey);
      const keepsText = !isMarkdown || postsMarkdown(accountKey);
      const keepsAll = keepsNames && keepsText && !isFull;
      return keepsAll && account?.protocol === "api" && account.presentation.replaceNicks.length === 0;
    },
    wants: (payload) => (isFull ? null : contentsWanted(payload)),
    line: ({ seq, account, payload }, gateway, contents = []) => {
      const bare = isBare(payload);
      if (bare && payload.endsWith(NO_FILES) && view.verbatim(account)) return payload;
      const stored = bare ? null : decodeStored(payload);
      const written = stored === null ? decode(payload) : withPicture(stored, linkFor);
      const keepsText = !isMarkdown || written.event === EventLabel.reaction || postsMarkdown(account);
      const text = keepsText ? written.text : asMarkdown(written.text, stored?.source ?? null);
      if (isFull) {
        const message = { ...written, text };
        const linked = stored === null ? message : withLinks({ ...stored, message }, linkFor);
        return encode(fullMessage(view.show(linked, gateway), stored?.about ?? null, seq));
      }
      const whole = withoutEcho(withContents({ message: written, files: stored?.files ?? [] }, contents, linkFor));
      // What is said of files comes after the text, and is plain.
      const more = whole.text.slice(written.text.length);
      const write = (plain: string): string => (keepsText ? plain : asMarkdown(plain, null));
      const quoting = { reader: reader.presentation, source: accounts.get(account) };
      const said = replyText(text, stored?.about ?? null, quoting, write);
      const between = text === "" && said !== "" && more !== "" ? "\n" : "";
      const message = { ...whole, text: said + between + write(more) };
      return encode(view.show(plainMessage(message), gateway));
    },
  };
  return view;
}

/** How a reader sees who speaks. */
function compileAuthor(
  reader: Account,
  accounts: ReadonlyMap<string, Account>,
  nameMarks: string | null,
): NamedView["author"] {
  const { stripNick: strips, iconURL } = reader.presentation;
  const nameFormat = compileShownName(reader, nameMarks);
  const icon = iconURL === "" ? null : compileIconURL(iconURL);
  return (message, gateway) => {
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
    return { ...nameFormat(values), avatar };
  };
}

/**
 * How a reader sees names. Where nothing of a name is seen, as with `{LABEL}` for an account without a label, the
 * default format takes the place of the reader's own: no message of a person is without a name.
 */
function compileShownName({ protocol, presentation }: Account, nameMarks: string | null): NameFormat {
  const { remoteNickFormat: written } = presentation;
  const compile = (format: string): NameFormat => {
    if (protocol !== "api") return compileNamePrefix(format, nameMarks);
    // A reader of the API has the name by itself.
    const nickFormat = compileNickFormat(format);
    return (values) => ({ shown: nickFormat(values) });
  };
  const [own, standard] = [compile(written), compile(protocol === "api" ? "{NICK}" : DEFAULT_NICK_FORMAT)];
  return (values) => {
    const name = own(values);
    const isSeen = written === "" || values.nick === "" || /[!-~]/.test(name.shown) || shownName(name.shown) !== "";
    return isSeen ? name : standard(values);
  };
}

type NameFormat = (values: NickValues) => ShownName;

/** Of a message that nothing is to be said of. */
const NO_FILES = '"Extra":null}';

/** The text for readers of Markdown; `source`: as in `Stored`. */
function asMarkdown(text: string, source: Source | null): string {
  return render("markdown", source === null ? parse("plain", text) : parse(source.format, source.text));
}

/** Never shown to a reader of the API: what is momentary. */
const UNSHOWN: ReadonlySet<string> = new Set([EventLabel.typing, "avatar_download", "file_delete"]);

function compileAdmits(reader: Account): (event: string) => boolean {
  const { presentation } = reader;
  const isFull = hasFullEvents(reader);
  return (event) => {
    if (event === "") return true;
    if (JOIN_PART.has(event)) return presentation.showJoinPart;
    if (event === EventLabel.topic) return presentation.showTopicChange || presentation.syncTopic;
    // What acts on a message is for readers that can name messages; to others, an edit is one more. Asides were never
    // shown to clients of old.
    if (event === EventLabel.delete || event === EventLabel.notice) return isFull;
    if (event === EventLabel.reaction) return isFull && !presentation.reactionDisable;
    return !UNSHOWN.has(event);
  };
}

/** What a source's own settings say about the names in its messages. */
interface SourceNames {
  readonly label: string;
  readonly replaceNick: (nick: string) => string;
}

/** The name of a sender as ReplaceNicks of the source leaves it. */
export const nickOf = (account: Account | undefined, name: string): string => sourceOf(account).replaceNick(name);

const UNKNOWN_SOURCE: SourceNames = { label: "", replaceNick: (nick) => nick };

/** Compiled once for an account, not once for each of its readers. */
const sources = new WeakMap<Account, SourceNames>();

/** `undefined`: an account that was in the configuration when the message was accepted, and is no longer. */
function sourceOf(account: Account | undefined): SourceNames {
  if (account === undefined) return UNKNOWN_SOURCE;
  let source = sources.get(account);
  if (source === undefined) {
    const { label, replaceNicks } = account.presentation;
    source = { label, replaceNick: compileReplacements(replaceNicks) };
    sources.set(account, source);
  }
  return source;
}
