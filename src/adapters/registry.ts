import type { Adapter } from "../contract/adapter.ts";
import type { Capabilities } from "../contract/capabilities.ts";
import type { Manifest } from "../contract/manifest.ts";
import { manifest as api } from "./api/index.ts";
import { adapter as discord } from "./discord/index.ts";
import { adapter as irc } from "./irc/index.ts";
import { adapter as matrix } from "./matrix/index.ts";
import { adapter as mattermost } from "./mattermost/index.ts";
import { adapter as slack } from "./slack/index.ts";
import { adapter as telegram } from "./telegram/index.ts";
import { adapter as web } from "./web/index.ts";
import { adapter as xmpp } from "./xmpp/index.ts";

/** Every network of this program, by its protocol. */
export const adapters: ReadonlyMap<string, Adapter> = new Map(
  [irc, xmpp, matrix, mattermost, discord, slack, telegram, web].map((adapter) => [adapter.manifest.protocol, adapter]),
);

/** What a network can do; null: the HTTP API, which is none; undefined: there is no such protocol. */
export const capabilitiesOf = (protocol: string): Capabilities | null | undefined =>
  protocol === api.protocol ? null : adapters.get(protocol)?.capabilities;

/** Every protocol of this program, by name. A test holds it equal to the folders beside this file. */
export const protocols: ReadonlyMap<string, Manifest> = new Map(
  [api, ...[...adapters.values()].map(({ manifest }) => manifest)].map((manifest) => [manifest.protocol, manifest]),
);
