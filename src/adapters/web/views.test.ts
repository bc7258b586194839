import { expect, test } from "vitest";
import { authorView } from "./views.ts";

test("a page gets the same id for each message of a person, and not the id that the network uses", () => {
  const ann = { id: "ann@203.0.113.7", name: "ann", network: "irc" };
  const shown = authorView(ann, "", "guest");
  expect(shown).toMatchObject({ name: "ann", network: "irc", guest: false, mine: false });
  expect(shown.id).not.toContain("203.0.113.7");
  expect(authorView(ann, "", "guest").id).toBe(shown.id);
  expect(authorView({ ...ann, id: "ann@203.0.113.8" }, "", "guest").id).not.toBe(shown.id);
  expect(authorView({ ...ann, network: "irc2" }, "", "guest").id).not.toBe(shown.id);
});

test("a page gets the ids of guests as they are", () => {
  expect(authorView({ id: "g1", name: "gus", network: "" }, "g1", "g1")).toMatchObject({ id: "g1", mine: true });
});
