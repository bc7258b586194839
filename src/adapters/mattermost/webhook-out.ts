import type { Host } from "../../contract/host.ts";
import type { PostOp } from "../../contract/ops.ts";
import type { Outcome } from "../../contract/outcome.ts";
import type { Handler } from "../../contract/session.ts";
import type { Http } from "../kit/http.ts";

interface WebhookOut {
  readonly http: Http;
  readonly host: Host;
  /** Of the incoming webhook; empty: there is none. */
  readonly url: string;
}

/** Posts through an incoming webhook. */
export function postByWebhook({ url }: WebhookOut): Handler<PostOp> {
  const message =
    url === "" ? "nothing can be posted without WebhookURL, or a user (Token)" : "posting is not there yet";
  return async (): Promise<Outcome> => await Promise.resolve({ is: "rejected", why: { code: "unsupported", message } });
}
