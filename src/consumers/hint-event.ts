import type { HintEvent } from "../contract/api-v1.ts";
import type { Hint } from "../contract/host.ts";
import type { SeenGateway } from "../gateway/seen.ts";

/** A hint as programs see it. `account`: where it comes from. `nowMs`: Unix ms. Pure. */
export function hintEventOf(
  { kind, author, on }: Hint,
  source: { readonly account: string; readonly protocol: string; readonly channel: string },
  gateways: readonly Pick<SeenGateway, "name">[],
  nowMs: number,
): HintEvent {
  return {
    type: kind,
    time: new Date(nowMs).toISOString(),
    gateways: gateways.map(({ name }) => name),
    source,
    // A picture would have to be fetched for what nobody keeps.
    author: { id: author.id, name: author.name, avatar: null, bot: author.bot ?? false, mine: false },
    on,
  };
}
