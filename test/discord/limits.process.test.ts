import { describeLimits } from "../hosted/limits.ts";
import { tooMany } from "../servers/discord/faults.ts";
import { CHANNEL_WEBHOOKS } from "../servers/discord/limits.ts";
import { discord } from "./town.ts";

const SCOPES = ["user", "shared", "global"] as const;

describeLimits(discord, {
  refusals: SCOPES.flatMap((scope) =>
    discord.modes.map((mode) => ({
      what: scope,
      mode,
      refuse: ({ asks, server }) => server.faults.answer(asks.post, tooMany(1, scope), Infinity),
    })),
  ),
  paces: [
    {
      what: "a bucket of five",
      mode: "webhooks",
      pace: ({ server }) => server.limits.set("POST /webhooks/:webhook/:token", 5, 500),
      pauses: 4,
    },
    {
      what: "a bucket of five",
      mode: "bot",
      pace: ({ server }) => server.limits.set("POST /channels/:channel/messages", 5, 500),
      pauses: 4,
    },
    {
      what: "ten for all webhooks of a channel",
      mode: "webhooks",
      pace: ({ server }) => server.limits.set(CHANNEL_WEBHOOKS, 10, 500),
      pauses: 3,
    },
    {
      what: "ten requests of all kinds",
      mode: "bot",
      pace: ({ server }) => server.limits.set("global", 10, 500),
      pauses: 5,
    },
    {
      what: "slow mode, also for bots",
      mode: "bot",
      pace: ({ alice, channel, server }) => {
        server.world.slowsBots = true;
        alice.setSlow(channel, 1);
      },
      pauses: 22,
    },
  ],
});
