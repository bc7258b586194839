import type { Channels } from "./channels/channels.ts";
import type { SelfCheck } from "./channels/self-check.ts";
import type { CtcpReplies } from "./ctcp-replies.ts";
import type { IrcInbound } from "./inbound.ts";
import type { ConnectionContext } from "./link.ts";
import type { Login } from "./login/login.ts";
import type { NickKeeper } from "./login/nick-keeper.ts";
import type { PrivateReplies } from "./private-replies.ts";
import type { Flow } from "./sending/flow.ts";
import type { Batches } from "./wire/batches.ts";
import type { IrcLine } from "./wire/wire.ts";

/** The parts of a session that look at what the server says. */
export interface LineTakers {
  readonly login: Pick<Login, "take">;
  readonly selfCheck: Pick<SelfCheck, "take">;
  readonly flow: Pick<Flow, "take">;
  readonly batches: Pick<Batches, "labelOf">;
  readonly ctcp: Pick<CtcpReplies, "take">;
  readonly privateReplies: Pick<PrivateReplies, "take">;
  readonly inbound: Pick<IrcInbound, "take">;
  readonly channels: Pick<Channels, "take">;
  readonly nickKeeper: Pick<NickKeeper, "take" | "look">;
  readonly link: Pick<ConnectionContext, "learn">;
}

interface LineStep {
  readonly name: string;
  readonly take: (line: IrcLine, takers: LineTakers) => void;
}

/**
 * What a line of now passes, in this order. Events are made of it before the channels know of it: they still have who
 * leaves. What it says of ourselves is learned last: it still speaks of us by the nick we had.
 */
export const LINE_STEPS: readonly LineStep[] = [
  { name: "answers to the login", take: (line, { login }) => login.take(line) },
  { name: "answers to the self-check", take: (line, { selfCheck }) => selfCheck.take(line) },
  { name: "answers to what was sent", take: (line, { flow, batches }) => void flow.take(line, batches.labelOf(line)) },
  { name: "CTCP requests", take: (line, { ctcp }) => ctcp.take(line) },
  { name: "private messages", take: (line, { privateReplies }) => privateReplies.take(line) },
  { name: "events", take: (line, { inbound }) => inbound.take(line) },
  { name: "who is where", take: (line, { channels }) => channels.take(line) },
  { name: "whether our nick is free", take: (line, { nickKeeper }) => nickKeeper.take(line) },
  { name: "our own nick and address", take: (line, { link }) => link.learn(line) },
  { name: "whether we have our nick", take: ({ command }, { nickKeeper }) => command === "NICK" && nickKeeper.look() },
];
