import { printable } from "../lib/printable.ts";
import { isObject, parseAs } from "../lib/shapes.ts";
import type { ControlCommand } from "./args.ts";

/** What is asked of a running Rialto; the number was looked at before. */
export function resendOf({ words: [seq = "", destination = "", gateway], mayDouble }: ControlCommand): object {
  return { seq: Number(seq), destination, may_double: mayDouble, ...(gateway !== undefined && { gateway }) };
}

/** The answer as a line. */
export function resendText(body: string): string {
  const { seq, gateway, account, channel } = parseAs(body, isTaken);
  const place = `${printable(account)} ${printable(channel)} (${printable(gateway)})`;
  return `no. ${seq} is on its way to ${place}; "rialto explain ${seq}" shows how it goes\n`;
}

type Taken = Readonly<Record<"gateway" | "account" | "channel", string>> & { readonly seq: number };

const isTaken = (value: unknown): value is Taken =>
  isObject(value) &&
  typeof value["seq"] === "number" &&
  ["gateway", "account", "channel"].every((key) => typeof value[key] === "string");
