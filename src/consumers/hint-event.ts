import type { ApiAuthor, ApiSource, HintEvent } from "../contract/api-v1.ts";
import type { Hint } from "../contract/host.ts";
import type { SeenGateway, SeenSubject } from "../gateway/seen.ts";

/** A hint of a network, or of a program that uses the API. */
export interface SharedHint extends Pick<Hint, "kind" | "on" | "forMs"> {
  /** A picture of a network is left out: it would have to be fetched for a hint that is not kept. */
  readonly author: Pick<ApiAuthor, "id" | "name"> & Partial<Pick<ApiAuthor, "bot">> & { readonly picture?: string };
}

/** A hint as programs see it. `source`: where it comes from. `nowMs`: Unix ms. Pure. */
export function hintEventOf(
  { kind, author, on }: SharedHint,
  source: ApiSource,
  { gateways, mine }: Pick<SeenSubject, "mine"> & { readonly gateways: readonly Pick<SeenGateway, "name">[] },
  nowMs: number,
): HintEvent {
  const { id, name, picture = "", bot = false } = author;
  return {
    type: kind,
    time: new Date(nowMs).toISOString(),
    gateways: gateways.map((gateway) => gateway.name),
    source,
    author: { id, name, avatar: picture === "" ? null : picture, bot, mine },
    on,
  };
}
