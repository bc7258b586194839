import type { JsonSchema } from "../../src/http/v1/route.ts";
import { v1Routes } from "../../src/http/v1/routes/index.ts";
import { TAG } from "./http-requests.ts";
import type { Surface } from "./surface.ts";
import { text } from "./text.ts";

/** What stands for a parameter of a path: names that are there once somebody has made them, ids, and neither. */
const VALUES = [
  "g",
  "bot",
  "1",
  "17",
  "400",
  "h",
  "0",
  "-1",
  "1e3",
  "9007199254740991",
  "s256_x",
  "%F0%9F%91%8D",
  "%00",
  "%zz",
  "..",
  "x".repeat(65),
];
/** What stands for a value of a query. */
const ASKED = ["", "1", "1ms", "g", "message.*", "%00", "-1", "9999999999999999", "once", "%22", "1&after=2"];

const paths = v1Routes.flatMap(({ path, query = {} }, at) => {
  const filled = VALUES.map((_, n) => path.replaceAll(/\{\w+\}/gu, () => VALUES[(n + at) % VALUES.length] ?? ""));
  const made = path.includes("{") ? filled : [path, path];
  const names = Object.keys(query);
  const searched = ASKED.flatMap((value) => names.map((name) => `${made[0]}?${name}=${value}`));
  return [...made, ...searched];
});

/** The names of all keys that a schema has, at any depth. */
function keysIn(schema: unknown): readonly string[] {
  if (typeof schema !== "object" || schema === null) return [];
  const { properties } = schema as JsonSchema;
  const own = typeof properties === "object" && properties !== null ? Object.keys(properties) : [];
  return [...own, ...Object.values(schema).flatMap(keysIn)];
}

/** What is below `/v1`: every route, with good and bad names, ids and bodies. */
export const v1: Surface = {
  dialect: {
    paths: [
      ...paths,
      "/v1",
      "/v1/",
      "/v1//me",
      "/v1/../v1/me",
      "/v1/%6de",
      "/v1x",
      "http://e.example/v1/me",
      "/v1/me#x",
    ],
    keys: [...new Set([...v1Routes.flatMap(({ body }) => keysIn(body)), "__proto__"])],
    health: "/api/health",
    postPath: "/v1/gateways/g/messages",
    post: (random, said) => ({
      text: said,
      author: { name: text(random, 2).slice(0, 90) },
      ...(random.chance(0.2) && { style: random.pick(["normal", "action", "notice"]) }),
      ...(random.chance(0.1) && { mentions: random.pick(["none", "users", "all"]) }),
    }),
  },
  address: (rialto, turn) => {
    const { hostname, port } = new URL(rialto.url(turn % 10 === 0 ? "api.closed" : "api.sender"));
    return { host: hostname, port: Number(port) };
  },
  taken: (received) =>
    Array.from(received.matchAll(/^\{"message":\{[^\n]*?"text":"([^"]*)"/gmu), ([, said = ""]) => said).filter((said) =>
      TAG.test(said),
    ),
  namesTexts: true,
};
