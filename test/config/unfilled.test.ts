import { expect, test } from "vitest";
import { load } from "../../src/cli/load.ts";

function problemsOf(account: string, env: Record<string, string> = {}): readonly string[] {
  const text = `[${account}
[api.b]
BindAddress = "127.0.0.1:1"
[api.c]
BindAddress = "127.0.0.1:2"
[[gateway]]
name = "g"
enable = true
inout = [{ account = "api.b" }, { account = "api.c" }, { account = "${account.split("]", 1)[0] ?? ""}", channel = "#a:b" }]
`;
  const { problems } = load({ text, format: "toml", name: "x.toml" }, { env, cwd: "/" });
  return problems
    .filter(({ code }) => code === "placeholder" || code === "bad-value")
    .map(({ severity, line, column, message, remedy }) => `${severity} ${line}:${column} ${message}; ${remedy}`);
}

const irc = 'irc.my-net]\nServer = "irc.example:6667"\nNick = "{X}"\n';
const whatOf = (name: string, account: string): string =>
  `${name} of ${account} is a placeholder: nothing fills it in (${account} stays down)`;

test.each<[string, readonly string[]]>([
  [
    'telegram.x]\nToken = "${TELEGRAM_TOKEN}"',
    [
      `error 2:9 ${whatOf("Token", "telegram.x")}; write the value itself, or use RIALTO_TELEGRAM_X_TOKEN or RIALTO_TELEGRAM_X_TOKEN_FILE`,
    ],
  ],
  [
    `${irc}Password = "$IRC_PASSWORD"`,
    [
      `error 4:12 ${whatOf("Password", "irc.my-net")}; write the value itself, or use RIALTO_IRC_MY_NET_PASSWORD or RIALTO_IRC_MY_NET_PASSWORD_FILE`,
    ],
  ],
  [
    'irc.a]\nServer = "{{ server }}"\nNick = "n"',
    [`error 2:10 ${whatOf("Server", "irc.a")}; write the value itself, or use RIALTO_IRC_A_SERVER`],
  ],
  [
    'matrix.a]\nServer = "<server>"\nToken = "t"',
    [`error 2:10 ${whatOf("Server", "matrix.a")}; write the value itself, or use RIALTO_MATRIX_A_SERVER`],
  ],
  [
    'discord.a]\nServer = "s"\nToken = "DISCORD_TOKEN"',
    [
      "warning 3:9 Token of discord.a may be a placeholder: nothing fills it in; write the value itself, or use RIALTO_DISCORD_A_TOKEN or RIALTO_DISCORD_A_TOKEN_FILE",
    ],
  ],
  [`${irc}Password = "$ECRET"`, []],
  [`${irc}Label = "{X}"`, []],
])("[%s", (account, expected) => {
  expect(problemsOf(account)).toEqual(expected);
});

test("a placeholder in the environment is named by its variable", () => {
  expect(problemsOf(irc, { RIALTO_IRC_MY_NET_PASSWORD: "${SECRET}" })).toEqual([
    `error 0:0 RIALTO_IRC_MY_NET_PASSWORD: ${whatOf("Password", "irc.my-net")}; write the value itself, or use RIALTO_IRC_MY_NET_PASSWORD or RIALTO_IRC_MY_NET_PASSWORD_FILE`,
  ]);
});
