import { cut } from "../../content/length.ts";
import type { LinkedChannel } from "../../contract/host.ts";
import type { Member } from "../../contract/session.ts";
import type { WebMember, WebMembersChange, WebNetwork, WebNetworkChange } from "../../contract/web-chat.ts";
import { oneLine } from "../kit/words.ts";
import { messageId, personId } from "./ids.ts";

/** People of one network that are listed. */
export const LISTED_MAX = 300;
const NAME_MAX = 128;

/** One entry for each account: its channels together. Ids of networks stay here, as they may hold addresses. Pure. */
export function networksOf(channels: readonly LinkedChannel[]): readonly WebNetwork[] {
  const accounts = Map.groupBy(channels, ({ account }) => account);
  const titles = Array.from(accounts.values(), ([first]) => first?.title);
  return Array.from(accounts, ([account, own]) => {
    const { title = account } = own[0] ?? {};
    const isOnly = titles.indexOf(title) === titles.lastIndexOf(title);
    const counts = own.flatMap(({ count }) => count ?? []);
    const lists = own.flatMap(({ members }) => (members === null ? [] : [members]));
    const people = peopleIn(lists.flat());
    const isWhole = lists.length === own.length;
    return {
      id: messageId("network", account),
      title: isOnly ? title : `${title} (${account.slice(account.indexOf(".") + 1)})`,
      count: isWhole ? people.length : counts.length === 0 ? null : counts.reduce((sum, count) => sum + count, 0),
      members: lists.length === 0 ? null : people.slice(0, LISTED_MAX).map((one) => memberOf(one, account, title)),
      offline: own.every(({ isJoined }) => !isJoined),
    };
  });
}

/** Each once, by name. */
function peopleIn(members: readonly Member[]): readonly Member[] {
  const people = new Map(members.map((member) => [JSON.stringify([member.id, member.name]), member]));
  const named = Array.from(people.values(), (member) => ({ member, by: member.name.toLowerCase() }));
  return named.sort((a, b) => (a.by < b.by ? -1 : a.by > b.by ? 1 : 0)).map(({ member }) => member);
}

function memberOf({ id, name, present }: Member, account: string, network: string): WebMember {
  const shown = cut(oneLine(name), NAME_MAX, "codepoints").trim();
  return { id: personId(account, id, name), name: shown, guest: false, network, present, mine: false };
}

/** Null: nothing has changed. Pure. */
export function changeOf(
  before: readonly WebNetwork[],
  after: readonly WebNetwork[],
): Pick<WebMembersChange, "ids" | "networks"> | null {
  const known = new Map(before.map((network) => [network.id, network]));
  const networks = after.flatMap((network) => networkChange(known.get(network.id), network) ?? []);
  const ids = after.map(({ id }) => id);
  const isSame = before.length === ids.length && before.every(({ id }, at) => id === ids[at]);
  return isSame && networks.length === 0 ? null : { ids, networks };
}

function networkChange(before: WebNetwork | undefined, after: WebNetwork): WebNetworkChange | null {
  const { members, ...network } = after;
  const known = new Map((before?.members ?? []).map((member) => [member.id, member]));
  const ids = new Set((members ?? []).map(({ id }) => id));
  const here = (members ?? []).filter(({ id, present }) => {
    const one = known.get(id);
    return one === undefined || one.present !== present;
  });
  const gone = [...known.keys()].filter((id) => !ids.has(id));
  const isSame =
    before?.title === network.title &&
    before.count === network.count &&
    before.offline === network.offline &&
    (before.members === null) === (members === null);
  return isSame && here.length === 0 && gone.length === 0 ? null : { ...network, listed: members !== null, here, gone };
}
