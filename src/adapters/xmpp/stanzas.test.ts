import * as fc from "../../../test/support/property.ts";
import { describe, expect, test } from "vitest";
import { END } from "../../contract/ids.ts";
import { readBody } from "./body.ts";
import { NS } from "./ns.ts";
import type { TextPart } from "./render.ts";
import { fileMessage, reactions, retraction, textMessage } from "./stanzas.ts";
import { parsed } from "./xml.suite.ts";
import { attr, child, childText, el, withoutInvalid } from "./xml.ts";

const ENVELOPE = { room: "town@rooms.example", id: "r1-x-0" };

function part(text: string, unstyled = false): TextPart {
  return { is: "text", name: "0", end: END, text, unstyled };
}

describe("what leaves is what was meant", () => {
  const hostile = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.string({
      unit: fc.constantFrom("<", ">", "&", "'", '"', "\0", "\u000b", "\ud800", "\uffff", "]", "a", "\n", "/"),
    }),
    fc.constantFrom("</body></message><message to='x'>", "]]>", "<!--", "<![CDATA[", "&lt;", "&#0;", "&amp;amp;"),
  );

  test("no text, id, name or address makes another stanza of it", () => {
    fc.assert(
      fc.property(hostile, hostile, hostile, (text, id, url) => {
        const reply = { op: { target: "x" as never, name: text, excerpt: id }, target: { id, to: url } };
        const said = parsed(textMessage({ room: ENVELOPE.room, id }, part(text), { replaces: id, reply }).toString());
        expect(childText(said, "body")?.endsWith(withoutInvalid(text))).toBe(true);
        expect(attr(said, "id")).toBe(withoutInvalid(id));
        const file = parsed(fileMessage({ room: ENVELOPE.room, id }, url).toString());
        expect(childText(child(file, "x", NS.oob), "url")).toBe(withoutInvalid(url));
        const all = parsed(reactions({ room: ENVELOPE.room, id }, url, [text]).toString());
        expect(child(all, "reactions", NS.reactions)?.getChildren("reaction")).toHaveLength(1);
        parsed(retraction({ room: ENVELOPE.room, id }, url, text).toString());
      }),
    );
  });

  test("what XML cannot hold is left out", () => {
    expect(parsed(el("a", { b: "x\0y" }, "1\0\u0008\u001f\ud800\uffff2\t\n3").toString()).getText()).toBe("12\t\n3");
  });
});

test("our own reply reads back without its quote", () => {
  const reply = {
    op: { target: "x" as never, name: "bob 🙂", excerpt: "\u0002one\u000f\ntwo\ud800" },
    target: { id: "s1", to: "town@rooms.example/bob" },
  };
  const message = parsed(textMessage(ENVELOPE, part("<alice> yes"), { reply }).toString());
  expect(childText(message, "body")).toBe("> bob 🙂: one two\n<alice> yes");
  expect(readBody(message)?.source.text).toBe("<alice> yes");
  expect(attr(child(message, "reply", NS.reply), "id")).toBe("s1");
});

test("a retraction is one for old and new clients, and no text for either", () => {
  const message = parsed(retraction(ENVELOPE, "s1", "m1").toString());
  expect(attr(child(message, "retract", NS.retract1), "id")).toBe("s1");
  expect(attr(child(message, "apply-to", NS.fasten), "id")).toBe("m1");
  expect(readBody(message)).toBeNull();
});

test("a correction and a text that is not styling", () => {
  const message = parsed(textMessage(ENVELOPE, part("*x*", true), { replaces: "m0" }).toString());
  expect(attr(child(message, "replace", NS.correct), "id")).toBe("m0");
  expect(readBody(message)?.source.format).toBe("plain");
});

test.each([
  [undefined, []],
  ["", [""]],
  ["<alice> end:", ["<alice> end:"]],
])("a hidden text has its hint: %j", (hint, spoilers) => {
  const words: TextPart = { ...part("<alice> end: both die"), ...(hint !== undefined && { hint }) };
  const message = parsed(textMessage(ENVELOPE, words, { replaces: "m0" }).toString());
  expect(message.getChildren("spoiler", NS.spoiler).map((one) => one.getText())).toEqual(spoilers);
});
