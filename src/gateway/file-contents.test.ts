import { describe, expect, test } from "vitest";
import type { FileId } from "../contract/ids.ts";
import type { FileItem, Message } from "../contract/message.ts";
import { withoutEcho } from "./caption.ts";
import { decode, encode, encodeStored } from "./codec.ts";
import { contentsWanted, type FileContent, withContents } from "./file-contents.ts";
import { aStored, planOf, postOf } from "./plan.suite.ts";
import { aFile, aMessage, anAccount } from "./samples.suite.ts";
import { compileView } from "./view.ts";

const ID = "cat" as FileId;
const item = (more: Partial<FileItem> = {}): FileItem =>
  aFile({ Name: "cat.png", Data: "", URL: "", Comment: "", Size: 0, ...more });
const found = (more: Partial<FileContent> = {}): FileContent => ({
  data: "eA==",
  bytes: 1,
  link: null,
  missing: null,
  ...more,
});
const message = (files: readonly FileItem[], more: Partial<Message> = {}): Message =>
  aMessage({ account: "net.a", protocol: "net", text: "", Extra: { file: files }, ...more });

const LINK = "https://media.example/cat";
const PUBLIC = "https://web.example/cat.png";
const TOO_LARGE = "it is larger than MediaDownloadSize (10 bytes)";
const WORDS = `cat.png (2.0 MiB) was shared, but cannot be shown here: ${TOO_LARGE}`;
const lost = found({ data: null, bytes: 2 * 1024 ** 2, missing: TOO_LARGE });

describe("without FullEvents, a file of a network has its content, an address, or words", () => {
  test.each<[string, string, Partial<FileItem>, FileContent | null, [string, Partial<FileItem> | null]]>([
    ["its content", "", {}, found(), ["cat.png", { Data: "eA==", URL: "", Size: 1 }]],
    ["its content, with a caption", "", { Comment: "Tom" }, found(), ["Tom", { Data: "eA==", Comment: "Tom" }]],
    ["its content and an address", "", {}, found({ link: LINK }), [LINK, { Data: "eA==", URL: LINK }]],
    ["beside a text", "look", {}, found({ link: LINK }), ["look", { Data: "eA==", URL: LINK }]],
    [
      "a caption and an address",
      "",
      { Comment: "Tom" },
      found({ link: LINK }),
      [`Tom: ${LINK}`, { URL: LINK, Comment: "Tom" }],
    ],
    ["an address of its own", "", { URL: PUBLIC }, found({ link: LINK }), [PUBLIC, { Data: "eA==", URL: PUBLIC }]],
    ["an address only", "", { URL: PUBLIC }, lost, [PUBLIC, { Data: "", URL: PUBLIC }]],
    ["a link only", "", {}, { ...lost, link: LINK }, [LINK, { Data: "", URL: LINK, Size: 2 * 1024 ** 2 }]],
    ["neither", "", {}, lost, [WORDS, null]],
    ["neither, beside a text", "look", {}, lost, [`look\n${WORDS}`, null]],
    ["neither, with a caption", "", { Comment: "Tom" }, lost, [`Tom: ${WORDS}`, null]],
    [
      "nothing known at all",
      "",
      {},
      null,
      ["cat.png was shared, but cannot be shown here: its content is not available", null],
    ],
  ])("%s", (_name, text, file, content, [shown, kept]) => {
    const seen = withContents({ message: message([item(file)], { text }), files: [ID] }, [content], () => null);
    expect(seen.text).toBe(shown);
    if (kept === null) expect(seen.Extra).toBeNull();
    else expect(seen.Extra?.file).toMatchObject([kept]);
  });

  test("several, of which one is not to be had", () => {
    const files = [item({ Name: "a.png" }), item({ Name: "b.png" }), item({ Name: "c.png", URL: PUBLIC })];
    const contents = [found(), found({ data: null, bytes: null, missing: "gone" }), null];
    const seen = withContents({ message: message(files), files: [ID, ID, null] }, contents, () => null);
    expect(seen.text).toBe(`a.png\nb.png was shared, but cannot be shown here: gone\n${PUBLIC}`);
    expect(seen.Extra?.file.map(({ Name }) => Name)).toEqual(["a.png", "c.png"]);
  });

  test("what a client of the API posted is as it was posted", () => {
    const posted = message([item({ Data: "eA==" })], { account: "api.a", protocol: "api" });
    expect(withContents({ message: posted, files: [] }, [], () => LINK)).toBe(posted);
    expect(withContents({ message: posted, files: [ID] }, [], () => null)).toEqual(posted);
  });

  test("what a client of the API posted has an address beside its content, where it is kept", () => {
    const posted = message([item({ Data: "eA==" })], { account: "api.a", protocol: "api" });
    const seen = withContents({ message: posted, files: [ID] }, [], () => LINK);
    expect(seen).toEqual({ ...posted, Extra: { file: [item({ Data: "eA==", URL: LINK })] } });
  });

  test("a file that is empty", () => {
    const posted = message([item()], { account: "api.a", protocol: "api" });
    const seen = withContents({ message: posted, files: [ID] }, [found({ data: "", bytes: 0 })], () => null);
    expect(seen.text).toBe("cat.png was shared, but cannot be shown here: it is empty");
  });
});

test.each<[string, boolean, Partial<Message>, readonly (FileId | null)[], readonly (string | null)[] | null]>([
  ["a file of a network", false, {}, [ID], ["cat"]],
  ["files of which one is nobody's", false, { Extra: { file: [item(), item()] } }, [null, ID], [null, "cat"]],
  ["a reader with FullEvents", true, {}, [ID], null],
  ["a file that a client of the API uploaded", false, { account: "api.a", protocol: "api" }, [ID], ["cat"]],
  ["content that is there", false, { Extra: { file: [item({ Data: "eA==" })] } }, [ID], null],
  ["no files", false, { Extra: null }, [], null],
  ["a text that looks like them", false, { Extra: null, text: '"files":[1]' }, [], null],
])("what is wanted of %s", (_name, FullEvents, more, files, expected) => {
  const view = compileView({ ...anAccount("api.reader"), settings: { FullEvents } }, new Map());
  const payload = encodeStored({
    message: message([item()], more),
    source: null,
    about: null,
    files,
    avatar: ID,
    topic: null,
  });
  expect(view.wants(payload)?.map((wanted) => wanted?.id ?? null) ?? null).toEqual(expected);
  if (!FullEvents) expect(contentsWanted(payload)).toEqual(view.wants(payload));
});

describe("a caption that is the text", () => {
  const files = [item({ Comment: "look", URL: PUBLIC }), item({ Comment: "other", URL: PUBLIC })];

  test("is said once at networks", () => {
    const posted = aStored({ text: "look", Extra: { file: files } });
    expect(postOf(planOf({}, [], { fileOut: "emulated" }), posted).body.files.map(({ comment }) => comment)).toEqual([
      "",
      "other",
    ]);
  });

  test.each(["net.a", "api.src"])("is said once at readers of the API, from %s", (account) => {
    const from = anAccount(account);
    const view = compileView(anAccount("api.reader"), new Map([[from.key, from]]));
    const said = message(files, { text: "look ", account, protocol: from.protocol, gateway: "main" });
    const seen = decode(view.line({ seq: 1, account, payload: encode(said) }, "main"));
    expect(seen.text).toBe("look ");
    expect(seen.Extra?.file.map(({ Comment }) => Comment)).toEqual(["", "other"]);
  });

  test("no other", () => {
    const said = message([item({ Comment: "looks" }), item()], { text: "look" });
    expect(withoutEcho(said)).toBe(said);
  });
});

test.each<[string, string, string, string]>([
  ["a caption that the text says is said once", "_a_", "_a_", String.raw`\_a_`],
  ["so is one that is all there is", "", "*c*", String.raw`\*c*`],
  ["a name is no formatting", "", "", String.raw`\_cat_`],
])("to readers of Markdown, %s", (_, text, Comment, shown) => {
  const reader = { ...anAccount("api.reader"), settings: { TextFormat: "markdown" } };
  const view = compileView(reader, new Map([[reader.key, reader]]));
  const said = message([item({ Name: "_cat_", Comment })], { text });
  const payload = encodeStored({ message: said, source: null, about: null, files: [ID], avatar: null, topic: null });
  const seen = decode(view.line({ seq: 1, account: "net.a", payload }, "g", [found()]));
  expect(seen).toMatchObject({ text: shown, Extra: { file: [{ Comment: "" }] } });
});
