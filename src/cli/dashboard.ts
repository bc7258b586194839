import { isObject, parseAs } from "../lib/shapes.ts";

/** The answer of a running Rialto as a line: the address alone. */
export const dashboardText = (body: string): string => `${parseAs(body, isLink).url}\n`;

const isLink = (value: unknown): value is { readonly url: string } =>
  isObject(value) && typeof value["url"] === "string";
