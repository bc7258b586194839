import { setTimeout as sleep } from "node:timers/promises";
import { ask } from "../../src/cli/client.ts";
import { socketPath } from "../../src/http/admin/socket.ts";
import { startInspircd } from "../servers/irc/inspircd.ts";
import { SERVER_NAME, startSynapse } from "../servers/matrix/synapse.ts";
import { NioPeople } from "../servers/people/nio.ts";
import { startProsody } from "../servers/xmpp/prosody.ts";
import { freePorts } from "../support/ports.ts";
import { type Rialto, startRialto } from "../support/rialto.ts";
import type { ApiStream } from "../support/stream.ts";
import { eventually, pauseAfter } from "../support/wait.ts";
import { apiPlace, sightsOf } from "./api-place.ts";
import { DISCORD_CHANNEL, type DiscordAccount, discordPlace } from "./discord-place.ts";
import { ircPlace } from "./irc-place.ts";
import { matrixPlace } from "./matrix-place.ts";
import { MATTERMOST_CHANNEL, type MattermostAccount, mattermostPlace } from "./mattermost-place.ts";
import { type Network, NETWORKS, type Place, type Reader, type Sight } from "./place.ts";
import type { Await, Places } from "./play.ts";
import { SLACK_CHANNEL, type SlackAccount, slackPlace } from "./slack-place.ts";
import { TELEGRAM_CHANNEL, type TelegramAccount, telegramPlace } from "./telegram-place.ts";
import { holds, wordOf } from "./things.ts";
import { webPlace } from "./web-place.ts";
import { xmppPlace } from "./xmpp-place.ts";

export const GATEWAY = "square";
const PASSWORD = "open-sesame";
/** For everybody to come in; and so long nothing comes to those who wait for something; on a busy machine. */
const SILENCE_MS = 60_000;
/** Between two tries to be heard. */
const SAY_AGAIN_MS = 500;
const CHANNELS = {
  irc: "#square",
  xmpp: "square",
  matrix: `#square:${SERVER_NAME}`,
  mattermost: MATTERMOST_CHANNEL,
  discord: DISCORD_CHANNEL,
  slack: SLACK_CHANNEL,
  telegram: TELEGRAM_CHANNEL,
  web: "square",
} as const;
const SERVICE = "conference.localhost";

/** Accounts that bring something into the log, with the channel of each. */
export const SOURCES: Readonly<Record<Network, { readonly account: string; readonly channel: string }>> = {
  irc: { account: "irc.net", channel: CHANNELS.irc },
  xmpp: { account: "xmpp.net", channel: CHANNELS.xmpp },
  matrix: { account: "matrix.net", channel: CHANNELS.matrix },
  mattermost: { account: "mattermost.net", channel: CHANNELS.mattermost },
  discord: { account: "discord.net", channel: CHANNELS.discord },
  slack: { account: "slack.net", channel: CHANNELS.slack },
  telegram: { account: "telegram.net", channel: CHANNELS.telegram },
  web: { account: "web.net", channel: CHANNELS.web },
  api: { account: "api.writer", channel: GATEWAY },
};

/** A server of each network, all real but those of companies, somebody in its room, and Rialto in all of them. */
export interface Stage {
  readonly places: Places;
  /** What an account of the API without FullEvents has seen. */
  readonly plain: () => readonly Sight[];
  readonly reached: Await;
  readonly rialto: Rialto;
  readonly end: () => Promise<void>;
}

export async function setStage(): Promise<Stage> {
  const ends: (() => Promise<unknown>)[] = [];
  const kept = async <T>(starting: Promise<T>, end: (started: T) => Promise<unknown>): Promise<T> => {
    const started = await starting;
    ends.unshift(async () => await end(started));
    return started;
  };
  const end = async (): Promise<void> => {
    for (const one of ends) await one();
  };
  try {
    const [ircd, prosody, synapse] = await Promise.all([
      kept(startInspircd(), async (server) => await server.stop()),
      kept(startProsody(), async (server) => await server.stop()),
      kept(startSynapse(), async (server) => await server.stop()),
    ]);
    const nio = await kept(Promise.resolve(new NioPeople(synapse.url)), async (people) => await people.stop());
    const [irc, xmpp, { place: matrix }, { place: mattermost, account }, discord, slack, telegram, user] =
      await Promise.all([
        kept(ircPlace(ircd.port, CHANNELS.irc), async (place) => await place.quit()),
        kept(xmppPlace(prosody, `${CHANNELS.xmpp}@${SERVICE}`), async (place) => await place.quit()),
        matrixPlace(nio, "square"),
        kept(mattermostPlace(), async ({ place }) => await place.quit()),
        kept(discordPlace(), async ({ place }) => await place.quit()),
        kept(slackPlace(), async ({ place }) => await place.quit()),
        kept(telegramPlace(), async ({ place }) => await place.quit()),
        nio.person("rialto", { deaf: true, password: PASSWORD }),
        prosody.register("rialto", PASSWORD),
      ]);
    await nio.quit(user.id);
    const [media = 0, web = 0] = await freePorts(2);
    const config = configuration({
      irc: ircd.port,
      xmpp: prosody.port,
      matrix: synapse.url,
      mattermost: account,
      discord: discord.account,
      slack: slack.account,
      telegram: telegram.account,
      web,
      media,
    });
    const rialto = await kept(startRialto({ config }), async (program) => await program.dispose());
    const stream = async (account: string): Promise<ApiStream> => await rialto.client(account).stream();
    const [full, plain] = [await stream("full"), await stream("plain")];
    const guest = await kept(guestOf(rialto, web), async (place) => await place.quit());
    const api = apiPlace(rialto.client("writer"), full, GATEWAY);
    const places: Places = {
      irc,
      xmpp,
      matrix,
      mattermost,
      discord: discord.place,
      slack: slack.place,
      telegram: telegram.place,
      web: guest,
      api,
    };
    const reached = reaching(places, () => sightsOf(plain), rialto);
    await allIn(places);
    return { places, plain: () => sightsOf(plain), reached, rialto, end };
  } catch (error) {
    await end();
    throw error;
  }
}

/** The chat is Rialto's own: people come as soon as its room is open. */
async function guestOf(rialto: Rialto, port: number): Promise<Place> {
  const question = { method: "POST", path: "/api/v1/invites", body: { gateway: GATEWAY, uses: 2 } } as const;
  const { body } = await eventually(
    async () => await ask(socketPath(rialto.dataPath), question),
    ({ status }) => status === 200,
    () => "the room of the web chat to open",
  );
  return await webPlace(`http://127.0.0.1:${port}`, (JSON.parse(body) as { readonly url: string }).url);
}

/** Everybody sees what everybody says; asks again and again until it is so. */
async function allIn(places: Places): Promise<void> {
  const words = (from: Network): string => wordOf("hello", from);
  let missing: readonly (readonly [Network, Network])[] = [];
  let saidMs = -Infinity;
  await eventually(
    async () => {
      missing = NETWORKS.flatMap((to) => {
        const sights = places[to].sights();
        const unheard = NETWORKS.filter((from) => from !== to && !sights.some(({ text }) => holds(text, words(from))));
        return unheard.map((from) => [to, from] as const);
      });
      const unheard = new Set(missing.map(([, from]) => from));
      if (performance.now() - saidMs >= SAY_AGAIN_MS) {
        saidMs = performance.now();
        await Promise.all([...unheard].map(async (from) => await places[from].say(words(from), "normal")));
      }
      return missing;
    },
    (pairs) => pairs.length === 0,
    () => `everybody to hear everybody; not so: ${JSON.stringify(missing)}`,
    SILENCE_MS,
  );
}

/** All who wait look together: who looks all the time takes it from the program that is waited for. */
function reaching(places: Places, plain: () => readonly Sight[], rialto: Rialto): Await {
  const readers = [...NETWORKS.map((to) => [to, () => places[to].sights()] as const), ["plain", plain] as const];
  const waiting = new Set<Waiting>();
  let looking = false;
  const look = async (): Promise<void> => {
    looking = true;
    for (let [sinceMs, before] = [Date.now(), -1]; waiting.size > 0;) {
      const begunMs = performance.now();
      let count = 0;
      for (const [to, sights] of readers) {
        const all = sights();
        count += all.length;
        for (const { missing, words } of waiting) {
          if (missing.has(to) && all.some(({ text }) => holds(text, words))) missing.delete(to);
        }
      }
      if (count !== before) [sinceMs, before] = [Date.now(), count];
      const isOver = Date.now() - sinceMs > SILENCE_MS;
      for (const one of waiting) {
        if (one.missing.size > 0 && !isOver) continue;
        waiting.delete(one);
        one.done();
      }
      await sleep(pauseAfter(performance.now() - begunMs));
    }
    looking = false;
  };
  return async (from, words) => {
    const { promise, resolve: done } = Promise.withResolvers<void>();
    const missing = new Set(readers.map(([to]) => to).filter((to) => to !== from || to === "api"));
    waiting.add({ words, missing, done });
    if (!looking) void look();
    await promise;
    if (missing.size > 0)
      throw new Error(
        `"${words}" has not reached ${[...missing].join(", ")}; Rialto printed:\n${rialto.output().slice(-4_000)}`,
      );
  };
}

interface Waiting {
  readonly words: string;
  /** Who has not seen them yet. */
  readonly missing: Set<Reader>;
  readonly done: () => void;
}

function configuration(at: {
  readonly irc: number;
  readonly xmpp: number;
  readonly matrix: string;
  readonly mattermost: MattermostAccount;
  readonly discord: DiscordAccount;
  readonly slack: SlackAccount;
  readonly telegram: TelegramAccount;
  readonly web: number;
  readonly media: number;
}): string {
  const bridge = (account: string, channel: string): string =>
    `[[gateway.inout]]\naccount = "${account}"\nchannel = "${channel}"`;
  return `[general]
MediaBindAddress = "127.0.0.1:${at.media}"
MediaAllowPrivate = true
ShowJoinPart = true
ShowTopicChange = true
RemoteNickFormat = "<{NICK}> "
[irc.net]
Server = "127.0.0.1:${at.irc}"
Nick = "rialto"
MessageDelay = 0
[xmpp.net]
Server = "127.0.0.1:${at.xmpp}"
Jid = "rialto@localhost"
Password = "${PASSWORD}"
Muc = "${SERVICE}"
Nick = "rialto"
NoStartTLS = true
[matrix.net]
Server = "${at.matrix}"
Login = "rialto"
Password = "${PASSWORD}"
[mattermost.net]
Server = "${at.mattermost.Server}"
NoTLS = true
Team = "${at.mattermost.Team}"
Token = "${at.mattermost.Token}"
[discord.net]
ApiURL = "${at.discord.ApiURL}"
Server = "${at.discord.Server}"
Token = "${at.discord.Token}"
[slack.net]
ApiURL = "${at.slack.ApiURL}"
Token = "${at.slack.Token}"
AppToken = "${at.slack.AppToken}"
[telegram.net]
ApiURL = "${at.telegram.ApiURL}"
Token = "${at.telegram.Token}"
[web.net]
BindAddress = "127.0.0.1:${at.web}"
Rate = 100000
[api.writer]
FullEvents = true
Buffer = 10000
[api.full]
FullEvents = true
Buffer = 10000
[api.plain]
Buffer = 10000
[[gateway]]
name = "${GATEWAY}"
enable = true
${bridge("irc.net", CHANNELS.irc)}
${bridge("xmpp.net", CHANNELS.xmpp)}
${bridge("matrix.net", CHANNELS.matrix)}
${bridge("mattermost.net", CHANNELS.mattermost)}
${bridge("discord.net", CHANNELS.discord)}
${bridge("slack.net", CHANNELS.slack)}
${bridge("telegram.net", CHANNELS.telegram)}
${bridge("web.net", CHANNELS.web)}
${["writer", "full", "plain"].map((name) => bridge(`api.${name}`, "api")).join("\n")}
`;
}
