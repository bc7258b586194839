import { expect, test } from "vitest";
import { protocols } from "../../src/adapters/registry.ts";
import { load } from "../../src/cli/load.ts";
import { maskSecrets } from "../../src/config/masking.ts";
import { secretNamesOf } from "../../src/config/secret-names.ts";
import { secretsOf } from "../../src/config/secrets.ts";

const URL = "socks5://bob:s3cr%40t-word@127.0.0.1:1080";

function textOf(account: string, general = ""): string {
  return `[general]
${general}
[irc.a]
Server = "irc.example:6667"
Nick = "relay"
${account}
[api.b]
BindAddress = "127.0.0.1:1"
[[gateway]]
name = "g"
enable = true
inout = [{ account = "irc.a", channel = "#x" }, { account = "api.b" }]
`;
}

function loadWith(text: string, env: Record<string, string> = {}) {
  const loaded = load({ text, format: "toml", name: "test.toml" }, { env, cwd: "/somewhere" });
  const config = loaded.ok ? loaded.config : null;
  const problems = loaded.problems.map(({ severity, code, message }) => `${severity} ${code} ${message}`);
  return { config, account: config?.accounts.get("irc.a"), problems };
}

test.each([
  ["of the account", `Proxy = "${URL}"`, "", {}],
  ["by the name of the fork", `HTTPProxy = "${URL}"`, "", {}],
  ["by the other name of it", `http_proxy = "${URL}"`, "", {}],
  ["of [general]", "", `Proxy = "${URL}"`, {}],
  ["of [general], by another name", "", `http_proxy = "${URL}"`, {}],
  ["of the account before that of [general]", `Proxy = "${URL}"`, 'Proxy = "http://other:1"', {}],
  ["in the environment", "", "", { RIALTO_IRC_A_PROXY: URL }],
  ["in the environment, by another name", "", "", { MATTERBRIDGE_IRC_A_HTTP_PROXY: URL }],
])("the proxy %s counts, and what opens it is a secret", (_, own, general, env) => {
  const { config, account, problems } = loadWith(textOf(own, general), env);
  expect(problems).toEqual([]);
  expect(account?.settings["Proxy"]).toBe(URL);
  const secrets = config === null ? [] : secretsOf(config, protocols);
  expect(secrets).toEqual(expect.arrayContaining([URL, "s3cr%40t-word", "s3cr@t-word"]));
});

test("an account may say that it has none", () => {
  expect(loadWith(textOf('Proxy = ""', `Proxy = "${URL}"`)).account?.settings["Proxy"]).toBe("");
});

test("two names with two values are a mistake, and the account stays down", () => {
  const { account, problems } = loadWith(textOf(`Proxy = "${URL}"\nhttp_proxy = "http://other:1"`));
  expect(problems).toContainEqual(expect.stringContaining('"http_proxy" and "Proxy" are the same setting'));
  expect(account?.down).not.toBeNull();
});

test.each(["10.9.8.7:1080", "socks4://127.0.0.1:1080", "http://h0st/pa7h", "http://h0st:99999"])(
  "with %s, the account stays down rather than connect directly, and nothing shows the value",
  (value) => {
    const { account, problems } = loadWith(textOf(`Proxy = "${value}"`));
    expect(account?.down).not.toBeNull();
    expect(problems).toContainEqual(expect.stringContaining("must be the address of a proxy"));
    expect(problems.join("\n")).not.toContain(value);
  },
);

test("nothing starts with a proxy of [general] that cannot be read", () => {
  const { config, problems } = loadWith(textOf("", 'Proxy = "10.9.8.7:1080"'));
  expect(config).toBeNull();
  expect(problems.join("\n")).not.toContain("10.9.8.7:1080");
});

test("an account of the API is told that it needs none", () => {
  const text = textOf("").replace("[api.b]\n", '[api.b]\nhttp_proxy = "http://h:1"\n');
  expect(loadWith(text).problems).toEqual([
    expect.stringContaining("accounts of the API and of the web chat connect to no server"),
  ]);
});

test.each(["Proxy", "http_proxy", "HTTPProxy", "#Proxy", "#http_proxy"])(
  "%s is masked where operators edit",
  (name) => {
    const names = secretNamesOf(protocols);
    const { text } = maskSecrets(textOf(`${name} = "${URL}"`, `${name} = "${URL}"`), {
      format: "toml",
      names,
      key: Buffer.from("a key of the test"),
    });
    expect(text).not.toMatch(/s3cr|bob/u);
  },
);
