import type { Hint } from "../../contract/host.ts";
import type { Member } from "../../contract/session.ts";
import { withoutControls } from "../../content/irc.ts";
import type { IrcPerson } from "./channels/members.ts";
import { userRef } from "./ids.ts";
import { authorOf, type IrcReceiveContext } from "./receive.ts";
import { TYPING_MS } from "./sending/typing.ts";
import { same } from "./wire/isupport.ts";
import { relayerOf } from "./wire/tags.ts";
import type { IrcLine } from "./wire/wire.ts";

/**
 * What a line says that is only true now: typing (IRCv3 "typing client tag") and being away (IRCv3 "away-notify");
 * nothing of ourselves. Who pauses does not type.
 */
export function hintsOf(line: IrcLine, context: IrcReceiveContext): readonly Hint[] {
  const { source, command, params, tags } = line;
  if (source === null || same(context.isupport, relayerOf(tags) ?? source.nick, context.ownNick)) return [];
  const [first = ""] = params;
  if (command === "TAGMSG") {
    const typing = tags.get("+typing") ?? tags.get("+draft/typing");
    const channel = context.channelRef(first);
    if (channel === null || typing === undefined || !STATES.has(typing)) return [];
    return [{ kind: "typing", channel, author: authorOf(source, tags), on: typing === "active", forMs: TYPING_MS }];
  }
  if (command !== "AWAY") return [];
  const author = authorOf(source, tags);
  return context.channelsOf(source.nick).map((channel) => ({ kind: "presence", channel, author, on: first === "" }));
}

const STATES: ReadonlySet<string> = new Set(["active", "paused", "done"]);

/** The id is that of authors where a line has told the address; until then the nick. */
export function memberOf({ nick, address, away }: IrcPerson): Member {
  const name = withoutControls(nick);
  return { id: userRef(withoutControls(address ?? name)), name, bot: false, present: !away };
}
