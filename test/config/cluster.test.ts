import { hostname } from "node:os";
import { expect, test } from "vitest";
import { protocols } from "../../src/adapters/registry.ts";
import { load } from "../../src/cli/load.ts";
import { diffConfig } from "../../src/config/diff.ts";
import type { Loaded } from "../../src/config/load.ts";
import { secretsOf } from "../../src/config/secrets.ts";

function loadGeneral(lines: string, env: Readonly<Record<string, string>> = {}): Loaded {
  const text = `[general]\n${lines}\n[api.left]\nBindAddress = "127.0.0.1:1"\n[api.right]\nBindAddress = "127.0.0.1:2"
[[gateway]]\nname = "main"\nenable = true\ninout = [{ account = "api.left" }, { account = "api.right" }]\n`;
  return load({ text, format: "toml", name: "test.toml" }, { env, cwd: "/somewhere" });
}

const SERVERS = 'Log = "nats://a:4222"';

test.each([
  ["", null],
  ['Log = ""', null],
  [SERVERS, { servers: ["a:4222"], isEncrypted: false, auth: null, node: hostname() }],
  [
    'Log = "tls://a.example.org:4222, tls://10.0.0.7:4222,[2001:db8::7]:4223/"\nNode = "n1"\nLogToken = "a long token"',
    {
      servers: ["a.example.org:4222", "10.0.0.7:4222", "[2001:db8::7]:4223"],
      isEncrypted: true,
      auth: { token: "a long token" },
      node: "n1",
    },
  ],
  [`${SERVERS}\nLogUser = "u"\nLogPassword = "p"`, { auth: { user: "u", password: "p" } }],
  [`${SERVERS}\nLogCredentials = "node.creds"`, { auth: { credentials: "/somewhere/node.creds" } }],
])("%j", (lines, cluster) => {
  const loaded = loadGeneral(lines);
  expect(loaded.problems).toEqual([]);
  const found = loaded.ok ? loaded.config.general.cluster : undefined;
  if (cluster === null) expect(found).toBeNull();
  else expect(found).toMatchObject(cluster);
});

test.each([
  ['Log = "a:4222"', /^error 2 Log .* must begin with nats:\/\/ or tls:\/\/; write one or several/],
  ['Log = "redis://a:4222"', /^error 2 Log .* must begin with nats/],
  ['Log = "nats://"', /^error 2 Log .* has no address at place 1; /],
  ['Log = "nats://a:4222,,b:4222"', /^error 2 Log .* has no address at place 2; /],
  ['Log = "nats://a"', /^error 2 Log .* cannot have "a" in it: it has no port/],
  ['Log = "nats://a:4222,tls://b:4222"', /^error 2 Log .* addresses of several kinds; /],
  ['Log = "nats://u:hidden@a:4222"', /^error 2 Log .* must not have a user in it; set LogUser and LogPassword/],
  [`${SERVERS}\nLogUser = "u"`, /^error 3 LogUser .* has no password; set LogPassword$/],
  [`${SERVERS}\nLogPassword = "hidden"`, /^error 3 LogPassword .* is of no user; set LogUser$/],
  [
    `${SERVERS}\nLogUser = "u"\nLogPassword = "hidden"\nLogToken = "hidden"`,
    /^error 5 \[general\] has LogUser and LogToken, .*; remove LogUser or LogToken$/,
  ],
  [`${SERVERS}\nNode = "a b"`, /^error 3 Node .* must be up to 64 letters/],
  ['Node = "n1"', /^warning 2 Node .* has no effect without Log; $/],
  ['LogToken = "hidden"', /^warning 2 LogToken .* has no effect without Log; $/],
])("%j is told, and keeps the program from starting if it is an error", (lines, message) => {
  const { ok, problems } = loadGeneral(lines);
  const told = problems.map((each) => `${each.severity} ${each.line} ${each.message}; ${each.remedy}`);
  expect(told).toEqual([expect.stringMatching(message)]);
  expect(told.join(" ")).not.toContain("hidden");
  expect(ok).toBe(problems[0]?.severity === "warning");
});

test("nodes share a file: what differs comes from the environment", () => {
  const env = {
    RIALTO_GENERAL_NODE: "n2",
    RIALTO_GENERAL_DATAPATH: "/var/two",
    RIALTO_GENERAL_LOGTOKEN: "of this one",
  };
  const loaded = loadGeneral(`${SERVERS}\nNode = "n1"\nLogToken = "shared"`, env);
  expect(loaded.ok && loaded.config.general).toMatchObject({
    dataPath: "/var/two",
    cluster: { node: "n2", auth: { token: "of this one" } },
  });
});

test("passwords and tokens are secrets", () => {
  for (const line of ['LogToken = "a long secret"', 'LogUser = "u"\nLogPassword = "a long secret"']) {
    const loaded = loadGeneral(`${SERVERS}\n${line}`);
    expect(loaded.ok && secretsOf(loaded.config, protocols)).toContain("a long secret");
  }
});

test("a change needs a restart", () => {
  const [old, next] = [loadGeneral(SERVERS), loadGeneral(`${SERVERS.replace("a:", "b:")}\nNode = "n2"`)];
  if (!old.ok || !next.ok) throw new Error("these are right");
  expect(diffConfig(old.config, next.config)).toMatchObject({ general: [], needsRestart: ["Log", "Node"] });
});
