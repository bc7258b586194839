import { describeRefusals } from "../hosted/refusals.ts";
import { telegram } from "./town.ts";

const CONFLICT = "Conflict: terminated by other getUpdates request; make sure that only one bot instance is running";

describeRefusals(telegram, [
  {
    what: "the token was revoked",
    broken: ({ server, bot }) => server.revoke(bot),
    says: /does not accept Token .*@BotFather/su,
  },
  {
    what: "the bot has a webhook",
    broken: ({ bot }) => (bot.webhook = "https://hooks.example.org/secret-path"),
    says: /has a webhook at .*deleteWebhook/su,
  },
  {
    what: "another program asks for what happens",
    broken: ({ server }) => server.refuse("getUpdates", 409, CONFLICT, Infinity),
    says: /another program asks for this bot's messages.*make a bot for Rialto alone/su,
  },
  {
    what: "the bot hears only what is meant for it",
    broken: ({ alice, chat, bot }) => alice.demote(chat, bot),
    says: /privacy mode is on: make it an administrator/u,
  },
  {
    what: "the bot is not in the chat",
    broken: ({ alice, chat, bot }) => alice.kick(chat, bot),
    says: /@rialto_bot was removed|bot was kicked.*add @rialto_bot to|an administrator of the chat can add @rialto_bot/su,
    mend: ({ alice, chat, bot }) => {
      alice.add(chat, bot);
      alice.promote(chat, bot);
    },
  },
  {
    what: "the bot may not write",
    broken: ({ alice, chat, bot }) => {
      bot.hasPrivacy = false;
      alice.restrict(chat, bot);
    },
    says: /@rialto_bot may not write in the chat: an administrator can allow it/u,
  },
]);
