import { NS } from "./ns.ts";
import { el } from "./xml.ts";

/** What opens a stream to this domain (RFC 6120 §4.7); it is never closed as an element. */
export function streamHeader(domain: string): string {
  const open = el("stream:stream", { to: domain, version: "1.0", xmlns: NS.client, "xmlns:stream": NS.streams });
  return `<?xml version='1.0'?>${open.toString().slice(0, -2)}>`;
}
