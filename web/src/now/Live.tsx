import { useSignal } from "@preact/signals";
import { Component, type JSX } from "preact";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import type { StatusView, TailLine } from "../../../src/admin/views.ts";
import { clock, utc } from "../lib/format.ts";
import type { LineBlock, Lines } from "../lib/lines.ts";
import { clearLines, EVERY_GATEWAY, follow, lines } from "../lib/live.ts";
import { Button } from "../parts/Button.tsx";
import { fits } from "../parts/filter.ts";
import { filter, picked } from "./state.ts";
import { nowTexts as texts } from "./texts.ts";

/** This near to the end counts as being there. */
const NEAR_PX = 40;

/** What is said, as it is said. */
export function Live({ view }: { readonly view: StatusView }): JSX.Element {
  const chosen = useSignal(EVERY_GATEWAY);
  const held = useSignal<Lines | null>(null);
  const gateway = picked.value?.side === "R" ? picked.value.key : null;
  useEffect(() => {
    if (gateway !== null) chosen.value = gateway;
  }, [gateway]);
  useEffect(() => follow(chosen.value), [chosen.value]);
  useEffect(() => () => follow(null), []);
  const shown = held.value ?? lines.value;
  return (
    <section class="live card stack" aria-labelledby="live-title">
      <div class="row">
        <h2 id="live-title">{texts.live}</h2>
        <label class="row">
          <span class="muted">{texts.ofGateway}</span>
          <select
            value={chosen.value}
            onChange={({ currentTarget }) => {
              held.value = null;
              chosen.value = currentTarget.value;
            }}
          >
            <option value={EVERY_GATEWAY}>{texts.everyGateway}</option>
            {view.gateways.map((name) => (
              <option key={name} value={name}>
                {name}
              </option>
            ))}
          </select>
        </label>
        <span class="push row">
          <Button kind="quiet" onPress={clearLines}>
            {texts.clear}
          </Button>
          <Button
            pressed={held.value !== null}
            onPress={() => {
              held.value = held.value === null ? lines.value : null;
            }}
          >
            {held.value === null ? texts.hold : texts.goOn}
          </Button>
        </span>
      </div>
      <Log shown={shown} wanted={filter.value} />
    </section>
  );
}

function Log({ shown, wanted }: { readonly shown: Lines; readonly wanted: string }): JSX.Element {
  const list = useRef<HTMLDivElement>(null);
  const isAtEnd = useRef(true);
  useLayoutEffect(() => {
    const { current } = list;
    if (current !== null && isAtEnd.current) current.scrollTop = current.scrollHeight;
  }, [shown, wanted]);
  return (
    <div
      class="log"
      role="log"
      aria-label={texts.live}
      tabIndex={0}
      ref={list}
      onScroll={({ currentTarget: { scrollHeight, scrollTop, clientHeight } }) => {
        isAtEnd.current = scrollHeight - scrollTop - clientHeight < NEAR_PX;
      }}
    >
      {shown.count === 0 ? <p class="muted quiet">{texts.quiet}</p> : null}
      {shown.blocks.map((block) => (
        <Block key={block.key} block={block} wanted={wanted} />
      ))}
    </div>
  );
}

interface BlockProps {
  readonly block: LineBlock;
  readonly wanted: string;
}

/** Is compared again only when it is another block. Keeping its elements instead would keep all that were before. */
class Block extends Component<BlockProps> {
  override shouldComponentUpdate({ block, wanted }: BlockProps): boolean {
    return block !== this.props.block || wanted !== this.props.wanted;
  }

  override render({ block, wanted }: BlockProps): JSX.Element {
    const fitting = wanted.trim() === "" ? block.lines : block.lines.filter((line) => fits(wordsOf(line), wanted));
    return <div class="block">{fitting.map(rowOf)}</div>;
  }
}

const wordsOf = ({ account, channel, gateways, by, event, text }: TailLine): string =>
  [account, channel, ...gateways, by, event, text].join(" ");

const rowOf = ({ seq, atMs, account, channel, by, event, text }: TailLine): JSX.Element => (
  <p key={seq} class="line">
    <time dateTime={new Date(atMs).toISOString()} title={utc(atMs)}>
      {clock(atMs)}
    </time>{" "}
    <span class="place">
      {account} {channel}
    </span>{" "}
    <span class="said">
      <b>{by}</b> {event === "" ? null : <em>{event}</em>} {text}
    </span>
  </p>
);
