import type { JSX } from "preact";
import type { BridgeView, StatusView } from "../../../src/admin/views.ts";
import { Topology, type TopologyEdge, type TopologyNode } from "../parts/Topology.tsx";
import { type AccountSight, edgeFlow } from "./rows.ts";
import { accounts, fitting, pick, picked } from "./state.ts";
import { nowTexts as texts } from "./texts.ts";

/** Accounts on the left, gateways on the right. */
export function Picture({ view }: { readonly view: StatusView }): JSX.Element {
  const shown = accounts.value.filter(({ gateways }) => gateways.length > 0);
  const left = new Set(fitting.value.map(({ accountKey }) => accountKey));
  const right = new Set(fitting.value.flatMap(({ gateways }) => gateways));
  return (
    <Topology
      name={texts.topology}
      leftHead={texts.accounts}
      rightHead={texts.gateways}
      left={shown.map(nodeOf)}
      right={view.gateways.map((name) => gatewayNode(name, view, shown))}
      edges={edgesOf(view, shown)}
      words={shown.map(({ key, name, gateways }) => (
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

/** By messages a minute. */
const speedOf = (perMinute: number): TopologyEdge["speed"] =>
  perMinute === 0 ? null : perMinute < 10 ? "slow" : perMinute < 120 ? "steady" : "fast";

/** One for each account and gateway, whatever the number of its channels there. */
function edgesOf(view: StatusView, accounts: readonly AccountSight[]): readonly TopologyEdge[] {
  return accounts.flatMap(({ key, state, gateways }) =>
    gateways.map((gateway): TopologyEdge => {
      const ends = view.bridges.filter((bridge) => bridge.account === key && bridge.gateway === gateway);
      return {
        left: key,
        right: gateway,
        direction: directionOf(ends),
        state: state.kind,
        speed: speedOf(edgeFlow(view, key, gateway)),
      };
    }),
  );
}

function directionOf(ends: readonly BridgeView[]): BridgeView["direction"] {
  const [first] = ends;
  return first !== undefined && ends.every(({ direction }) => direction === first.direction)
    ? first.direction
    : "inout";
}
