import { expect, test } from "vitest";
import { ConsumerError } from "../../consumers/consumers.ts";
import { listed } from "./listing.ts";
import { ProblemError } from "./problems.ts";

const NAMES = ["d", "b", "a", "c", "e"];

interface Page {
  readonly names: readonly string[];
  readonly next?: string;
}

async function page(query: string, view: (name: string) => unknown = (name) => name): Promise<Page> {
  const listing = { name: "names", items: NAMES, key: (name: string) => name, view };
  const reply = await listed(new URLSearchParams(query), listing);
  if (reply === "taken" || reply.json === undefined) throw new Error("there is no page");
  return JSON.parse(reply.json) as Page;
}

test.each<[string, Page]>([
  ["", { names: ["a", "b", "c", "d", "e"] }],
  ["limit=2", { names: ["a", "b"], next: "b" }],
  ["limit=2&after=b", { names: ["c", "d"], next: "d" }],
  ["limit=2&after=d", { names: ["e"] }],
  ["limit=5", { names: ["a", "b", "c", "d", "e"] }],
  ["after=bb", { names: ["c", "d", "e"] }],
  ["after=e", { names: [] }],
])("the page of %j", async (query, expected) => {
  expect(await page(query)).toEqual(expected);
});

test("a page ends when it is large, and holds one item at least", async () => {
  const large = (name: string): string => name.repeat(300_000);
  expect(await page("", large)).toEqual({ names: [large("a")], next: "a" });
});

test("what is deleted while the page is made is left out, and does not end the list", async () => {
  const view = (name: string): string => {
    if (name === "b") throw new ConsumerError("not_found", "deleted");
    return name;
  };
  expect(await page("limit=2", view)).toEqual({ names: ["a", "c"], next: "c" });
});

test.each(["limit=0", "limit=201", "limit=-1", "limit=1.5", "limit=x", "limit="])(
  "%s is refused by name",
  async (query) => {
    await expect(page(query)).rejects.toThrow(ProblemError);
    await expect(page(query)).rejects.toMatchObject({ code: "bad_request", errors: [{ pointer: "/limit" }] });
  },
);
