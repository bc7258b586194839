import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { protocols } from "../../src/adapters/registry.ts";
import { generalSchema } from "../../src/config/schema.ts";
import { ApiClient } from "../support/client.ts";
import { freePorts } from "../support/ports.ts";
import { launch } from "../support/suite.ts";
import { eventually } from "../support/wait.ts";
import {
  echoingDiscord,
  echoingIrc,
  echoingMatrix,
  echoingMattermost,
  echoingSlack,
  echoingTelegram,
  echoingXmpp,
  REFUSED_PASSWORD,
} from "./echo-servers.ts";

/** One value for each secret setting of each protocol, and of each option of a channel: `protocol.Setting`. */
const SECRETS = {
  "irc.Password": `irc"pass&<word>\\1`,
  "irc.NickServPassword": `nick"serv&<é>%41`,
  "irc.RunCommands": "OPER relay c0mmandSecret",
  "irc.Proxy": "http://rialto:pr0xy-secret-14@127.0.0.1:1",
  "irc.key": `ch"annel&key<>`,
  "xmpp.Password": `xmpp"pass&<ü>`,
  "xmpp.key": "room'pass&word",
  "matrix.Password": `matrix"pass&<ö>`,
  "matrix.Token": "syt_matrix+token/1==",
  "matrix.ASToken": "as_token.of-the_registration~",
  "matrix.HSToken": "hs_token.of-the_registration~",
  "mattermost.Token": "bot+token/4==",
  "mattermost.Password": 'mm: "pass<word>" &',
  "mattermost.WebhookURL": "http://hooks.invalid/hooks/hook+key5",
  "mattermost.WebhookToken": "outgoing+token/6==",
  "discord.Token": "Nzk5LmJvdA.Gdisco.token_of-the_bot/7",
  "discord.WebhookURL": "https://hooks.invalid/api/webhooks/1234567890123456/account-hook_8",
  "discord.webhookurl": "https://hooks.invalid/api/webhooks/1234567890123457/channel-hook_9",
  "slack.Token": "xoxb-1-2-bot+token/10==",
  "slack.AppToken": "xapp-1-A2-app+token/11==",
  "slack.WebhookURL": "https://hooks.invalid/services/T1/B1/hook+key12",
  "telegram.Token": "1234567890:AAFbot_token-of_the_thirteenth13",
  "api.Token": "api+token/2==",
  "general.AdminToken": "admin+token/3==",
} as const;

const PROXIED = ["general", "xmpp", "matrix", "mattermost", "discord", "slack", "telegram"];
/** Those of a log that servers carry: test/cluster/takeover.servers.test.ts. Other proxies are as the one of IRC. */
const ELSEWHERE = ["general.LogPassword", "general.LogToken", ...PROXIED.map((owner) => `${owner}.Proxy`)];

const text = (value: string): string => JSON.stringify(value);

interface Ports {
  readonly irc: number;
  readonly xmpp: number;
  readonly matrix: number;
  readonly mattermost: number;
  readonly discord: number;
  readonly slack: number;
  readonly telegram: number;
  readonly admin: number;
}

function configuration(ports: Ports): string {
  const irc = (name: string, nick: string, more: string): string => `
[irc.${name}]
Server = "127.0.0.1:${ports.irc}"
Nick = "${nick}"
MessageDelay = 0
${more}`;
  const xmpp = (name: string, jid: string): string => `
[xmpp.${name}]
Server = "127.0.0.1:${ports.xmpp}"
Jid = "${jid}@test"
Password = ${text(SECRETS["xmpp.Password"])}
Muc = "rooms.test"
Nick = "rialto"
NoStartTLS = true
Mechanism = "PLAIN"`;
  const matrix = (name: string, more: string): string => `
[matrix.${name}]
Server = "http://127.0.0.1:${ports.matrix}"
${more}`;
  const mattermost = (name: string, more: string): string => `
[mattermost.${name}]
Server = "127.0.0.1:${ports.mattermost}"
NoTLS = true
Team = "team"
${more}`;
  return [
    `[general]\nAdminBindAddress = "127.0.0.1:${ports.admin}"\nAdminToken = ${text(SECRETS["general.AdminToken"])}`,
    irc("refused", "refused", `Password = ${text(REFUSED_PASSWORD)}`),
    irc(
      "sasl",
      "sasl",
      `UseSASL = true\nNickServNick = "acc"\nNickServPassword = ${text(SECRETS["irc.NickServPassword"])}`,
    ),
    irc(
      "inside",
      "inside",
      `Password = ${text(SECRETS["irc.Password"])}\nNickServNick = "NickServ"\nNickServPassword = ${text(SECRETS["irc.NickServPassword"])}\nRunCommands = [${text(SECRETS["irc.RunCommands"])}]`,
    ),
    irc("proxied", "proxied", `Proxy = ${text(SECRETS["irc.Proxy"])}`),
    xmpp("refused", "refused"),
    xmpp("inside", "rialto"),
    matrix("password", `Login = "rialto"\nPassword = ${text(SECRETS["matrix.Password"])}`),
    matrix("token", `Token = ${text(SECRETS["matrix.Token"])}`),
    matrix("service", `ASToken = ${text(SECRETS["matrix.ASToken"])}\nHSToken = ${text(SECRETS["matrix.HSToken"])}`),
    mattermost("token", `Token = ${text(SECRETS["mattermost.Token"])}`),
    mattermost("password", `Login = "rialto"\nPassword = ${text(SECRETS["mattermost.Password"])}`),
    mattermost(
      "hooks",
      `WebhookURL = ${text(SECRETS["mattermost.WebhookURL"])}\nWebhookToken = [${text(SECRETS["mattermost.WebhookToken"])}]`,
    ),
    `[discord.bot]
Server = "Town"
ApiURL = "http://127.0.0.1:${ports.discord}/api"
Token = ${text(SECRETS["discord.Token"])}
WebhookURL = ${text(SECRETS["discord.WebhookURL"])}`,
    ...["api", "refused"].map(
      (path) => `[slack.${path}]
ApiURL = "http://127.0.0.1:${ports.slack}/${path}/"
Token = ${text(SECRETS["slack.Token"])}
AppToken = ${text(SECRETS["slack.AppToken"])}`,
    ),
    ...["api", "refused"].map(
      (path) => `[telegram.${path}]
ApiURL = "http://127.0.0.1:${ports.telegram}/${path}"
Token = ${text(SECRETS["telegram.Token"])}`,
    ),
    `[slack.hook]\nWebhookURL = ${text(SECRETS["slack.WebhookURL"])}`,
    `[api.client]\nToken = ${text(SECRETS["api.Token"])}`,
    `[[gateway]]
name = "all"
enable = true
inout = [
  { account = "irc.refused", channel = "#a" },
  { account = "irc.sasl", channel = "#a" },
  { account = "irc.inside", channel = "#a", options = { key = ${text(SECRETS["irc.key"])} } },
  { account = "irc.proxied", channel = "#a" },
  { account = "xmpp.refused", channel = "a" },
  { account = "xmpp.inside", channel = "a", options = { key = ${text(SECRETS["xmpp.key"])} } },
  { account = "matrix.password", channel = "#a:test" },
  { account = "matrix.token", channel = "#a:test" },
  { account = "matrix.service", channel = "#a:test" },
  { account = "mattermost.token", channel = "a" },
  { account = "mattermost.password", channel = "a" },
  { account = "mattermost.hooks", channel = "a" },
  { account = "discord.bot", channel = "a", options = { WebhookURL = ${text(SECRETS["discord.webhookurl"])} } },
  { account = "slack.api", channel = "a" },
  { account = "slack.refused", channel = "a" },
  { account = "slack.hook", channel = "a" },
  { account = "telegram.api", channel = "-1001" },
  { account = "telegram.refused", channel = "-1001" },
  { account = "api.client", channel = "api" },
]`,
  ].join("\n");
}

/** Where a secret shows in a text, in any form; found by other means than those that hide it. */
function formsIn(output: string, secret: string): readonly string[] {
  const plain = [secret, text(secret).slice(1, -1), text(text(secret)).slice(3, -3), encodeURIComponent(secret)];
  const html = [secret.replaceAll("&", "&amp;").replaceAll("<", "&lt;")].flatMap((it) => [
    it,
    it.replaceAll('"', "&quot;"),
  ]);
  const decoded = (output.match(/[A-Za-z0-9+/_=-]{4,}/gu) ?? []).flatMap((run) =>
    [0, 1, 2, 3].map((skip) => Buffer.from(run.slice(skip), "base64").toString("utf8")),
  );
  return [...plain, ...html]
    .filter((form) => output.includes(form))
    .concat(decoded.filter((it) => it.includes(secret)));
}

test("every secret setting there is has a value here", () => {
  const settings: { readonly name: string; readonly secret: boolean }[] = [];
  const add = (owner: string, found: Readonly<Record<string, object>>): void => {
    for (const [name, each] of Object.entries(found)) {
      settings.push({ name: `${owner}.${name}`, secret: "secret" in each && each.secret === true });
    }
  };
  add("general", generalSchema.properties);
  for (const { protocol, schema, options = {} } of protocols.values()) {
    add(protocol, schema.properties);
    add(protocol, options);
  }
  expect(
    settings
      .filter(({ secret }) => secret)
      .map(({ name }) => name)
      .toSorted(),
  ).toEqual([...Object.keys(SECRETS), ...ELSEWHERE].toSorted());
  // Whatever is called like one is one, except the name of a file that has them, and a limit for each token.
  const suspicious = settings.filter(({ name }) => /pass|(?<!Per)token|secret|\.key$|credential/iu.test(name));
  expect(suspicious.filter(({ secret }) => !secret).map(({ name }) => name)).toEqual(["general.LogCredentials"]);
});

test("servers repeat every secret, and none of them is in any output of a debug run", async () => {
  const [irc, xmpp, matrix, mattermost, discord, slack, telegram, [admin]] = await Promise.all([
    echoingIrc(),
    echoingXmpp(),
    echoingMatrix(),
    echoingMattermost(),
    echoingDiscord(SECRETS["discord.Token"]),
    echoingSlack(),
    echoingTelegram(),
    freePorts(1),
  ]);
  const rialto = await launch({
    config: configuration({
      irc: irc.port,
      xmpp: xmpp.port,
      matrix: matrix.port,
      mattermost: mattermost.port,
      discord: discord.port,
      slack: slack.port,
      telegram: telegram.port,
      admin: admin ?? 0,
    }),
    env: { DEBUG: "1" },
  });
  const answers = [
    (await rialto.client("client", "wrong").request("/api/messages")).text,
    (await rialto.client("client").request(`/api/messages?token=${encodeURIComponent(SECRETS["api.Token"])}`)).text,
    (await rialto.client("client", SECRETS["api.Token"]).post("{")).text,
    JSON.stringify(await rialto.client("client", SECRETS["api.Token"]).say({ text: "hello" })),
  ];
  const servers = [irc, xmpp, matrix, mattermost, discord, slack, telegram];
  const heard = (): string => servers.map((server) => server.heard()).join("");
  const untold = new Set<string>([
    "api.Token",
    "irc.Proxy",
    "matrix.HSToken",
    "mattermost.WebhookURL",
    "mattermost.WebhookToken",
    "discord.Token",
    "discord.WebhookURL",
    "discord.webhookurl",
    "slack.WebhookURL",
    "general.AdminToken",
  ]);
  const told = Object.entries(SECRETS).filter(([name]) => !untold.has(name));
  await eventually(
    () => Promise.resolve(told.filter(([, secret]) => formsIn(heard(), secret).length === 0)),
    (missing) => missing.length === 0,
    () => `the servers to be told each secret; they heard:\n${heard()}`,
  );
  // What they repeat has come to the log.
  const marks = [
    "echo-refused",
    "echo-matrix",
    "echo-mattermost",
    "echo-discord",
    "echo-slack",
    "echo-telegram",
    "echo-xmpp",
    "echo-nickserv",
    "echo-command",
    "echo-key",
  ];
  await eventually(
    () => Promise.resolve(marks.filter((mark) => !rialto.output().includes(mark))),
    (missing) => missing.length === 0,
    () => `the log to quote the servers; it has:\n${rialto.output()}`,
  );
  const operator = new ApiClient(`http://127.0.0.1:${admin}`, SECRETS["general.AdminToken"]);
  for (const path of ["/", "/metrics", "/readyz", "/api/v1/status", "/api/v1/explain?q=hello"]) {
    answers.push((await operator.request(path)).text);
  }
  // The status quotes the servers as well.
  expect(answers.join("\n")).toContain("echo-refused");
  answers.push((await new ApiClient(`http://127.0.0.1:${admin}`, "wrong").request("/api/v1/status")).text);
  const commandLine = readFileSync(`/proc/${rialto.pid}/cmdline`, "utf8");
  await rialto.stop();
  const output = `${rialto.output()}\n${answers.join("\n")}\n${commandLine}`;
  // What opens a webhook is the end of its address.
  const hooks = [SECRETS["discord.WebhookURL"], SECRETS["discord.webhookurl"]].map((url) => url.replace(/.*\//u, ""));
  expect(hooks.filter((secret) => !heard().includes(secret))).toEqual([]);
  for (const secret of [...Object.values(SECRETS), ...hooks, REFUSED_PASSWORD, "pr0xy-secret-14"])
    expect(formsIn(output, secret)).toEqual([]);
});
