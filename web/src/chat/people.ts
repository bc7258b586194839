import { computed, signal } from "@preact/signals";
import type { WebMember, WebMembers, WebMembersChange, WebNetwork } from "../../../src/contract/web-chat.ts";

/** Those who joined by an invite and are present. */
export const guests = signal<readonly WebMember[]>([]);
/** Those who are in the linked channels of other networks. */
export const networks = signal<readonly WebNetwork[]>([]);
/** All that are listed. */
export const members = computed(() => [...guests.value, ...networks.value.flatMap((network) => network.members ?? [])]);
/** With those of whom only the number is known. */
export const presentCount = computed(() =>
  networks.value.reduce((sum, { count }) => sum + (count ?? 0), guests.value.length),
);

/** Of `networks`; null: not read yet. */
let version: number | null = null;
/** The newest that the stream has named. */
let newest = 0;

/** The stream begins again, perhaps from another server. */
export function forgetMembers(): void {
  version = null;
  newest = 0;
}

/** False: it is older than what the stream has named, and must be read again. */
export function readMembers(found: WebMembers): boolean {
  guests.value = found.members;
  if (version === null || found.version >= version) {
    version = found.version;
    networks.value = found.networks;
  }
  return version >= newest;
}

/** False: changes before this one are missing, and the list must be read. */
export function changeMembers(change: WebMembersChange): boolean {
  newest = Math.max(newest, change.version);
  // The list that is being read has it, or is read again.
  if (version === null || change.version <= version) return true;
  if (change.from !== version) return false;
  version = change.version;
  networks.value = networksAfter(networks.value, change);
  return true;
}

/** Pure. */
export function networksAfter(
  before: readonly WebNetwork[],
  { ids, networks: changes }: Pick<WebMembersChange, "ids" | "networks">,
): readonly WebNetwork[] {
  const known = new Map(before.map((network) => [network.id, network]));
  for (const { listed, here, gone, ...network } of changes) {
    const left = new Set([...gone, ...here.map(({ id }) => id)]);
    const others = (known.get(network.id)?.members ?? []).filter(({ id }) => !left.has(id));
    known.set(network.id, { ...network, members: listed ? [...others, ...here] : null });
  }
  return ids.flatMap((id) => known.get(id) ?? []);
}
