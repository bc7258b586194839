import { isObject, parseAs } from "../lib/shapes.ts";
import type { ControlCommand } from "./args.ts";

/** What is asked of a running Rialto, as it was written. */
export function inviteOf({ words: [gateway = ""], uses, expires, hold }: ControlCommand): object {
  return { gateway, hold, ...(uses !== null && { uses: Number(uses) }), ...(expires !== null && { expires }) };
}

/** The answer as a line: the address alone. */
export const inviteText = (body: string): string => `${parseAs(body, isInvite).url}\n`;

const isInvite = (value: unknown): value is { readonly url: string } =>
  isObject(value) && typeof value["url"] === "string";
