import type { Outcome } from "../../contract/outcome.ts";
import type { Handlers } from "../../contract/session.ts";
import type { capabilities } from "./capabilities.ts";
import type { MattermostLink } from "./link.ts";

/** What the core asks of a session, done by REST. */
export function handlersOf(link: MattermostLink): Handlers<typeof capabilities> {
  const todo = async (): Promise<Outcome> => {
    link.host.log.debug({}, "sending is not there yet");
    await Promise.resolve();
    return { is: "rejected", why: { code: "unsupported", message: "sending is not there yet" } };
  };
  return { post: todo, edit: todo, delete: todo, react: todo };
}
