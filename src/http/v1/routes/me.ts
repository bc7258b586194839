import { type Call, ok, type Reply, type Route } from "../route.ts";
import type { V1Deps } from "../deps.ts";
import { maySee } from "../../../access/access.ts";

/** Who asks, and what that allows. */
function me({ access }: Call, { account, config }: Pick<V1Deps, "account" | "config">): Reply {
  const { key, name } = account();
  const own = config().gateways.filter(({ bridges }) => bridges.some((bridge) => bridge.account === key));
  return ok({
    account: name,
    by: access.by,
    token: access.token,
    name: access.name,
    scopes: [...access.scopes],
    gateways: own.map((gateway) => gateway.name).filter((gateway) => maySee(access, gateway)),
    all_gateways: access.gateways === null,
  });
}

export const meRoutes: readonly Route[] = [
  {
    method: "GET",
    path: "/v1/me",
    needs: "any",
    id: "me",
    summary: "Who asks, and what that allows.",
    answers: {
      200: {
        about: "The caller.",
        schema: {
          type: "object",
          properties: {
            account: { type: "string", description: "The API account, as the configuration names it." },
            by: {
              enum: ["open", "configuration", "token"],
              description: "`open`: the account has no Token. `configuration`: with that of the configuration.",
            },
            token: { type: ["string", "null"], description: "The eight characters that name a token of Rialto's." },
            name: { type: "string", description: "Of the token, or of the account." },
            scopes: { type: "array", items: { enum: ["read", "write", "moderate", "admin"] } },
            gateways: { type: "array", items: { type: "string" }, description: "Those that the caller sees." },
            all_gateways: { type: "boolean", description: "Whether it will see those that are added as well." },
          },
          required: ["account", "by", "token", "name", "scopes", "gateways", "all_gateways"],
        },
      },
    },
    handle: me,
  },
];
