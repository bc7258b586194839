import type { ComponentChildren, JSX } from "preact";
import { useMemo } from "preact/hooks";
import { type Layout, layoutOf } from "./graph.ts";
import type { StateKind } from "./State.tsx";

export interface TopologyNode {
  readonly key: string;
  readonly name: string;
  readonly state: StateKind;
  /** Small, behind its name. */
  readonly note?: string;
  /** What it is and how, in words. */
  readonly label: string;
}

export interface TopologyEdge {
  readonly left: string;
  readonly right: string;
  readonly direction: "in" | "out" | "inout";
  readonly state: StateKind;
  /** How much crosses it; null: nothing. */
  readonly speed: "slow" | "steady" | "fast" | null;
}

interface TopologyProps {
  readonly name: string;
  readonly leftHead: string;
  readonly rightHead: string;
  readonly left: readonly TopologyNode[];
  readonly right: readonly TopologyNode[];
  readonly edges: readonly TopologyEdge[];
  /** All of it in words, for who does not see the lines. */
  readonly words: ComponentChildren;
  readonly selected: { readonly side: "L" | "R"; readonly key: string } | null;
  /** Stands back, because it does not fit a filter. */
  readonly isDim: (side: "L" | "R", key: string) => boolean;
  readonly onSelect: (side: "L" | "R", key: string) => void;
}

const ROW = 40;
const MIDDLE = 100;

/** Two columns of buttons, with curves between them. */
export function Topology(props: TopologyProps): JSX.Element {
  const { left, right, edges, selected } = props;
  const shape = JSON.stringify([left.map(({ key }) => key), right.map(({ key }) => key), edges.map(endsOf)]);
  const layout = useMemo(
    () => layoutOf({ left: left.map(({ key }) => key), right: right.map(({ key }) => key), edges }),
    [shape],
  );
  const isTouched = ({ left, right }: TopologyEdge): boolean =>
    selected !== null && selected.key === (selected.side === "L" ? left : right);
  return (
    <figure class="topology" aria-label={props.name}>
      <div class="heads" aria-hidden="true">
        <span>{props.leftHead}</span>
        <span>{props.rightHead}</span>
      </div>
      <div class="columns" style={{ height: `${Math.max(1, layout.rows) * ROW}px` }}>
        <Nodes side="L" nodes={left} layout={layout} {...props} />
        <svg viewBox={`0 0 ${MIDDLE} ${Math.max(1, layout.rows) * ROW}`} preserveAspectRatio="none" aria-hidden="true">
          {edges.map((edge) => {
            const { direction, state, speed } = edge;
            const dim = props.isDim("L", edge.left) || props.isDim("R", edge.right);
            const names = [
              "edge",
              state,
              direction,
              speed !== null && `flows ${speed}`,
              isTouched(edge) && "touched",
              dim && "dim",
            ];
            return (
              <path
                key={`${edge.left} ${edge.right}`}
                class={names.filter((name) => name !== false).join(" ")}
                d={curve(layout, edge)}
              />
            );
          })}
        </svg>
        <Nodes side="R" nodes={right} layout={layout} {...props} />
      </div>
      <figcaption class="aside">{props.words}</figcaption>
    </figure>
  );
}

const endsOf = ({ left, right }: TopologyEdge): readonly string[] => [left, right];

interface NodesProps extends Pick<TopologyProps, "selected" | "isDim" | "onSelect"> {
  readonly side: "L" | "R";
  readonly nodes: readonly TopologyNode[];
  readonly layout: Layout;
}

function Nodes({ side, nodes, layout, selected, isDim, onSelect }: NodesProps): JSX.Element {
  const known = new Map(nodes.map((node) => [node.key, node]));
  const order = side === "L" ? layout.left : layout.right;
  return (
    <ul class={side === "L" ? "left" : "right"}>
      {order.map((key) => {
        const node = known.get(key);
        if (node === undefined) return null;
        return (
          <li key={key} style={{ top: `${((layout.at.get(`${side}${key}`) ?? 0) - 0.5) * ROW}px` }}>
            <button
              type="button"
              class={`node ${node.state}${isDim(side, key) ? " dim" : ""}`}
              aria-pressed={selected !== null && selected.side === side && selected.key === key}
              aria-label={node.label}
              title={node.label}
              onClick={() => onSelect(side, key)}
            >
              <span class={`state ${node.state}`}>
                <span class="name">{node.name}</span>
              </span>
              {node.note === undefined ? null : <span class="note" data-note={node.note} />}
            </button>
          </li>
        );
      })}
    </ul>
  );
}

function curve({ at }: Layout, { left, right }: TopologyEdge): string {
  const from = (at.get(`L${left}`) ?? 0) * ROW;
  const to = (at.get(`R${right}`) ?? 0) * ROW;
  return `M0 ${from} C${MIDDLE / 2} ${from} ${MIDDLE / 2} ${to} ${MIDDLE} ${to}`;
}
