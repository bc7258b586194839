import { describeRefusals } from "../hosted/refusals.ts";
import { mattermost } from "./town.ts";

describeRefusals(mattermost, [
  {
    what: "the token is good no more",
    broken: ({ secret, server }) => server.world.tokens.delete(secret),
    says: /token/iu,
  },
  {
    what: "the bot is not in the channel, which is private",
    broken: ({ bot, channel }) => {
      channel.type = "P";
      bot.leave(channel);
    },
    says: /add @rialto to it if it is private/u,
    mend: ({ alice, bot, channel }) => alice.add(channel, bot),
  },
  {
    what: "the bot lacks the permission to post",
    broken: ({ bot }) => bot.account.denied.add("create_post"),
    posts: true,
    says: /town: @rialto may not post here: it lacks the permission create_post \(System Console/u,
  },
  {
    what: "the channel is archived",
    broken: ({ alice, channel }) => alice.archive(channel),
    says: /archived; Rialto joins it again when somebody unarchives it/u,
    mend: ({ alice, channel }) => alice.restore(channel),
  },
]);
