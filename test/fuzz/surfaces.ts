import { socketPath } from "../../src/http/admin/socket.ts";
import { TAG } from "./http-requests.ts";
import type { Surface } from "./surface.ts";
import { v1 } from "./surface-v1.ts";
import { text } from "./text.ts";

const words = (many: string): readonly string[] => many.split(" ");

const api: Surface = {
  dialect: {
    paths: words(
      "/api/message /api/message /api/messages /api/stream /api/websocket /api/health /api/openapi.json /api/v1/status /metrics / * //api/message /api/message/ /api/message?x=1 /api/../api/message /api/%6dessage /%zz /api/message%00 http://e.example/api/health",
    ),
    keys: words(
      "text username userid avatar gateway parent_id event id Extra file Name Data Comment URL Size Avatar SHA NativeID hops account channel protocol timestamp TEXT __proto__",
    ),
    health: "/api/health",
    postPath: "/api/message",
    post: (random, said) => ({
      text: said,
      username: text(random, 2),
      gateway: "g",
      ...(random.chance(0.2) && { Extra: null }),
    }),
  },
  address: (rialto, turn) => {
    const { hostname, port } = new URL(rialto.url(turn % 10 === 0 ? "api.closed" : "api.sender"));
    return { host: hostname, port: Number(port) };
  },
  taken: (received) =>
    Array.from(received.matchAll(/^\{"text":"([^"]*)"/gmu), ([, said = ""]) => said).filter((said) => TAG.test(said)),
  namesTexts: true,
};

/** The socket of `rialto status` and its like. */
const admin: Surface = {
  dialect: {
    paths: words(
      "/api/v1/status /api/v1/explain /api/v1/explain?q=1 /api/v1/explain?q=once /api/v1/explain?q=%zz /api/v1/explain?q=%00 /api/v1/explain?q=-1e999 /api/v1/tail /api/v1/tail?gateway=g /api/v1/tail?gateway=x /api/v1/send /api/v1/send /api/v1/reload /metrics /healthz /readyz / * //api/v1/send /api/v1/../v1/send /api/message",
    ),
    keys: words("gateway text as username q is __proto__"),
    health: "/healthz",
    postPath: "/api/v1/send",
    post: (random, said) => ({
      gateway: "g",
      text: said,
      ...(random.chance(0.3) && { as: text(random, 1).slice(0, 90) }),
    }),
  },
  address: (rialto) => ({ path: socketPath(rialto.dataPath) }),
  taken: (received) => Array.from(received.matchAll(/^\{"is":"said","seq":(\d+)/gmu), ([, seq = ""]) => seq),
  namesTexts: false,
};

export const SURFACES: ReadonlyMap<string, Surface> = new Map([
  ["http", api],
  ["admin", admin],
  ["v1", v1],
]);
