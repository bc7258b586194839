import type { MsgHdrs } from "@nats-io/transport-node";

/** Headers as the client takes them, whose code is loaded only when it is needed. */
export async function headersOf(fields: Readonly<Record<string, string>>): Promise<MsgHdrs> {
  const { headers } = await import("@nats-io/transport-node");
  const made = headers();
  for (const [name, value] of Object.entries(fields)) made.set(name, value);
  return made;
}
