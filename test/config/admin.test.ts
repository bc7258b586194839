import { describe, expect, test } from "vitest";
import { protocols } from "../../src/adapters/registry.ts";
import { load } from "../../src/cli/load.ts";
import { secretsOf } from "../../src/config/secrets.ts";
import type { Loaded } from "../../src/config/load.ts";

function loadGeneral(lines: string, env: Readonly<Record<string, string>> = {}): Loaded {
  const text = `[general]\n${lines}\n[api.left]\nBindAddress = "127.0.0.1:1"\n[api.right]\nBindAddress = "127.0.0.1:2"
[[gateway]]\nname = "main"\nenable = true\ninout = [{ account = "api.left" }, { account = "api.right" }]\n`;
  return load({ text, format: "toml", name: "test.toml" }, { env, cwd: "/somewhere" });
}

const told = (lines: string): readonly string[] =>
  loadGeneral(lines).problems.map(({ severity, line, message, remedy }) => `${severity} ${line} ${message}; ${remedy}`);

describe("the admin server", () => {
  test.each([
    ["", null],
    ['AdminBindAddress = ""', null],
    ['AdminBindAddress = "127.0.0.1:4290"', { bindAddress: "127.0.0.1:4290", token: null, proxies: new Set() }],
    [
      'AdminBindAddress = ":4290"\nAdminToken = "a long secret"\nTrustProxy = ["2001:DB8::5", "::ffff:10.0.0.7"]',
      { bindAddress: ":4290", token: "a long secret", proxies: new Set(["2001:db8::5", "10.0.0.7"]) },
    ],
  ])("%j", (lines, admin) => {
    const loaded = loadGeneral(lines);
    expect(loaded.ok && loaded.config.general.admin).toEqual(admin);
  });

  test.each([
    ['AdminBindAddress = ":4290"', /^error 2 AdminBindAddress .* set AdminToken, or bind to 127\.0\.0\.1$/],
    ['AdminBindAddress = "192.0.2.1:4290"', /^error 2 AdminBindAddress /],
    ['AdminToken = "a long secret"', /^warning 2 AdminToken .* no effect without AdminBindAddress; $/],
    [
      'MediaBindAddress = "127.0.0.1:7"\nMediaURL = "http://x"\nAdminBindAddress = "127.0.0.1:7"',
      /^error 4 .*MediaBindAddress/,
    ],
    ['AdminBindAddress = "here"', /^error 2 .*port/],
    ['DashboardURL = "https://x.example"', /^warning 2 DashboardURL .* no effect without AdminBindAddress; $/],
    [
      'AdminBindAddress = "127.0.0.1:7"\nDashboardURL = "https://x.example"',
      /^warning 3 with DashboardURL .* without AdminToken, .*; set AdminToken, or pass on/,
    ],
    [
      'AdminBindAddress = "127.0.0.1:7"\nAdminToken = "long"\nDashboardURL = "https://x.example/rialto"',
      /^error 4 DashboardURL .*without path/,
    ],
  ])("%j is told", (lines, message) => {
    const problems = told(lines);
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatch(message);
  });

  test.each([
    ["https://Bridge.example/", "https://bridge.example"],
    ["http://10.0.0.7:8080", "http://10.0.0.7:8080"],
  ])("the dashboard at %s", (written, origin) => {
    const loaded = loadGeneral(
      `AdminBindAddress = "127.0.0.1:7"\nAdminToken = "a long secret"\nDashboardURL = "${written}"`,
    );
    expect([loaded.problems, loaded.ok && loaded.config.general.dashboardUrl]).toEqual([[], origin]);
  });

  test("an account that wants the same address stays down, and the admin server has it", () => {
    const problems = told('AdminBindAddress = "127.0.0.1:1"');
    expect(problems[0]).toMatch(/^error 4 api\.left .*AdminBindAddress of \[general\] listens on "127\.0\.0\.1:1"/u);
    expect(problems.slice(1)).toEqual([expect.stringContaining("nothing can run")]);
  });

  test.each([
    'AdminBindAddress = ":4290"',
    'AdminBindAddress = "here"',
    'AdminBindAddress = "127.0.0.1:4290"\nAdminToken = ["x"]',
    'MediaBindAddress = "127.0.0.1:7"\nMediaURL = "http://x"\nAdminBindAddress = "127.0.0.1:7"',
  ])("%j leaves the socket as the only way in, and the rest runs", (lines) => {
    const loaded = loadGeneral(lines);
    expect(loaded.ok && loaded.config.general.admin).toBeNull();
    expect(loaded.problems).toMatchObject([
      { severity: "error", message: expect.stringContaining("(operators can use the socket only)") as string },
    ]);
  });

  test("its token is a secret: it is scrubbed, and may come from the environment", () => {
    const loaded = loadGeneral('AdminBindAddress = ":4290"', { RIALTO_GENERAL_ADMINTOKEN: "a long secret" });
    if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems));
    expect(loaded.config.general.admin?.token).toBe("a long secret");
    expect(secretsOf(loaded.config, protocols)).toContain("a long secret");
  });
});
