import Element from "ltx/lib/Element.js";

/** An element of a stream, read or to be written. */
export type Stanza = Element;
export type Attributes = Readonly<Record<string, string | undefined>>;

/**
 * Makes an element. What XML 1.0 §2.2 has no place for (most control characters, lone surrogates) is left out of all
 * texts and values: the server would end the stream. Everything else is escaped by the library when it is written.
 */
export function el(name: string, attributes: Attributes, ...children: readonly (Stanza | string | null)[]): Stanza {
  const attrs: Record<string, string> = {};
  for (const [key, value] of Object.entries(attributes)) if (value !== undefined) attrs[key] = withoutInvalid(value);
  const element = new Element(name, attrs);
  for (const child of children) {
    const node = typeof child === "string" ? withoutInvalid(child) : child;
    if (node !== null && node !== "") element.append(node);
  }
  return element;
}

// oxlint-disable-next-line eslint/no-control-regex -- the characters that XML cannot hold
const INVALID = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff\p{Cs}]/gu;

export function withoutInvalid(text: string): string {
  return text.replaceAll(INVALID, "");
}

/** An attribute, empty when it is not there. */
export function attr(element: Stanza | undefined, name: string): string {
  const value: unknown = element?.attrs[name];
  return typeof value === "string" ? value : "";
}

/** The first child element of this name, and namespace, or undefined. */
export function child(element: Stanza | undefined, name: string, namespace?: string): Stanza | undefined {
  return namespace === undefined ? element?.getChild(name) : element?.getChild(name, namespace);
}

/** The text of a child, null when there is no such child. */
export function childText(element: Stanza | undefined, name: string, namespace?: string): string | null {
  return child(element, name, namespace)?.getText() ?? null;
}
