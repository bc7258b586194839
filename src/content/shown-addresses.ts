import type { Block, Inline } from "../contract/content.ts";
import { shownLink } from "./links.ts";
import { plainText } from "./plain.ts";
import { overInlines } from "./tree.ts";

/**
 * Replaces each link whose words look like another address by its words and the address behind them. Every format is
 * parsed through this rule, so a link of the tree never pretends to lead elsewhere. It is the same array when there
 * is none.
 */
export function showAddresses(blocks: readonly Block[]): readonly Block[] {
  const misleading: Inline[] = [];
  const shownIn = (of: readonly Inline[]): readonly Inline[] =>
    of.flatMap((inline): readonly Inline[] => {
      if (!("of" in inline)) return [inline];
      const inner = shownIn(inline.of);
      if (inline.t !== "link" || !isMisleading(inline)) return [{ ...inline, of: inner }];
      misleading.push(inline);
      const { href } = inline;
      return [...inner, textOf(" ("), { t: "link", href, of: [textOf(href)] }, textOf(")")];
    });
  const shown = blocks.map((block) => overInlines(block, shownIn));
  return misleading.length === 0 ? blocks : shown;
}

function isMisleading({ of, href }: Extract<Inline, { t: "link" }>): boolean {
  const words = plainText([{ t: "para", of }]);
  return shownLink(words, href) === "both" && looksElsewhere(words, href);
}

const textOf = (text: string): Inline => ({ t: "text", text });

/**
 * Whether the words of a link look like an address that the link does not lead to. The same address may be written
 * without its scheme, `www.`, query or fragment, with another case, with a slash at its end, percent-encoded, or cut
 * off by an ellipsis. A host alone stands for all addresses of that host and of its subdomains.
 */
export function looksElsewhere(words: string, href: string): boolean {
  const plain = unmasked(words);
  const whole = plain.replaceAll(EDGES, "");
  const mail = MAIL.exec(whole)?.groups?.["address"];
  if (mail !== undefined) return mail.toLowerCase() !== mailOf(href);
  const bare = [plain.trim(), whole].find((text) => BARE.test(text));
  const shown = bare === undefined ? Array.from(plain.matchAll(SHOWN), ([address]) => address) : [bare];
  return shown.some((address) => !isSame(address, href));
}

/** As people see the words: without invisible characters, and with the signs that others look like. */
function unmasked(words: string): string {
  return words
    .slice(0, WORDS_MAX)
    .normalize("NFKC")
    .replaceAll(/[\p{Cf}\p{Default_Ignorable_Code_Point}]+/gu, "")
    .replaceAll(/[\u3002\uff61]/g, ".")
    .replaceAll(/[\u2044\u2215\u29f8]/g, "/")
    .replaceAll(/[\u02d0\u2236\ua789]/g, ":");
}

/** Longer words are no address that people read. */
const WORDS_MAX = 4_096;
const EDGES = /^[\s"'«»“”‘’([{<]{1,16}|[\s"'«»“”‘’)\]}>.,;!?]{1,16}$/gu;
const MAIL = /^(?:mailto:|xmpp:)?(?<address>[^\s@/:]{1,256}@[^\s@/?#]{1,256}\.[^\s@/?#]{1,64})(?:[?#]\S*)?$/iu;

/** An address, or what browsers make one of. */
const SHOWN = /(?:[a-z][a-z\d+.-]{0,20}:\/\/|(?<![\p{L}\p{N}.@])(?=www\.))[^\s<>"]+/giu;

/** A host or an IP address alone, but no name of a file. */
const BARE =
  /^(?:(?:[\p{L}\p{N}-]{1,63}\.){1,8}(?!(?:cc|cs|gz|go|hs|js|kt|md|pl|ps|py|rb|rs|sh|so|ts|vb|xz)\b)(?:[a-z]{2}|[^\P{L}a-z]{2,24}|xn--[a-z\d-]{1,59}|com|net|org|edu|gov|mil|int|info|biz|name|pro|dev|app|bank|blog|cloud|club|example|live|media|mobi|money|online|page|pay|shop|site|store|tech|test|world|xyz)|(?:\d{1,3}\.){3}\d{1,3}|\[[\da-f:.]{2,45}\])(?:[/:?#]\S*)?$/iu;

/** `shown` may have no scheme, and may be cut off. */
function isSame(shown: string, href: string): boolean {
  const cutAt = shown.search(/…|\.{3}/u);
  const text = (cutAt === -1 ? shown : shown.slice(0, cutAt)).replace(
    /(?:[).,;:!?'"»”’]|(?<!\[[^[\]]*)\]){1,16}$/u,
    "",
  );
  const there = /^[a-z][a-z\d+.-]*:\/\//iu.test(text) ? text : `http://${text}`;
  const [said, leads] = [placeIn(there), placeIn(href)];
  if (said === null || leads === null) return false;
  const isHost = said.host === leads.host || leads.host.endsWith(`.${said.host}`);
  const isPort = said.port === "" || said.port === leads.port;
  // People take the name before an `@` for the host.
  const isUser = !said.user.includes(".") || said.user === leads.user;
  return isHost && isPort && isUser && isSamePath(said, leads.path, cutAt !== -1);
}

function isSamePath({ path }: Place, leads: string, isCut: boolean): boolean {
  if (path === "" || path === leads) return true;
  return leads.startsWith(path) && (isCut || /^\/?[?#]/u.test(leads.slice(path.length)));
}

interface Place {
  readonly host: string;
  /** Empty for the one of the scheme. */
  readonly port: string;
  readonly user: string;
  /** With query and fragment. */
  readonly path: string;
}

/** Null: it leads to no host. */
function placeIn(address: string): Place | null {
  const url = URL.parse(address);
  if (url === null || url.hostname === "") return null;
  const { hostname, port, username, pathname, search, hash } = url;
  const path = `${pathname.replace(/\/+$/u, "")}${search}${hash}`;
  return {
    host: hostname
      .toLowerCase()
      .replace(/^www\./u, "")
      .replace(/\.$/u, ""),
    port,
    user: decoded(username).toLowerCase(),
    path: decoded(path).toLowerCase().replace(/\/+$/u, ""),
  };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The address that a letter goes to; null: the link leads to something else. */
const mailOf = (href: string): string | null =>
  /^(?:mailto|xmpp):(?<address>[^?#]*)/iu.exec(href)?.groups?.["address"]?.toLowerCase() ?? null;
