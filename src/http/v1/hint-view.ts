import type { EventFilter } from "../../consumers/feed.ts";
import { typesOf } from "../../consumers/filter.ts";
import type { HintEvent } from "../../contract/api-v1.ts";

/** A hint as a reader with this filter gets it; null: it does not. */
export function hintFor(hint: HintEvent, { types, gateways, accounts, mine }: EventFilter): HintEvent | null {
  if (hint.author.mine && !mine) return null;
  if (!typesOf(types)(hint.type)) return null;
  const account = hint.source.account.toLowerCase();
  if (accounts.length > 0 && !accounts.some((name) => name.toLowerCase() === account)) return null;
  if (gateways.length === 0) return hint;
  const names = hint.gateways.filter((name) => gateways.includes(name));
  return names.length === 0 ? null : { ...hint, gateways: names };
}
