import { readdirSync } from "node:fs";
import { expect, test } from "vitest";
import { protocols } from "./registry.ts";

const folders = readdirSync(import.meta.dirname, { withFileTypes: true }).filter((entry) => entry.isDirectory());

test("every folder is registered under its own name, and nothing else is", () => {
  expect([...protocols.keys()].sort()).toEqual(folders.map((entry) => entry.name).sort());
});

test.each([...protocols.values()])("$protocol describes every setting", (manifest) => {
  expect(manifest.title).not.toBe("");
  for (const [name, schema] of Object.entries(manifest.schema.properties)) {
    expect({ name, description: schema.description }).toEqual({
      name,
      description: expect.stringMatching(/\.$/u) as string,
    });
    const mustBeWritten = schema.default === undefined;
    expect({ name, present: mustBeWritten && manifest.schema.required?.includes(name) !== true }).toEqual({
      name,
      present: false,
    });
  }
});
