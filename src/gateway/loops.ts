import type { Bridge, Gateway } from "../config/config.ts";
import { components } from "./components.ts";

/** A circle that a message could go round forever. */
export interface GatewayLoop {
  /** Where one account posts and another one reads it as new, as `roomOf` names them. */
  readonly rooms: readonly string[];
  readonly gateways: readonly string[];
  readonly accounts: readonly string[];
}

/**
 * Finds circles of bridges. A gateway carries what one bridge reads to what its other bridges post; and what an account
 * posts into a room is read there by every other account in the same room. Each account knows its own posts, so a
 * circle takes at least two accounts in one room. Linear in the number of bridges.
 * `roomOf` gives equal names to bridges that sit in one and the same room of one network.
 */
export function findLoops(
  gateways: readonly Gateway[],
  roomOf: (accountKey: string, channel: string) => string,
): readonly GatewayLoop[] {
  const graph = new Graph();
  const rooms = new Map<string, Map<string, Ends>>();
  for (const gateway of gateways) {
    for (const bridges of conversations(gateway)) {
      const members = new Map<string, Member>();
      for (const { account, channel, direction } of bridges) {
        const room = roomOf(account, channel);
        const member = childOf(members, `${room}\n${account}`, () =>
          newMember({ account, room, gateway: gateway.name }),
        );
        const inRoom = childOf(childOf(rooms, room, newMap), account, newEnds);
        if (direction !== "out") {
          const reading = graph.node(member.place);
          member.from.push(reading);
          inRoom.to.push(reading);
        }
        if (direction !== "in") {
          const posting = graph.node(member.place);
          member.to.push(posting);
          inRoom.from.push(posting);
        }
      }
      graph.linkToOthers([...members.values()]);
    }
  }
  for (const accounts of rooms.values()) graph.linkToOthers([...accounts.values()]);
  return graph.circles().map((places) => ({
    rooms: distinct(places.map((place) => place.room)),
    gateways: distinct(places.map((place) => place.gateway)),
    accounts: distinct(places.map((place) => place.account)),
  }));
}

interface Place {
  readonly account: string;
  readonly room: string;
  readonly gateway: string;
}

/**
 * Nodes of one member of a group: where messages come from it to the others, and where those of the others come to it.
 */
interface Ends {
  readonly from: number[];
  readonly to: number[];
}

interface Member extends Ends {
  readonly place: Place;
}

/**
 * Every bridge is two nodes, what it reads and what it posts: edges lead from reading to posting inside a gateway and
 * from posting to reading inside a room, so each circle has both kinds. Numbers without a place are only joints.
 */
class Graph {
  readonly #places: (Place | null)[] = [];
  readonly #edges: number[][] = [];

  node(place: Place | null): number {
    this.#places.push(place);
    return this.#edges.push([]) - 1;
  }

  /**
   * Leads from each member of the group to all others, never to itself, with two joints a member instead of an edge a
   * pair.
   */
  linkToOthers(members: readonly Ends[]): void {
    this.#chain(members);
    this.#chain(members.toReversed());
  }

  /** From each member to all that come after it. */
  #chain(members: readonly Ends[]): void {
    let before: number | null = null;
    for (const { from, to } of members) {
      const joint = this.node(null);
      if (before !== null) {
        for (const target of to) this.#edges[before]?.push(target);
        this.#edges[before]?.push(joint);
      }
      // The joint of this member leads on to the later ones only.
      for (const source of from) this.#edges[source]?.push(joint);
      before = joint;
    }
  }

  /**
   * Circles with a bridge in common count as one: most run both ways round. In the order in which their first places
   * came.
   */
  circles(): readonly (readonly Place[])[] {
    const circles = components(this.#edges).filter((component) => component.length > 1);
    const sharing = circles.map((): number[] => []);
    const circleOf = new Map<Place, number>();
    for (const [circle, nodes] of circles.entries()) {
      for (const place of this.#placesOf(nodes)) {
        const other = circleOf.get(place) ?? circle;
        circleOf.set(place, circle);
        sharing[circle]?.push(other);
        sharing[other]?.push(circle);
      }
    }
    return components(sharing)
      .map((together) => together.flatMap((circle) => circles[circle] ?? []).toSorted((a, b) => a - b))
      .toSorted(([a = 0], [b = 0]) => a - b)
      .map((nodes) => this.#placesOf(nodes));
  }

  #placesOf(nodes: readonly number[]): readonly Place[] {
    return nodes.flatMap((node) => this.#places[node] ?? []);
  }
}

/** The sets of bridges that exchange messages: the whole gateway, or one for each channel name. */
function conversations({ bridges, sameChannel }: Gateway): readonly (readonly Bridge[])[] {
  return sameChannel ? [...Map.groupBy(bridges, (bridge) => bridge.channel).values()] : [bridges];
}

function childOf<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  const child = map.get(key) ?? make();
  map.set(key, child);
  return child;
}

const newMember = (place: Place): Member => ({ place, ...newEnds() });
const newEnds = (): Ends => ({ from: [], to: [] });
const newMap = (): Map<string, Ends> => new Map();

function distinct(words: readonly string[]): readonly string[] {
  return [...new Set(words)];
}
