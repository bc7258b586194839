import type { Webhooks } from "../../../../consumers/webhooks.ts";
import { ProblemError } from "../../../v1/problems.ts";
import { type JsonSchema, ok, type Route } from "../../../v1/route.ts";
import { type WebhookJson, webhookJson, WebhookViewSchema } from "../../../v1/routes/webhooks.ts";
import type { AccessDeps } from "../access-deps.ts";
import type { AdminV1Deps } from "../deps.ts";

const WebhookSchema = {
  ...WebhookViewSchema,
  required: ["account", ...WebhookViewSchema.required],
  properties: { account: { type: "string" }, ...WebhookViewSchema.properties },
} as const satisfies JsonSchema;

const unknown = { about: "There is no such webhook." };

/** Webhooks of all accounts of the HTTP API. They are made by programs, at the account's own address. */
export const webhooksOfAllRoutes: readonly Route<AdminV1Deps>[] = [
  {
    method: "GET",
    path: "/v1/admin/webhooks",
    needs: "admin",
    id: "listAllWebhooks",
    summary: "The webhooks of all accounts of the HTTP API, and how they are doing",
    answers: {
      200: {
        about: "By account and name.",
        schema: {
          type: "object",
          required: ["webhooks"],
          properties: { webhooks: { type: "array", items: WebhookSchema } },
        },
      },
    },
    handle: async ({ access }, deps) => {
      const lists = Array.from(await deps.access.webhooks(), async ([account, webhooks]) =>
        (await webhooks.list(access)).map((view) => ofAccount(account, webhookJson(view))),
      );
      return ok({ webhooks: (await Promise.all(lists)).flat() });
    },
  },
  {
    method: "DELETE",
    path: "/v1/admin/webhooks/{account}/{name}",
    needs: "admin",
    id: "deleteWebhookOf",
    summary: "Deletes a webhook",
    about: "What was not sent yet is not sent any more.",
    answers: { 204: { about: "Deleted." }, 404: unknown },
    handle: async ({ access, params }, deps) => {
      const webhooks = await webhooksOf(params["account"] ?? "", deps.access);
      await webhooks.remove(params["name"] ?? "", access);
      return { status: 204 };
    },
  },
  {
    method: "POST",
    path: "/v1/admin/webhooks/{account}/{name}/enable",
    needs: "admin",
    id: "enableWebhookOf",
    summary: "Sends again, at once, to an endpoint that was disabled or that failed",
    answers: { 200: { about: "What stands.", schema: WebhookSchema }, 404: unknown },
    handle: async ({ access, params }, deps) => {
      const { account = "", name = "" } = params;
      const webhooks = await webhooksOf(account, deps.access);
      return ok(ofAccount(account, webhookJson(await webhooks.enable(name, access))));
    },
  },
];

/** Throws a ProblemError. */
async function webhooksOf(account: string, { webhooks }: AccessDeps): Promise<Webhooks> {
  const found = (await webhooks()).get(account);
  if (found === undefined) throw new ProblemError("not_found", "no account of this name has a webhook");
  return found;
}

const ofAccount = (account: string, view: WebhookJson) => ({ account, ...view });
