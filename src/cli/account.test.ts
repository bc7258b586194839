import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, onTestFinished, test } from "vitest";
import { LoginServer } from "../adapters/matrix/login-server.suite.ts";
import { accountCommand } from "./account.ts";

const folder = mkdtempSync(join(tmpdir(), "rialto-account-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const conf = join(folder, "rialto.toml");
writeFileSync(
  conf,
  `[matrix.home]
Server = "https://matrix.example.org"
ASToken = "as-secret"
MxID = "@rialto:example.org"
[api.local]
BindAddress = "127.0.0.1:4242"
[[gateway]]
name = "g"
enable = true
inout = [{ account = "matrix.home", channel = "#a:example.org" }, { account = "api.local", channel = "api" }]
`,
);

async function run(
  account: string,
  more: { readonly protocol?: string; readonly name?: string; readonly conf?: string | null } = {},
) {
  const [written, told]: [string[], string[]] = [[], []];
  const command = { is: "account", protocol: "matrix", name: "registration", account, conf, ...more } as const;
  const write = (text: string) => void written.push(text);
  const { signal } = new AbortController();
  const exit = await accountCommand(command, {
    env: {},
    cwd: folder,
    write,
    tell: (text) => void told.push(text),
    signal,
  });
  return { exit, written: written.join(""), told: told.join("") };
}

test.each(["home", "matrix.home"])("the registration of %s, and what to do with it", async (account) => {
  const { exit, written, told } = await run(account);
  expect(exit).toBe(0);
  expect(written).toContain('as_token: "as-secret"');
  expect(written).toMatch(/hs_token: "[0-9a-f]{64}"/u);
  expect(told).toMatch(/^note: .*HSToken/u);
  expect(told).not.toContain("as-secret");
});

test("the registration of an account that has nothing to log in with yet", async () => {
  const path = join(folder, "unregistered.toml");
  const gateway = `[[gateway]]\nname = "g"\nenable = true\ninout = [{ account = "matrix.new", channel = "#a:example.org" }, { account = "api.local" }]\n`;
  const api = `[api.local]\nBindAddress = "127.0.0.1:4242"\n`;
  for (const login of ["", 'Login = "rialto"\n']) {
    writeFileSync(path, `[matrix.new]\nServer = "https://matrix.example.org"\n${login}${api}${gateway}`);
    const { exit, written, told } = await run("new", { conf: path });
    expect(exit).toBe(0);
    expect(written).toContain("# Registration of matrix.new at https://matrix.example.org");
    expect(told).toContain("set ASToken of matrix.new");
  }
});

test.each([
  ["none", null],
  ["one in which it has errors, as all have", "[slack.crew]\n"],
  ["one in which it has its tokens", '[slack.crew]\nToken = "xoxb-1"\nAppToken = "xapp-1"\n'],
])("what makes an account's tokens is printed without them; the configuration: %s", async (_, section) => {
  const path = join(folder, "early.toml");
  const entries = `{ account = "slack.crew", channel = "a" }, { account = "slack.crew", channel = "b" }`;
  if (section !== null) writeFileSync(path, `${section}[[gateway]]\nname = "g"\nenable = true\ninout = [${entries}]\n`);
  const of = { protocol: "slack", name: "manifest", conf: section === null ? null : path };
  const { exit, written, told } = await run("crew", of);
  expect([exit, JSON.parse(written)]).toMatchObject([0, { settings: { socket_mode_enabled: true } }]);
  expect(told.includes("set AppToken of slack.crew")).toBe(section?.includes("xapp") !== true);
});

test.each([
  ["home", { protocol: "nothing" }, 64, 'there is no command "nothing registration"'],
  ["home", { name: "nothing" }, 64, 'there is no command "matrix nothing"'],
  ["work", {}, 64, "has no account matrix.work"],
  ["local", {}, 64, "has no account matrix.local"],
  ["home", { conf: join(folder, "none.toml") }, 78, "there is no such file"],
  ["home", { name: "login", conf: join(folder, "none.toml") }, 78, "there is no such file"],
  ["crew", { protocol: "slack", name: "manifest", conf: join(folder, "none.toml") }, 78, "there is no such file"],
])("%s with %j exits with %d", async (account, more, exit, told) => {
  const done = await run(account, more);
  expect([done.exit, done.written]).toEqual([exit, ""]);
  expect(done.told).toContain(told);
});

test("a login is saved in the account's own folder of the data folder, and needs nothing to log in with yet", async () => {
  const server = await new LoginServer({ interval: 0 }).start();
  onTestFinished(() => server.stop());
  const path = join(folder, "login.toml");
  const gateway = `[[gateway]]\nname = "g"\nenable = true\ninout = [{ account = "matrix.Home", channel = "#a:example.org" }, { account = "api.local" }]\n`;
  const general = `[general]\nDataPath = "${join(folder, "data")}"\n[api.local]\nBindAddress = "127.0.0.1:4242"\n`;
  writeFileSync(path, `${general}[matrix.Home]\nServer = "${server.url}"\n${gateway}`);
  const { exit, written, told } = await run("Home", { name: "login", conf: path });
  expect([exit, told]).toEqual([0, ""]);
  expect(written).toContain("Set SavedLogin = true for matrix.Home.");
  expect(readdirSync(join(folder, "data", "matrix-home"))).toEqual(["login.json"]);
  server.isHomeserver = false;
  const failed = await run("Home", { name: "login", conf: path });
  expect([failed.exit, failed.told]).toEqual([1, expect.stringContaining("rialto: there is no homeserver at Server")]);
});
