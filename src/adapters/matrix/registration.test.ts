import { parse } from "yaml";
import { expect, test } from "vitest";
import { registrationCommand } from "./registration.ts";
import { matrixSettings } from "./settings.suite.ts";
import type { MatrixSettings } from "./settings.ts";

function run(given: Partial<MatrixSettings>) {
  let made = 0;
  const settings = matrixSettings({ Server: "https://matrix.example.org", ...given });
  return registrationCommand.run(settings, { name: "matrix.home", random: () => `new${(made += 1)}` });
}

test("the tokens of the settings, and the namespace of our own server", () => {
  const { output, notes } = run({ ASToken: "as", HSToken: "hs", MxID: "@bridge:example.org", GhostPrefix: "_b+_" });
  expect(parse(output)).toEqual({
    id: "rialto-matrix.home",
    url: null,
    as_token: "as",
    hs_token: "hs",
    sender_localpart: "_b+_service",
    rate_limited: false,
    namespaces: {
      users: [
        { exclusive: true, regex: String.raw`@_b\+_.*:example\.org` },
        { exclusive: true, regex: String.raw`@bridge:example\.org` },
      ],
      aliases: [],
      rooms: [],
    },
  });
  expect(notes).toEqual([]);
});

test("new tokens are made where there are none, and named", () => {
  const { output, notes } = run({ Login: "rialto" });
  expect(parse(output)).toMatchObject({ as_token: "new1", hs_token: "new2" });
  expect(notes.join("\n")).toMatch(/set ASToken of matrix\.home.*\n.*MxID/u);
  expect(notes.join("\n")).not.toContain("new1");
  expect(run({ Login: "rialto", ASToken: "as" }).notes.join("\n")).toMatch(/set HSToken of matrix\.home/u);
});
