import path from "node:path";
import { SERVER_NAME } from "../../servers/matrix/synapse.ts";
import { type Bridge, CALM, configuration, HASTY, linking } from "./config.ts";
import { hears, IRC, PASSWORD, settled, type Stage } from "./stage.ts";
import { type Scene, since, type Told } from "./scene.ts";
import { telegram } from "./telegram.ts";
import { masked } from "./words.ts";
import { until } from "./watch.ts";

/** Each makes its situation happen, looks, and ends it. */
export const SCENES = {
  "wrong-password": wrongPassword,
  "server-gone": serverGone,
  banned,
  "rate-limit": rateLimit,
  "disk-full": diskFull,
  mattermost,
  discord,
  slack,
  telegram,
} as const;

/** Nobody listens on the port for discarding. */
const NOWHERE = 9;

export type SceneName = keyof typeof SCENES;

async function wrongPassword({ ircd, prosody, rooms, launch }: Stage, told: Told): Promise<Scene> {
  const config = configuration("lobby", [
    { account: "irc.libera", channel: IRC.lobby, port: ircd.port, as: "rialto-lobby" },
    { account: "xmpp.home", channel: "lobby", port: prosody.port, as: "lobby" },
  ]);
  const wrong = config.replace(PASSWORD, "sesame");
  const { rialto, operator } = await launch(wrong);
  const [from = 0] = await settled(rialto, [rooms.lobby]);
  const sights = await operator.look({
    told,
    says: ["action-needed"],
    retries: true,
    account: "xmpp.home",
    messages: [/"someone must act: the account cannot connect"/u],
  });
  await operator.change([CALM, HASTY]);
  await hears(rooms.lobby, "has been out of reach since");
  await operator.change([CALM, HASTY], ["sesame", PASSWORD]);
  await hears(rooms.lobby, "was out of reach");
  return { ...sights, rooms: { [`${IRC.lobby} on IRC`]: since(rooms.lobby(), from) } };
}

async function serverGone({ ircd, other, synapse, rooms, launch }: Stage, told: Told): Promise<Scene> {
  const config = configuration("harbour", [
    { account: "irc.libera", channel: IRC.harbour, port: ircd.port, as: "rialto-harbour" },
    { account: "irc.oftc", channel: "#quay", port: other.port, as: "rialto" },
    { account: "matrix.home", channel: `#harbour:${SERVER_NAME}`, port: synapse.port, as: "rialto-harbour" },
  ]);
  const { rialto, operator } = await launch(config);
  const from = await settled(rialto, [rooms.harbour, rooms.harbourMatrix]);
  await until(
    async () => await operator.status(),
    ({ accounts }) => accounts.every(({ channels }) => channels.every(({ state }) => state === "joined")),
    "everybody to be there",
  );
  await operator.change([CALM, HASTY]);
  await other.kill();
  await hears(rooms.harbour, "has been out of reach since");
  await rialto.client("desk").say({ text: "ahoy", username: "anna" });
  const sights = await operator.look({
    told,
    says: ["waiting", "ECONNREFUSED"],
    retries: true,
    account: "irc.oftc",
    messages: [/ECONNREFUSED.*"the account is offline"/u, /"rooms are told that a channel is out of reach"/u],
  });
  await other.restart();
  await hears(rooms.harbour, "was out of reach");
  await hears(rooms.harbourMatrix, "was out of reach");
  return {
    ...sights,
    rooms: {
      [`${IRC.harbour} on IRC`]: since(rooms.harbour(), from[0]),
      "harbour on Matrix": since(rooms.harbourMatrix(), from[1]),
    },
  };
}

async function banned({ ircd, prosody, ira, rooms, launch }: Stage, told: Told): Promise<Scene> {
  const config = configuration("square", [
    { account: "irc.libera", channel: IRC.square, port: ircd.port, as: "rialto" },
    { account: "xmpp.home", channel: "square", port: prosody.port, as: "square" },
  ]);
  const { rialto, operator } = await launch(config);
  const from = await settled(rialto, [rooms.square, rooms.xmpp]);
  await operator.change([CALM, HASTY]);
  await ira.raw(`MODE ${IRC.square} +b rialto!*@*`);
  await ira.raw(`KICK ${IRC.square} rialto :no robots here`);
  await hears(rooms.xmpp, "has been out of reach since");
  const sights = await operator.look({
    told,
    says: ["banned", "waiting"],
    retries: true,
    account: "irc.libera",
    messages: [/kicked by ira.*"a channel was lost"/u, /banned.*"a channel cannot be joined"/u],
  });
  await ira.raw(`MODE ${IRC.square} -b rialto!*@*`);
  await ira.raw(`INVITE rialto ${IRC.square}`);
  await hears(rooms.xmpp, "was out of reach");
  return {
    ...sights,
    rooms: {
      [`${IRC.square} on IRC`]: since(rooms.square(), from[0]),
      "square on XMPP": since(rooms.xmpp(), from[1]),
    },
  };
}

async function rateLimit({ synapse, rooms, launch }: Stage, told: Told): Promise<Scene> {
  const config = configuration("palace", [
    { account: "matrix.home", channel: `#palace:${SERVER_NAME}`, port: synapse.port, as: "rialto-palace" },
  ]);
  const { rialto, operator } = await launch(config);
  const [from = 0] = await settled(rialto, [rooms.palaceMatrix]);
  await operator.change([CALM, HASTY]);
  for (const text of ["one", "two", "three", "four", "five"])
    await rialto.client("desk").say({ text, username: "anna" });
  const sights = await operator.look({
    told,
    says: ["messages wait"],
    retries: true,
    account: "matrix.home",
    messages: [/M_LIMIT_EXCEEDED.*"messages wait for delivery"/u],
  });
  await hears(rooms.palaceMatrix, "five");
  return { ...sights, rooms: { "palace on Matrix": since(rooms.palaceMatrix(), from) } };
}

async function diskFull({ ircd, disk, ira, rooms, launch }: Stage, told: Told): Promise<Scene> {
  const config = configuration("office", [
    { account: "irc.libera", channel: IRC.office, port: ircd.port, as: "rialto-office" },
  ]);
  const { rialto, operator } = await launch(config, path.join(disk.folder, "data"));
  const [from = 0] = await settled(rialto, [rooms.office]);
  const desk = rialto.client("desk");
  await disk.fillTo(8);
  const post = async (text: string): Promise<string> => {
    const answer = await desk.post({ text, username: "anna" });
    return answer.status === 200 ? "" : `${answer.status} ${answer.text}`;
  };
  const refused = await until(
    async () => await post("a try"),
    (answer) => answer !== "",
    "a post to be refused",
  );
  await ira.say(IRC.office, "can you hear me?");
  const sights = await operator.look({
    told,
    says: ["No room on the disk"],
    retries: false,
    account: null,
    messages: [/"events wait: the log does not accept them"/u, /"messages are refused"/u],
  });
  await disk.free();
  const heard: string[] = [];
  const poll = async (): Promise<readonly string[]> => {
    heard.push(...(await desk.poll()).map(({ username, text }) => `${username}: ${text}`));
    return heard;
  };
  await until(poll, (lines) => lines.some((line) => line.includes("can you hear me?")), "what ira said");
  await until(
    async () => await post("now we can"),
    (answer) => answer === "",
    "a post to be taken",
  );
  await hears(rooms.office, "now we can");
  const seen = since(rooms.office(), from).filter((line) => !line.endsWith("a try"));
  return {
    ...sights,
    rooms: {
      "a client of the API": [masked(refused, rialto.dataPath), ...heard],
      [`${IRC.office} on IRC`]: seen,
    },
  };
}

async function mattermost({ ircd, company, rooms, launch }: Stage, told: Told): Promise<Scene> {
  const { port, attic, room, alice, token, mute } = company;
  const drafts = linking(
    "drafts",
    [
      { account: "mattermost.token", channel: "hall", port, as: "sesame" },
      { account: "mattermost.team", channel: "hall", port, as: token },
      { account: "mattermost.away", channel: "hall", port: NOWHERE, as: token },
      { account: "mattermost.mute", channel: "hall", port, as: mute },
    ],
    "drafts",
  ).replace(/(?<=\[mattermost\.team\][^[]*Team = )"sales"/u, '"slaes"');
  const config = configuration("works", [
    { account: "irc.libera", channel: IRC.works, port: ircd.port, as: "rialto-works" },
    { account: "mattermost.work", channel: "attic", port, as: token },
  ]);
  const { rialto, operator } = await launch(`${config}${drafts}`);
  const from = await settled(rialto, [rooms.works, room]);
  await operator.change([CALM, HASTY]);
  alice.archive(attic);
  await hears(rooms.works, "has been out of reach since");
  await rialto.client("desk").say({ text: "anybody there?", username: "anna" });
  await rialto.client("drafts").say({ text: "good morning", username: "anna" });
  const sights = await operator.look({
    told,
    says: ["Token", "slaes", "ECONNREFUSED", "hall: @mute may not post here", "archived"],
    retries: false,
    account: null,
    messages: [
      /"mattermost\.token".*"someone must act: the account cannot connect"/u,
      /"mattermost\.team".*"someone must act: the account cannot connect"/u,
      /"mattermost\.away".*"the account is offline"/u,
      /create_post.*"messages wait for delivery"/u,
      /archived.*"a channel was lost"/u,
    ],
  });
  alice.restore(attic);
  await hears(rooms.works, "was out of reach");
  await hears(room, "anybody there?");
  return {
    ...sights,
    rooms: { [`${IRC.works} on IRC`]: since(rooms.works(), from[0]), "attic on Mattermost": since(room(), from[1]) },
  };
}

async function discord({ ircd, guild, rooms, launch }: Stage, told: Told): Promise<Scene> {
  const { port, attic, room, alice, tokens } = guild;
  const bot = (name: string, channel: string, as: string): Bridge => ({
    account: `discord.${name}`,
    channel,
    port: name === "away" ? NOWHERE : port,
    as,
  });
  const config = configuration("town", [
    { account: "irc.libera", channel: IRC.town, port: ircd.port, as: "rialto-town" },
    bot("club", "attic", tokens.well),
  ]);
  const accounts = linking(
    "drafts",
    [
      bot("token", "hall", "sesame"),
      bot("unheard", "hall", tokens.unheard),
      bot("outside", "hall", tokens.outside),
      bot("away", "hall", tokens.well),
      bot("aloof", "hall", tokens.aloof),
      bot("nameless", "porch", tokens.nameless),
    ],
    "drafts",
  );
  const channels = linking(
    "walks",
    ["attick", "general", "staff", "rules"].map((channel) => bot("walker", channel, tokens.well)),
    "walks",
  );
  const { rialto, operator } = await launch(`${config}${accounts}${channels}`);
  const from = await settled(rialto, [rooms.town, room]);
  await operator.change([CALM, HASTY]);
  alice.deleteChannel(attic);
  await hears(rooms.town, "has been out of reach since");
  await rialto.client("desk").say({ text: "anybody there?", username: "anna" });
  const sights = await operator.look({
    told,
    says: ["Token", "Message Content", "oauth2", "ECONNREFUSED", "Server Members", "Manage Webhooks", "deleted"],
    retries: false,
    account: null,
    messages: [
      ...["token", "unheard", "outside"].map((name) => new RegExp(`"discord\\.${name}".*"someone must act`, "u")),
      /"discord\.away".*"the account is offline"/u,
      ...["aloof", "nameless"].map((name) => new RegExp(`"discord\\.${name}".*online, but degraded"`, "u")),
      ...["attick", "general", "staff", "rules"].map(
        (channel) => new RegExp(`"channel":"${channel}".*"a channel cannot be joined"`, "u"),
      ),
      /deleted.*"a channel was lost"/u,
    ],
  });
  guild.restore();
  await hears(rooms.town, "was out of reach");
  await hears(room, "anybody there?");
  return {
    ...sights,
    rooms: { [`${IRC.town} on IRC`]: since(rooms.town(), from[0]), "attic on Discord": since(room(), from[1]) },
  };
}

async function slack({ ircd, workspace, rooms, launch }: Stage, told: Told): Promise<Scene> {
  const { port, attic, room, alice, tokens } = workspace;
  const app = (name: string, channel: string, as: string): Bridge => ({
    account: `slack.${name}`,
    channel,
    port: name === "away" ? NOWHERE : port,
    as,
  });
  const config = configuration("works", [
    { account: "irc.libera", channel: IRC.yard, port: ircd.port, as: "rialto-yard" },
    app("crew", "attic", tokens.well),
  ]);
  const names = ["removed", "deaf", "closed", "mute", "mixed", "nameless"] as const;
  const accounts = linking(
    "drafts",
    [
      app("token", "hall", `xoxb-1-2-sesame ${tokens.well.split(" ")[1]}`),
      ...names.map((name) => app(name, "hall", tokens[name])),
      app("away", "hall", tokens.well),
      app("page", "hall", tokens.well),
    ],
    "drafts",
  ).replace(/(?<=\[slack\.page\]\nApiURL = "[^"]*)api\/(?=")/u, "");
  const channels = linking(
    "walks",
    [
      ...["attick", "staff", "cellar"].map((channel) => app("walker", channel, tokens.walker)),
      app("shy", "hall", tokens.shy),
    ],
    "walks",
  );
  const { rialto, operator } = await launch(`${config}${accounts}${channels}`);
  const from = await settled(rialto, [rooms.yard, room]);
  await operator.change([CALM, HASTY]);
  alice.archive(attic);
  await hears(rooms.yard, "has been out of reach since");
  await rialto.client("desk").say({ text: "anybody there?", username: "anna" });
  const sights = await operator.look({
    told,
    says: [
      "Token",
      "Socket Mode is off",
      "connections:write",
      "two apps",
      "ECONNREFUSED",
      "chat:write.customize",
      "archived",
    ],
    retries: false,
    account: null,
    messages: [
      ...["token", "removed", "deaf", "closed", "mute", "mixed", "page"].map(
        (name) => new RegExp(`"slack\\.${name}".*"someone must act`, "u"),
      ),
      /"slack\.away".*"the account is offline"/u,
      /"slack\.nameless".*online, but degraded"/u,
      ...["attick", "staff", "cellar"].map(
        (channel) => new RegExp(`"channel":"${channel}".*"a channel cannot be joined"`, "u"),
      ),
      /"slack\.shy".*"a channel cannot be joined"/u,
      /archived.*"a channel was lost"/u,
    ],
  });
  alice.unarchive(attic);
  await hears(rooms.yard, "was out of reach");
  await hears(room, "anybody there?");
  return {
    ...sights,
    rooms: { [`${IRC.yard} on IRC`]: since(rooms.yard(), from[0]), "attic on Slack": since(room(), from[1]) },
  };
}
