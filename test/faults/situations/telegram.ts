import { type Bridge, CALM, configuration, HASTY, linking } from "./config.ts";
import { type Scene, since, type Told } from "./scene.ts";
import { hears, IRC, settled, type Stage } from "./stage.ts";

/** Nobody listens on the port for discarding. */
const NOWHERE = 9;

/** What can be wrong with a bot of Telegram, and with its chats. */
export async function telegram({ ircd, chats, rooms, launch }: Stage, told: Told): Promise<Scene> {
  const { port, attic, hall, shut, stage, room, alice, crew, tokens } = chats;
  const bot = (name: string, channel: string | number, as: string): Bridge => ({
    account: `telegram.${name}`,
    channel: String(channel),
    port: name === "away" ? NOWHERE : port,
    as,
  });
  const config = configuration("pier", [
    { account: "irc.libera", channel: IRC.quay, port: ircd.port, as: "rialto-quay" },
    bot("crew", attic.id, tokens.well),
  ]);
  const accounts = linking(
    "drafts",
    [
      bot("token", hall.id, "123456789:AAF-sesame_sesame_sesame_sesame"),
      bot("hooked", hall.id, tokens.hooked),
      bot("moved", hall.id, tokens.moved),
      bot("away", hall.id, "123456780:AAF-sesame_sesame_sesame_sesame"),
    ],
    "drafts",
  );
  const channels = linking(
    "walks",
    [
      bot("walker", shut.id, tokens.walker),
      bot("walker", `${hall.id}/5`, tokens.walker),
      bot("shy", hall.id, tokens.shy),
      bot("mute", stage.id, tokens.mute),
    ],
    "walks",
  );
  const { rialto, operator } = await launch(`${config}${accounts}${channels}`);
  const from = await settled(rialto, [rooms.quay, room]);
  await operator.change([CALM, HASTY]);
  alice.kick(attic, crew);
  await hears(rooms.quay, "has been out of reach since");
  await rialto.client("desk").say({ text: "anybody there?", username: "anna" });
  const sights = await operator.look({
    told,
    says: ["Token", "webhook", "logged out", "ECONNREFUSED", "privacy mode", "need administrator rights", "removed"],
    retries: false,
    account: null,
    messages: [
      ...["token", "hooked", "moved"].map((name) => new RegExp(`"telegram\\.${name}".*"someone must act`, "u")),
      /"telegram\.away".*"the account is offline"/u,
      ...["shy", "mute"].map((name) => new RegExp(`"telegram\\.${name}".*online, but degraded"`, "u")),
      /"telegram\.walker".*"a channel cannot be joined"/u,
      /removed.*"a channel was lost"/u,
    ],
  });
  alice.add(attic, crew);
  await hears(rooms.quay, "was out of reach");
  await hears(room, "anybody there?");
  return {
    ...sights,
    rooms: { [`${IRC.quay} on IRC`]: since(rooms.quay(), from[0]), "attic on Telegram": since(room(), from[1]) },
  };
}
