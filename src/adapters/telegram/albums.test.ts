import { describe, expect, test } from "vitest";
import { TelegramAlbums } from "./albums.ts";

const always = (): boolean => true;

/** `at/place/group/name`: comes at that time; the times at which is looked, and what is taken then. */
function lived(coming: readonly string[], looks: readonly number[]): readonly string[] {
  const albums = new TelegramAlbums<string>();
  const told: string[] = [];
  const left = coming.map((one) => one.split("/"));
  for (const look of looks) {
    while (Number(left[0]?.[0]) <= look) {
      const [at, place = "", group = "", name = ""] = left.shift() ?? [];
      albums.push(name, { place: Number(place), group }, Number(at));
    }
    albums.heard(look, null);
    const taken = albums.take(look, always).map((items) => items.join("+"));
    if (taken.length > 0) told.push(`${look}: ${taken.join(" ")}`);
  }
  return told;
}

describe("what happens", () => {
  test.each([
    ["is taken at once", ["0/1//a", "0/2//b", "1/1//c"], [0, 1], ["0: a b", "1: c"]],
    ["as an album waits for silence", ["0/1/g/a", "0/1/g/b"], [0, 499, 500], ["500: a+b"]],
    [
      "as an album goes on over several answers",
      ["0/1/g/a", "490/1/g/b", "980/1/g/c"],
      [0, 490, 980, 1600],
      ["1600: a+b+c"],
    ],
    ["waits behind an album of its place", ["0/1/g/a", "1/1//b", "1/2//c"], [1, 600], ["1: c", "600: a b"]],
    ["of two albums is kept apart", ["0/1/g/a", "0/1/h/b", "1/1/g/c", "1/1/h/d"], [1, 601], ["601: a+c b+d"]],
    ["with one name in two places is two albums", ["0/1/g/a", "0/2/g/b"], [600], ["600: a b"]],
    ["late, of an album that was taken, is another", ["0/1/g/a", "700/1/g/b"], [600, 1300], ["600: a", "1300: b"]],
  ])("%s", (_, coming, looks, told) => {
    expect(lived(coming, looks)).toEqual(told);
  });

  test("as an album of ten is whole, and an eleventh is another", () => {
    const coming = Array.from({ length: 11 }, (_, at) => `0/1/g/${at}`);
    expect(lived(coming, [0, 600])).toEqual(["0: 0+1+2+3+4+5+6+7+8+9", "600: 10"]);
  });

  test("as an album that never ends is taken in the end", () => {
    const coming = Array.from({ length: 9 }, (_, at) => `${at * 490}/1/g/${at}`);
    const looks = Array.from({ length: 9 }, (_, at) => at * 490);
    expect(lived(coming, [...looks, 4400, 4500])).toEqual(["4500: 0+1+2+3+4+5+6+7+8"]);
  });

  test("waits for what has to be known, and what is behind it as well", () => {
    const albums = new TelegramAlbums<string>();
    for (const name of ["a", "b"]) albums.push(name, { place: 1, group: "" }, 0);
    albums.push("c", { place: 2, group: "" }, 0);
    expect(albums.take(0, (name) => name !== "a")).toEqual([["c"]]);
    expect(albums.take(0, always)).toEqual([["a"], ["b"]]);
  });

  test("in an album is waited for while no answer comes, but not for ever", () => {
    const albums = new TelegramAlbums<string>();
    expect(albums.dueMs(0)).toBeNull();
    albums.push("a", { place: 1, group: "g" }, 0);
    albums.push("b", { place: 2, group: "h" }, 100);
    expect(albums.dueMs(200)).toBe(4_800);
    albums.push("c", { place: 2, group: "" }, 100);
    expect(albums.take(4_999, always)).toEqual([]);
    expect(albums.take(5_000, always)).toEqual([["a"]]);
    expect(albums.dueMs(5_000)).toBe(100);
    expect(albums.take(5_100, always)).toEqual([["b"], ["c"]]);
    expect(albums.dueMs(5_100)).toBeNull();
  });

  test("in an album with which an answer broke off is waited for longer", () => {
    const albums = new TelegramAlbums<string>();
    const [one, other] = [
      { place: 1, group: "g" },
      { place: 1, group: "h" },
    ];
    albums.push("a", one, 0);
    albums.push("b", other, 0);
    albums.heard(600, other);
    expect(albums.take(600, always)).toEqual([["a"]]);
    albums.push("c", other, 700);
    albums.heard(800, null);
    expect(albums.take(800, always)).toEqual([]);
    albums.heard(1_200, null);
    expect(albums.take(1_200, always)).toEqual([["b", "c"]]);
  });

  test("waits for no album where too much waits", () => {
    const albums = new TelegramAlbums<number>();
    for (let at = 0; at < 1_001; at += 1) albums.push(at, { place: at, group: "g" }, 0);
    expect(albums.take(0, always)).not.toEqual([]);
    expect(albums.take(0, always)).toEqual([]);
    albums.heard(600, null);
    expect(albums.take(600, always).length).toBeGreaterThan(900);
  });

  test("is forgotten at the end", () => {
    const albums = new TelegramAlbums<string>();
    albums.push("a", { place: 1, group: "g" }, 0);
    albums.clear();
    expect(albums.dueMs(0)).toBeNull();
    expect(albums.take(6_000, always)).toEqual([]);
  });
});
