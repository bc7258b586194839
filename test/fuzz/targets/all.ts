import type { Target } from "../target.ts";
import { config } from "./config.ts";
import { content } from "./content.ts";
import { discordGateway } from "./discord-gateway.ts";
import { discord } from "./discord.ts";
import { irc } from "./irc.ts";
import { matrix } from "./matrix.ts";
import { mattermost } from "./mattermost.ts";
import { plans } from "./plans.ts";
import { slack } from "./slack.ts";
import { telegram } from "./telegram.ts";
import { web } from "./web.ts";
import { xmpp } from "./xmpp.ts";

/** All that runs in one process; `http` is a target of its own. */
export const TARGETS: readonly Target[] = [
  content,
  config,
  irc,
  xmpp,
  matrix,
  mattermost,
  discord,
  discordGateway,
  slack,
  telegram,
  web,
  plans,
];
