import { expect, test } from "vitest";
import { versionText } from "./version-text.ts";

test.each([
  ["/usr/bin/rialto", false, "version: 1.2.3\n"],
  ["bin/rialto.js", false, "version: 1.2.3\n"],
  ["/usr/local/bin/matterbridge", false, "version: 1.2.3 rialto\n"],
  ["matterbridge", false, "version: 1.2.3 rialto\n"],
  ["/opt/matterbridge/rialto", false, "version: 1.2.3\n"],
  ["/usr/bin/matterbridge", true, '{"version":"1.2.3"}\n'],
])("%s prints the version, as JSON: %s", (program, json, text) => {
  expect(versionText("1.2.3", program, json)).toBe(text);
});
