import type { PostDraft } from "../contract/ops.ts";
import { parse } from "../content/formats.ts";
import { plainText } from "../content/plain.ts";
import type { Stored } from "./codec.ts";

/** What a stored message says, without formatting. */
export function wordsSaid({ message, source }: Pick<Stored, "message" | "source">): string {
  return source === null ? message.text : plainText(parse(source.format, source.text));
}

/** What is written for it, without formatting. */
export const wordsWritten = ({ body }: Pick<PostDraft, "body">): string => plainText(body.blocks);
