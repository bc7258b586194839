import { describeRefusals } from "../hosted/refusals.ts";
import { EVERYBODY } from "../servers/discord/permissions.ts";
import { discord } from "./town.ts";

describeRefusals(discord, [
  {
    what: "the token is good no more",
    broken: ({ server, app }) => server.world.hub.revoke(app),
    says: /token/iu,
  },
  {
    what: "the switch for contents is off",
    broken: ({ app }) => (app.portal.messageContent = false),
    says: /Message Content Intent at [\w.:]+ > the application > Bot/su,
  },
  {
    what: "the switch for members is off",
    broken: ({ app }) => (app.portal.members = false),
    says: /Server Members Intent/u,
    goesOn: true,
  },
  {
    what: "the bot is not in the server",
    broken: ({ app, guild }) => guild.members.delete(app.user.id),
    says: /oauth2\/authorize\?client_id=\d+/u,
  },
  {
    what: "the bot does not see the channel",
    broken: ({ channel, guild, server }) => server.world.overwrite(channel, guild.id, [], ["ViewChannel"]),
    says: /View Channel/u,
    mend: ({ channel, guild, server }) => server.world.overwrite(channel, guild.id, ["ViewChannel"], []),
  },
  {
    what: "the bot may not write in the channel",
    mode: "bot",
    broken: ({ app, channel, server }) => server.world.overwrite(channel, app.user.id, [], ["SendMessages"]),
    says: /Send Messages/u,
    mend: ({ app, channel, server }) => server.world.overwrite(channel, app.user.id, [], []),
  },
  {
    what: "the bot may not read what was said before",
    broken: ({ app, channel, server }) => server.world.overwrite(channel, app.user.id, [], ["ReadMessageHistory"]),
    says: /Read Message History/u,
    mend: ({ app, channel, server }) => server.world.overwrite(channel, app.user.id, [], []),
  },
  {
    what: "the bot may not make webhooks",
    mode: "bot",
    broken: () => undefined,
    says: /Manage Webhooks/u,
    mend: ({ server, guild }) => {
      const everybody = guild.roles.get(guild.id);
      if (everybody !== undefined) server.world.changeRole(guild, everybody, [...EVERYBODY, "ManageWebhooks"]);
    },
    goesOn: true,
  },
]);
