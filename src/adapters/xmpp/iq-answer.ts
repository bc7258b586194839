import { NS } from "./ns.ts";
import { attr, child, el, type Stanza } from "./xml.ts";

/**
 * What we answer to a question of others (RFC 6120 §8.2.3): a ping (XEP-0199), and that we offer nothing else. Null: it
 * is no question.
 */
export function answerTo(iq: Stanza): Stanza | null {
  const type = attr(iq, "type");
  const [id, from] = [attr(iq, "id"), attr(iq, "from")];
  if (iq.name !== "iq" || id === "" || (type !== "get" && type !== "set")) return null;
  const head = { id, ...(from !== "" && { to: from }) };
  if (type === "get" && child(iq, "ping", NS.ping) !== undefined) return el("iq", { ...head, type: "result" });
  const condition = el("service-unavailable", { xmlns: NS.stanzas });
  return el("iq", { ...head, type: "error" }, el("error", { type: "cancel" }, condition));
}
