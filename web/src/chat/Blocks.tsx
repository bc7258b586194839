import { useSignal } from "@preact/signals";
import type { ComponentChildren, JSX } from "preact";
import type { Block, Inline } from "../../../src/contract/content.ts";
import { piecesOf } from "./addresses.ts";
import { chatTexts as texts } from "./texts.ts";

const SCHEMES = new Set(["http:", "https:", "mailto:"]);

/** What somebody wrote, from Rialto's own tree: nothing of it is ever read as HTML. */
export function Blocks({ blocks }: { readonly blocks: readonly Block[] }): JSX.Element {
  return <>{blocks.map(blockOf)}</>;
}

function blockOf(block: Block): JSX.Element | null {
  switch (block.t) {
    case "para":
      return <p>{block.of.map(inlineOf)}</p>;
    case "heading":
      // The page has headings of its own.
      return (
        <p>
          <b>{block.of.map(inlineOf)}</b>
        </p>
      );
    case "pre":
      return (
        <pre tabIndex={0}>
          <code>{block.text}</code>
        </pre>
      );
    case "quote":
      return <blockquote>{block.of.map(blockOf)}</blockquote>;
    case "list": {
      const List = block.ordered ? "ol" : "ul";
      return (
        <List>
          {block.items.map((item) => (
            <li>{item.map(blockOf)}</li>
          ))}
        </List>
      );
    }
    default:
      // Of a newer server.
      return null;
  }
}

/** Of text alone: addresses in it are links. */
const inlineOf = (inline: Inline): ComponentChildren => shown(inline, false);
/** Of the words of a link: an address in them leads where the link does. */
const wordsOf = (inline: Inline): ComponentChildren => shown(inline, true);

function shown(inline: Inline, inLink: boolean): ComponentChildren {
  const of = inLink ? wordsOf : inlineOf;
  switch (inline.t) {
    case "text":
      if (inLink) return inline.text;
      return piecesOf(inline.text).map(({ text, href }) =>
        href === null ? text : <Address href={href} text={text} />,
      );
    case "code":
      return <code>{inline.text}</code>;
    case "bold":
      return <b>{inline.of.map(of)}</b>;
    case "italic":
      return <i>{inline.of.map(of)}</i>;
    case "underline":
      return <u>{inline.of.map(of)}</u>;
    case "strike":
      return <s>{inline.of.map(of)}</s>;
    case "spoiler":
      return <Spoiler>{inline.of.map(of)}</Spoiler>;
    case "colour":
      // Not on every background can it be read.
      return inline.of.map(of);
    case "link":
      return inLink ? inline.of.map(of) : <Link href={inline.href}>{inline.of.map(wordsOf)}</Link>;
    case "mention":
      return <span class="mention">{inline.text}</span>;
    case "emoji":
      return inline.text;
    default:
      return null;
  }
}

/** Where a link may lead, or null. */
function hrefOf(href: string): string | null {
  const url = URL.parse(href);
  return url !== null && SCHEMES.has(url.protocol) ? url.href : null;
}

/** Whatever turns the text before it round: an address reads as it leads. */
function Address({ href, text }: { readonly href: string; readonly text: string }): JSX.Element {
  return (
    <bdi dir="ltr">
      <Link href={href}>{text}</Link>
    </bdi>
  );
}

function Link({ href, children }: { readonly href: string; readonly children: ComponentChildren }): JSX.Element {
  const safe = hrefOf(href);
  if (safe === null) return <>{children}</>;
  return (
    <a href={safe} title={safe} target="_blank" rel="noopener noreferrer nofollow">
      {children}
    </a>
  );
}

function Spoiler({ children }: { readonly children: ComponentChildren }): JSX.Element {
  const open = useSignal(false);
  if (open.value) return <span class="spoiler open">{children}</span>;
  return (
    <button
      type="button"
      class="spoiler"
      onClick={() => {
        open.value = true;
      }}
    >
      {texts.spoiler}
    </button>
  );
}
