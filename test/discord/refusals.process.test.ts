import { expect, test } from "vitest";
import { eventually } from "../support/wait.ts";
import { EVERYBODY } from "../servers/discord/permissions.ts";
import { type Mode, Town } from "./town.ts";

interface Refusal {
  readonly what: string;
  readonly mode?: Mode;
  readonly broken: (town: Town) => void;
  /** What both the log and `rialto status` say, with the remedy. */
  readonly says: RegExp;
  /** Takes the obstacle away, where Rialto then goes on by itself. */
  readonly mend?: (town: Town) => void;
  /** People are heard all the same. */
  readonly goesOn?: boolean;
}

const REFUSALS: readonly Refusal[] = [
  {
    what: "the token is good no more",
    broken: ({ side }) => side.server.world.hub.revoke(side.app),
    says: /token/iu,
  },
  {
    what: "the switch for contents is off",
    broken: ({ side }) => (side.app.portal.messageContent = false),
    says: /Message Content Intent.*discord\.com\/developers/su,
  },
  {
    what: "the switch for members is off",
    broken: ({ side }) => (side.app.portal.members = false),
    says: /Server Members Intent/u,
    goesOn: true,
  },
  {
    what: "the bot is not in the server",
    broken: ({ side }) => side.guild.members.delete(side.app.user.id),
    says: /oauth2\/authorize\?client_id=\d+/u,
  },
  {
    what: "the bot does not see the channel",
    broken: ({ side }) => side.server.world.overwrite(side.channel, side.guild.id, [], ["ViewChannel"]),
    says: /View Channel/u,
    mend: ({ side }) => side.server.world.overwrite(side.channel, side.guild.id, ["ViewChannel"], []),
  },
  {
    what: "the bot may not write in the channel",
    mode: "bot",
    broken: ({ side }) => side.server.world.overwrite(side.channel, side.app.user.id, [], ["SendMessages"]),
    says: /Send Messages/u,
    mend: ({ side }) => side.server.world.overwrite(side.channel, side.app.user.id, [], []),
  },
  {
    what: "the bot may not read what was said before",
    broken: ({ side }) => side.server.world.overwrite(side.channel, side.app.user.id, [], ["ReadMessageHistory"]),
    says: /Read Message History/u,
    mend: ({ side }) => side.server.world.overwrite(side.channel, side.app.user.id, [], []),
  },
  {
    what: "the bot may not make webhooks",
    mode: "bot",
    broken: () => undefined,
    says: /Manage Webhooks/u,
    mend: ({ side: { server, guild } }) => {
      const everybody = guild.roles.get(guild.id);
      if (everybody !== undefined) server.world.changeRole(guild, everybody, [...EVERYBODY, "ManageWebhooks"]);
    },
    goesOn: true,
  },
];

test.each(REFUSALS)(
  "$what: said in the log and by `status`, with the remedy",
  async ({ mode = "webhooks", broken, says, mend, goesOn = false }) => {
    const town = await Town.found(mode);
    broken(town);
    await town.begin();
    await town.until(() => says.test(town.rialto.output()), `${says} in the log`);
    await eventually(
      async () => await town.status(),
      (text) => says.test(text),
      () => `${says} in the status`,
    );
    expect(town.rialto.output()).not.toContain(town.side.app.token);
    // The API's own bridge runs on.
    expect(await town.post("news")).not.toBe("");
    mend?.(town);
    if (goesOn || mend !== undefined) await town.fence("after");
  },
);
