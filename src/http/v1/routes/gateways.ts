import type { Bridge, Gateway } from "../../../config/config.ts";
import type { Member } from "../../../contract/session.ts";
import type { AccountStatus } from "../../../delivery/status.ts";
import { channelsOf } from "../../../gateway/bridged-channels.ts";
import type { V1Deps } from "../deps.ts";
import { ownGateway, ownGateways } from "../own-gateways.ts";
import { type Call, type JsonSchema, ok, type Reply, type Route } from "../route.ts";

/** Most that one answer lists. */
const MEMBERS_MAX = 10_000;

type Asked = Pick<V1Deps, "account" | "config" | "status" | "capabilities" | "members">;

async function list({ access }: Call, deps: Asked): Promise<Reply> {
  const status = await statusOf(deps);
  return ok({ gateways: ownGateways(access, deps).map((gateway) => viewOf(gateway, status, deps)) });
}

async function one({ access, params }: Call, deps: Asked): Promise<Reply> {
  const gateway = ownGateway(access, params["gateway"] ?? "", deps);
  return ok(viewOf(gateway, await statusOf(deps), deps));
}

async function statusOf({ status }: Asked): Promise<ReadonlyMap<string, AccountStatus>> {
  return new Map((await status()).map((account) => [account.key, account]));
}

function viewOf({ name, bridges }: Gateway, status: ReadonlyMap<string, AccountStatus>, deps: Asked): object {
  return { name, bridges: bridges.map((bridge) => bridgeOf(bridge, status.get(bridge.account), deps)) };
}

function bridgeOf(bridge: Bridge, status: AccountStatus | undefined, { config, capabilities }: Asked): object {
  const account = config().accounts.get(bridge.account);
  const protocol = account?.protocol ?? bridge.account.slice(0, bridge.account.indexOf("."));
  return {
    account: account?.name ?? bridge.account,
    protocol,
    channel: bridge.channel,
    direction: bridge.direction,
    ...(protocol === "api" ? ALWAYS : stateOf(bridge, status)),
    capabilities: protocol === "api" ? null : capabilities(protocol),
  };
}

/** Programs come and go at the API; the bridge is always there. */
const ALWAYS = { state: "joined", since: null, why: null, remedy: null };

function stateOf({ channel }: Bridge, status: AccountStatus | undefined): object {
  if (status === undefined) {
    return { state: "down", since: null, why: "The account is not started.", remedy: "See the log of Rialto." };
  }
  const room = status.channels.find((other) => other.channel === channel);
  const needsAction = status.state === "action-needed";
  const told = needsAction || room === undefined ? status : room;
  return {
    state: needsAction ? "action-needed" : (room?.state ?? "offline"),
    since: new Date(told.sinceMs).toISOString(),
    why: (told.why ?? status.why)?.message ?? null,
    remedy: told.remedy ?? status.remedy,
  };
}

/** Each room is asked once; all at the same time. */
async function members({ access, params }: Call, deps: Asked): Promise<Reply> {
  const { bridges } = ownGateway(access, params["gateway"] ?? "", deps);
  const accounts = deps.config().accounts;
  const asked = await Promise.all(
    channelsOf(bridges, accounts).map(async ({ account, channel }) => ({
      place: { account: accounts.get(account)?.name ?? account, channel },
      found: await deps.members(account, channel),
    })),
  );
  const all = asked.flatMap(({ place, found }) => (found ?? []).map((member) => memberOf(place, member)));
  return ok({
    members: all.slice(0, MEMBERS_MAX),
    unknown: asked.filter(({ found }) => found === null).map(({ place }) => place),
    truncated: all.length > MEMBERS_MAX,
  });
}

const memberOf = ({ account, channel }: Pick<Bridge, "account" | "channel">, { id, name, bot, present }: Member) => ({
  account,
  channel,
  id,
  name,
  bot,
  present,
});

const text = { type: "string" };
const orNull = (about: string): JsonSchema => ({ type: ["string", "null"], description: about });

const BridgeSchema: JsonSchema = {
  type: "object",
  properties: {
    account: { ...text, description: "`<protocol>.<name>`, as in the configuration." },
    protocol: text,
    channel: text,
    direction: { enum: ["in", "out", "inout"], description: "`in`: from there. `out`: to there." },
    state: {
      enum: ["joined", "joining", "waiting", "offline", "action-needed", "down"],
      description:
        "`waiting`: it is tried again. `offline`: the account has no connection. `action-needed`: a person has to do what `remedy` says. `down`: the account is not started.",
    },
    since: orNull("RFC 3339; null: always."),
    why: orNull("Why it is not joined; null: it is, or nobody knows."),
    remedy: orNull("What a person can do about it."),
    capabilities: {
      type: ["object", "null"],
      description: "What the network can do at most; null of an API account.",
    },
  },
  required: ["account", "protocol", "channel", "direction", "state", "since", "why", "remedy", "capabilities"],
};

const GatewaySchema: JsonSchema = {
  type: "object",
  properties: { name: text, bridges: { type: "array", items: BridgeSchema } },
  required: ["name", "bridges"],
};

const MemberSchema: JsonSchema = {
  type: "object",
  properties: {
    account: text,
    channel: text,
    id: { ...text, description: "As the network has the person." },
    name: text,
    bot: { type: "boolean" },
    present: { type: ["boolean", "null"], description: "Can be reached now; null: the network does not say." },
  },
  required: ["account", "channel", "id", "name", "bot", "present"],
};

const MembersSchema: JsonSchema = {
  type: "object",
  properties: {
    members: { type: "array", items: MemberSchema },
    unknown: {
      type: "array",
      items: { type: "object", properties: { account: text, channel: text }, required: ["account", "channel"] },
      description: "Rooms of which nobody knows who is there: the network does not say, or is not connected.",
    },
    truncated: { type: "boolean", description: `There are more than the ${MEMBERS_MAX} that are listed.` },
  },
  required: ["members", "unknown", "truncated"],
};

export const gatewaysRoutes: readonly Route[] = [
  {
    method: "GET",
    path: "/v1/gateways",
    needs: "read",
    id: "listGateways",
    summary: "The gateways of the account, with their bridges, how these are, and what their networks can do.",
    answers: {
      200: {
        about: "Those that the caller sees, in the order of the configuration.",
        schema: {
          type: "object",
          properties: { gateways: { type: "array", items: GatewaySchema } },
          required: ["gateways"],
        },
      },
    },
    handle: list,
  },
  {
    method: "GET",
    path: "/v1/gateways/{gateway}",
    needs: "read",
    id: "getGateway",
    summary: "One gateway, with its bridges.",
    answers: { 200: { about: "The gateway.", schema: GatewaySchema } },
    handle: one,
  },
  {
    method: "GET",
    path: "/v1/gateways/{gateway}/members",
    needs: "read",
    id: "listMembers",
    summary: "Who is in the rooms of a gateway, as far as the networks say.",
    answers: { 200: { about: "People of all rooms, each with its room.", schema: MembersSchema } },
    handle: members,
  },
];
