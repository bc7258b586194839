import * as fc from "../support/property.ts";
import { expect, test } from "vitest";
import { load } from "../../src/cli/load.ts";
import { formatProblems } from "../../src/config/problem-lines.ts";
import type { FormatName } from "../../src/config/formats/pick.ts";

const runs = { numRuns: 300 };
const secret = "hunter2";

function holds(text: string, format: FormatName, env: Record<string, string> = {}): void {
  const loaded = load({ text, format, name: "fuzz" }, { env, cwd: "/" });
  const errors = loaded.problems.filter(({ severity }) => severity === "error");
  if (loaded.ok) expect(loaded.config.errors).toEqual(errors);
  else expect(errors).not.toEqual([]);
  for (const { line, column } of loaded.problems) {
    expect(line).toBeLessThanOrEqual(text.split("\n").length + 1);
    expect(Math.min(line, column)).toBeGreaterThanOrEqual(0);
  }
  expect(formatProblems(loaded.problems)).not.toContain(secret);
}

const key = fc.constantFrom(
  ..."api irc general tengo gateway samechannelgateway left LEFT name enable in out inout account channel options accounts channels Token BindAddress Buffer IgnoreNicks ReplaceNicks StripNick RemoteNickFormat Server __proto__ constructor x".split(
    " ",
  ),
);
const scalar = fc.oneof(
  fc.constantFrom("api.left", "irc.left", "api", "true", "(", "", ":1", "127.0.0.1:1"),
  fc.string({ maxLength: 6 }),
  fc.boolean(),
  fc.double(),
  fc.integer(),
  fc.constant(null),
);
const { value } = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 5, withCrossShrink: true },
    scalar,
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(key, tie("value"), { maxKeys: 5 }),
  ),
}));
const config = fc.dictionary(key, value, { maxKeys: 6 });

test("any JSON", () => {
  fc.assert(
    fc.property(config, (table) => holds(JSON.stringify(table, null, 1), "json")),
    runs,
  );
  fc.assert(
    fc.property(fc.string(), (text) => holds(text, "json")),
    runs,
  );
});

const yamlCharacters = "ab:-&*<[]{}\"'#\n \t|>!%@?,0".split("");

test("any value in any place of YAML", () => {
  fc.assert(
    fc.property(config, (table) => holds(JSON.stringify(table), "yaml")),
    runs,
  );
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom(...yamlCharacters) }), (text) => holds(text, "yaml")),
    runs,
  );
});

const tomlLine = fc.oneof(
  fc.constantFrom(
    "[api]",
    "[api.left]",
    "[API.left]",
    "[irc.x]",
    "[general]",
    "[[gateway]]",
    "[[gateway.inout]]",
    "[gateway]",
    "[tengo]",
  ),
  fc
    .tuple(
      key,
      fc.oneof(
        scalar.map((one) => JSON.stringify(one)),
        fc.constantFrom("[]", "{}", "1979-05-27", "0x1F", "'''", secret),
      ),
    )
    .map(([name, text]) => `${name} = ${text}`),
  fc.string({ maxLength: 10 }),
);

test("anything like TOML", () => {
  fc.assert(
    fc.property(fc.array(tomlLine, { maxLength: 12 }), (lines) => holds(lines.join("\n"), "toml")),
    runs,
  );
});

test("any secret of any type stays out of the messages", () => {
  const hidden = fc.constantFrom(
    `"${secret}"`,
    `["${secret}"]`,
    `{ x = "${secret}" }`,
    secret,
    `"${secret}`,
    `'${secret}' x`,
  );
  const place = fc.constantFrom("Token", "token", "Tokne", "Password");
  const table = fc.constantFrom("[general]", "[api.left]", "[irc.left]", "[api]", "[unknown.x]");
  fc.assert(
    fc.property(table, place, hidden, (header, name, text) => holds(`${header}\n${name} = ${text}\n`, "toml")),
    runs,
  );
});

test("any environment", () => {
  const name = fc.tuple(
    fc.constantFrom("RIALTO_", "MATTERBRIDGE_"),
    fc.constantFrom("API_LEFT_", "GENERAL_", "IRC_X_", ""),
    fc.constantFrom("TOKEN", "TOKEN_FILE", "BUFFER", "IGNORENICKS", "X", ""),
  );
  const variables = fc.dictionary(
    name.map((parts) => parts.join("")),
    fc.string(),
    { maxKeys: 4 },
  );
  fc.assert(
    fc.property(variables, (env) => holds("[api.left]\nBindAddress = ':1'\n", "toml", env)),
    runs,
  );
});
