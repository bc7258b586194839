import { describeAdapter } from "../../../test/contract/describe-adapter.ts";
import { guestNames, onFake } from "../../../test/contract/fake-site.ts";
import type { Fixture, Harness } from "../../../test/contract/fixture.ts";
import { TelegramGuest } from "../../../test/servers/telegram/guest.ts";
import { addPerson, install, seat } from "../../../test/servers/telegram/people.ts";
import { FakeTelegram } from "../../../test/servers/telegram/server.ts";
import { USUAL_RIGHTS } from "../../../test/servers/telegram/world.ts";
import { eventually } from "../../../test/support/wait.ts";
import { adapter } from "./index.ts";
import { telegramSettings } from "./settings.suite.ts";

const WRONG = "open-barley-open-barley-open";

/** As an administrator, or as a member that BotFather lets hear everything. */
type Mode = "administrator" | "member";

async function harness(mode: Mode): Promise<Harness> {
  const server = await FakeTelegram.start();
  const { world } = server;
  const owner = addPerson(server, "owner");
  const [one, two, shut] = ["one", "two", "shut"].map((name) => world.addSupergroup(name, owner.user));
  if (one === undefined || two === undefined || shut === undefined) throw new Error("there are no chats");
  const bot = install(server, "rialto", [one, two]);
  if (mode === "administrator") for (const chat of [one, two]) seat(chat, bot, USUAL_RIGHTS);
  else bot.hasPrivacy = false;
  const settings = telegramSettings({ Token: bot.token, ApiURL: server.url });
  const freshName = guestNames();
  return {
    ...onFake(server),
    settings,
    wrong: {
      auth: { ...settings, Token: `${bot.user.id}:${WRONG}` },
      // Another path of the same site is nothing.
      config: { ...settings, ApiURL: `${server.url}/elsewhere` },
      // Port 1 (tcpmux): nothing is listening there.
      unreachable: { ...settings, ApiURL: "http://127.0.0.1:1" },
    },
    channels: [
      { name: String(one.id), options: {} },
      { name: String(two.id), options: {} },
    ],
    refused: { name: String(shut.id), options: {} },
    secrets: [bot.token, WRONG],
    peopleDoNotAct: true,
    callsSpeakers: true,
    typingStays: true,
    reactionsMost: 1,
    confirms: true,
    // A poll answers with a hundred, and says them again until they are confirmed.
    burst: 90,
    person: () => Promise.resolve(new TelegramGuest(server, freshName)),
    // Between two polls there is nothing to cut.
    cut: async () => {
      const isPolled = async (): Promise<boolean> => await Promise.resolve(server.updates.isPolled(bot));
      await eventually(
        isPolled,
        (is) => is,
        () => "a poll that waits",
      );
      server.wire.cut();
    },
  };
}

/** Bots are not told of deletions, and who throws them out does not let them in again: `losing.process.test.ts`. */
const fixture = (mode: Mode): Fixture => ({
  adapter,
  features: new Set([
    ...(["auth", "config", "unreachable", "refused", "leave", "stall", "edit"] as const),
    ...(["reply", "file", "notified", "history", "fetch", "showsTyping"] as const),
    // Members hear of no reactions.
    ...(mode === "administrator" ? (["react"] as const) : []),
  ]),
  start: async () => await harness(mode),
});

describeAdapter("Telegram, as an administrator", fixture("administrator"));
describeAdapter("Telegram, as a member", fixture("member"));
