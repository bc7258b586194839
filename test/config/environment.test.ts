import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { protocols } from "../../src/adapters/registry.ts";
import { load } from "../../src/cli/load.ts";
import { secretsOf } from "../../src/config/secrets.ts";
import type { Account } from "../../src/config/config.ts";

const folder = mkdtempSync(join(tmpdir(), "rialto-env-"));
afterAll(() => rmSync(folder, { recursive: true }));

const text = `[general]
Label = "file"
[api.my-left]
BindAddress = "127.0.0.1:1"
Buffer = 1
[api.other]
BindAddress = "127.0.0.1:2"
[api.third]
BindAddress = "127.0.0.1:3"
RemoteNickFormat = "{LABEL}{NICK}"
[[gateway]]
name = "g"
enable = true
inout = [{ account = "api.my-left" }, { account = "api.other" }, { account = "api.third" }]
`;

function loadWith(env: Record<string, string | undefined>) {
  const loaded = load({ text, format: "toml", name: "test.toml" }, { env, cwd: folder });
  const account: Account | undefined = loaded.ok ? loaded.config.accounts.get("api.my-left") : undefined;
  return {
    loaded,
    account,
    problems: loaded.problems.map(
      ({ severity, code, message, remedy }) => `${severity} ${code} ${message}${remedy === "" ? "" : `; ${remedy}`}`,
    ),
  };
}

test("RIALTO_ comes before MATTERBRIDGE_, and both before the file", () => {
  const both = loadWith({ RIALTO_API_MY_LEFT_BUFFER: "3", MATTERBRIDGE_API_MY_LEFT_BUFFER: "2" });
  expect(both.account?.settings["Buffer"]).toBe(3);
  expect(loadWith({ MATTERBRIDGE_API_MY_LEFT_BUFFER: "2" }).account?.settings["Buffer"]).toBe(2);
  expect(
    loadWith({ RIALTO_API_MY_LEFT_BUFFER: "", MATTERBRIDGE_API_MY_LEFT_BUFFER: undefined }).account?.settings["Buffer"],
  ).toBe(1);
});

test("[general] is overridden too, and the account still overrides it", () => {
  expect(loadWith({ RIALTO_GENERAL_LABEL: "env" }).account?.presentation.label).toBe("env");
  expect(
    loadWith({ RIALTO_GENERAL_LABEL: "env", MATTERBRIDGE_API_MY_LEFT_LABEL: "own" }).account?.presentation.label,
  ).toBe("own");
  expect(loadWith({ RIALTO_GENERAL_BUFFER: "99" }).account?.settings["Buffer"]).toBe(1);
  const { loaded } = loadWith({ RIALTO_GENERAL_DATAPATH: "elsewhere" });
  expect(loaded.ok && loaded.config.general.dataPath).toBe(join(folder, "elsewhere"));
});

test("lists are words; pairs cannot be given", () => {
  expect(loadWith({ RIALTO_API_MY_LEFT_IGNORENICKS: "a  b" }).account?.presentation.ignoreNicks).toEqual(["a", "b"]);
  expect(loadWith({ RIALTO_API_MY_LEFT_REPLACENICKS: "a b" }).problems[0]).toMatch(
    /^error bad-value RIALTO_API_MY_LEFT_REPLACENICKS: ReplaceNicks .* list of pairs in the configuration file/u,
  );
});

test("a secret is read from a file without its last newline", () => {
  const path = join(folder, "token");
  writeFileSync(path, "s3cret\n\n");
  expect(loadWith({ RIALTO_API_MY_LEFT_TOKEN_FILE: path }).account?.settings["Token"]).toBe("s3cret\n");
  expect(loadWith({ MATTERBRIDGE_GENERAL_TOKEN_FILE: path }).account?.settings["Token"]).toBe("s3cret\n");
  const { loaded } = loadWith({ RIALTO_API_MY_LEFT_TOKEN_FILE: path });
  expect(loaded.ok && secretsOf(loaded.config, protocols)).toEqual(["s3cret\n"]);
});

test("a secret file that cannot be used is an error, and says nothing of what is in it", () => {
  const path = join(folder, "large");
  writeFileSync(path, "s3cret".repeat(20_000));
  expect(loadWith({ RIALTO_API_MY_LEFT_TOKEN_FILE: join(folder, "none") }).problems[0]).toMatch(
    /^error unreadable-secret .*ENOENT/u,
  );
  expect(loadWith({ RIALTO_API_MY_LEFT_TOKEN_FILE: path }).problems[0]).toMatch(
    /^error unreadable-secret .*too large/u,
  );
  const { account } = loadWith({ RIALTO_API_MY_LEFT_TOKEN_FILE: join(folder, "none") });
  expect(account?.down?.reason).toContain("ENOENT");
  const both = loadWith({ RIALTO_API_MY_LEFT_TOKEN_FILE: path, RIALTO_API_MY_LEFT_TOKEN: "s3cret" });
  expect(both.problems).toHaveLength(1);
  expect(both.problems[0]).toMatch(/^error ambiguous-secret /u);
  expect(both.problems[0]).not.toContain("s3cret");
});

test("only secrets have files", () => {
  expect(loadWith({ RIALTO_API_MY_LEFT_BUFFER_FILE: "/x" }).problems[0]).toMatch(
    /^warning unknown-variable RIALTO_API_MY_LEFT_BUFFER_FILE/u,
  );
});

test("an unknown RIALTO_ variable is named with the nearest known one; other variables are ignored", () => {
  const { problems } = loadWith({
    RIALTO_API_MY_LEFT_TOKNE: "s3cret",
    MATTERBRIDGE_API_MY_LEFT_BUFER: "3",
    MATTERBRIDGE_NONSENSE: "x",
    PATH: "/bin",
  });
  expect(problems).toEqual([
    "warning unknown-variable MATTERBRIDGE_API_MY_LEFT_BUFER: no setting of this configuration has that name; did you mean MATTERBRIDGE_API_MY_LEFT_BUFFER?",
    "warning unknown-variable RIALTO_API_MY_LEFT_TOKNE: no setting of this configuration has that name; did you mean RIALTO_API_MY_LEFT_TOKEN?",
  ]);
});

test("no misspelt name is taken for a setting that is not needed", () => {
  const { problems } = loadWith({ RIALTO_API_MY_LEFT_URLS: "x", RIALTO_API_MY_LEFT_BUFER: "1" });
  expect(problems[0]).toContain("did you mean RIALTO_API_MY_LEFT_BUFFER?");
  expect(problems[1]).toContain("RIALTO_API_MY_LEFT_URLS");
  expect(problems[1]).not.toContain("RIALTO_API_MY_LEFT_URL?");
});

test("a variable that is accepted and ignored is named like a setting", () => {
  expect(loadWith({ MATTERBRIDGE_GENERAL_MEDIASERVERUPLOAD: "1" }).problems[0]).toMatch(
    /^warning ignored-setting MATTERBRIDGE_GENERAL_MEDIA/u,
  );
});
