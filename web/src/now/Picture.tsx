import type { JSX } from "preact";
import type { BridgeView, StatusView } from "../../../src/admin/views.ts";
import { fits } from "../parts/filter.ts";
import { Topology, type TopologyEdge, type TopologyNode } from "../parts/Topology.tsx";
import { type AccountSight, accountsOf, rowsOf, wordsOf } from "./rows.ts";
import { filter, pick, picked } from "./state.ts";
import { nowTexts as texts } from "./texts.ts";

/** Accounts on the left, gateways on the right. */
export function Picture({ view }: { readonly view: StatusView }): JSX.Element {
  const accounts = accountsOf(view).filter(({ gateways }) => gateways.length > 0);
  const fitting = rowsOf(view).filter((row) => filter.value.trim() === "" || fits(wordsOf(row), filter.value));
  const left = new Set(fitting.map(({ accountKey }) => accountKey));
  const right = new Set(fitting.flatMap(({ gateways }) => gateways));
  return (
    <Topology
      name={texts.topology}
      leftHead={texts.accounts}
      rightHead={texts.gateways}
      left={accounts.map(nodeOf)}
      right={view.gateways.map((name) => gatewayNode(name, view, accounts))}
      edges={edgesOf(view, accounts)}
      words={accounts.map(({ key, name, gateways }) => (
        <p key={key}>{texts.linked(name, gateways.join(", "))}</p>
      ))}
      selected={picked.value}
      isDim={(side, key) => !(side === "L" ? left : right).has(key)}
      onSelect={pick}
    />
  );
}

const nodeOf = ({ key, name, state }: AccountSight): TopologyNode => ({
  key,
  name,
  state: state.kind,
  label: texts.accountIs(name, state.word),
});

/** As well as the worst of its accounts. */
function gatewayNode(name: string, { bridges }: StatusView, accounts: readonly AccountSight[]): TopologyNode {
  const ends = bridges.filter(({ gateway }) => gateway === name);
  const kinds = accounts.filter(({ gateways }) => gateways.includes(name)).map(({ state }) => state.kind);
  const state = kinds.includes("bad") || kinds.includes("warn") ? "warn" : kinds.length === 0 ? "none" : "good";
  const said = texts.bridgeCount(ends.length);
  return { key: name, name, state, note: String(ends.length), label: texts.gatewayIs(name, said) };
}

/** One for each account and gateway, whatever the number of its channels there. */
function edgesOf(view: StatusView, accounts: readonly AccountSight[]): readonly TopologyEdge[] {
  return accounts.flatMap(({ key, state, gateways }) =>
    gateways.map((gateway): TopologyEdge => {
      const ends = view.bridges.filter((bridge) => bridge.account === key && bridge.gateway === gateway);
      return { left: key, right: gateway, direction: directionOf(ends), state: state.kind, flows: false };
    }),
  );
}

function directionOf(ends: readonly BridgeView[]): BridgeView["direction"] {
  const [first] = ends;
  return first !== undefined && ends.every(({ direction }) => direction === first.direction)
    ? first.direction
    : "inout";
}
