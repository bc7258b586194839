import { describe, expect, test } from "vitest";
import type { Reader, Sight } from "./place.ts";
import { type Act, type Judged, judgeAct, judgeFiles, judgeNews, judgeSaying, type Verdict } from "./verdict.ts";

const sight = (text: string, more: Partial<Sight> = {}): Sight => ({
  kind: "normal",
  text,
  ids: [],
  target: null,
  alerts: false,
  file: null,
  ...more,
});
const native: Verdict = { is: "native" };
const bare: Verdict = { is: "bare" };
const words = (as: string): Verdict => ({ is: "words", as });
const is = ({ verdict, faults }: Judged): Verdict | "faulty" => (faults.length > 0 ? "faulty" : verdict);

describe("what was said", () => {
  const judge = (thing: string, reader: Reader, sights: readonly Sight[], expected = `see ${thing}Qirc here`): Judged =>
    judgeSaying({ thing, word: `${thing}Qirc`, bare: expected, author: "mona" }, reader, sights, "ira");

  test.each<[string, Reader, string, Verdict | "faulty"]>([
    ["bold", "irc", "<mona> see \u0002boldQirc\u0002 here", native],
    ["bold", "irc", "<mona> see \u0002boldQirc\u000f here", native],
    ["bold", "irc", "<mona> see boldQirc here", bare],
    ["bold", "irc", "<mona> see \u001fboldQirc\u000f here", words("see ‹underline›text‹plain› here")],
    ["bold", "irc", "<mona> see **\u0002boldQirc\u000f** here", "faulty"],
    ["bold", "xmpp", "<mona> see *boldQirc* here", native],
    ["bold", "xmpp", "<mona> see \\*boldQirc\\* here", "faulty"],
    ["bold", "matrix", "&lt;mona&gt; see <strong>boldQirc</strong> here", native],
    ["bold", "matrix", "&lt;mona&gt; see &lt;b&gt;boldQirc&lt;/b&gt; here", words("see <b>text</b> here")],
    ["bold", "api", "see **boldQirc** here", native],
    ["bold", "api", "see **boldQirc** here!", "faulty"],
    ["bold", "api", "see something else", "faulty"],
    ["colour", "irc", "<mona> see \u000304colourQirc\u000f here", native],
    ["spoiler", "irc", "<mona> see \u000301,01spoilerQirc\u000f here", native],
    ["spoiler", "irc", "<mona> see \u000301,02spoilerQirc\u000f here", words("see \u000301,02text‹plain› here")],
    [
      "link",
      "irc",
      "<mona> see linkQirc (https://example.org/linkqirc) here",
      words("see text (https://example.org/text) here"),
    ],
    ["link", "irc", "<mona> see linkQirc here", "faulty"],
    ["notice", "plain", "nothing of it", { is: "nothing" }],
    ["notice", "xmpp", "nothing of it", "faulty"],
  ])("%s to %s: %j", (thing, reader, text, expected) => {
    expect(is(judge(thing, reader, [sight(text)]))).toEqual(expected);
  });

  test("several messages are no two lines of one", () => {
    const both = "one linesQirc\ntwo linesQirc";
    expect(is(judge("lines", "xmpp", [sight(`<mona> ${both}`)], both))).toEqual(native);
    const apart = [sight("<mona> one linesQirc"), sight("<mona> two linesQirc")];
    expect(is(judge("lines", "irc", apart, both))).toEqual(words("one text ⏎⏎ two text"));
  });

  test("an action and a text with signs have to be just that", () => {
    const action = sight("<mona> see actionQirc here", { kind: "action" });
    expect(is(judge("action", "irc", [action]))).toEqual(native);
    expect(is(judge("action", "irc", [{ ...action, kind: "normal" }]))).toEqual(bare);
    expect(is(judge("signs", "irc", [sight("<mona> see signsQirc here")]))).toEqual(native);
    expect(is(judge("signs", "irc", [sight("<mona> see signsQirc  here")]))).toEqual("faulty");
  });

  test("a mention alerts, or is the name, which programs look for", () => {
    const named = sight("<mona> @ira mentionQirc");
    expect(is(judge("mention", "irc", [named]))).toEqual(words("the name"));
    expect(is(judge("mention", "api", [named]))).toEqual(bare);
    expect(is(judge("mention", "matrix", [{ ...named, alerts: true }]))).toEqual(native);
  });
});

describe("what was done", () => {
  const three = { target: ["b"], alike: ["a", "b", "c"], author: "mona", bare: "indeed replyQirc", emoji: "" };
  const reply: Act = { ...three, thing: "reply", word: "replyQirc", kind: "normal" };
  const react: Act = { ...three, thing: "react", word: "reactQirc", kind: "reaction", emoji: "👍" };

  test.each<[string, Act, Sight, Verdict | "faulty"]>([
    ["a reply", reply, sight("<mona> indeed replyQirc", { target: "b" }), native],
    ["a reply to another", reply, sight("<mona> indeed replyQirc", { target: "a" }), "faulty"],
    ["a reply to nothing", reply, sight("<mona> indeed replyQirc"), bare],
    [
      "a reply with the name",
      reply,
      sight("<mona> ira: indeed replyQirc", { target: "b" }),
      words("name: indeed text"),
    ],
    ["no reply", reply, sight("<mona> hello"), "faulty"],
    ["a reaction", react, sight("👍 🎉", { kind: "reaction", target: "b" }), native],
    ["a reaction to another", react, sight("👍", { kind: "reaction", target: "c" }), "faulty"],
    ["another reaction", react, sight("🎉", { kind: "reaction", target: "b" }), { is: "nothing" }],
    ["an edit", { ...reply, kind: "edit" }, sight("<mona> indeed replyQirc", { kind: "edit", target: "b" }), native],
    ["an edit in a message", { ...reply, kind: "edit" }, sight("<mona> * indeed replyQirc"), words("* indeed text")],
  ])("%s", (_, act, seen, expected) => {
    expect(is(judgeAct(act, "xmpp", [seen]))).toEqual(expected);
  });
});

describe("files and news", () => {
  const said = { thing: "file", word: "fileQirc", bare: "", author: "mona" };
  const file = { name: "fileQirc.txt", fetch: async () => await Promise.resolve(new Uint8Array()) };

  test("a file is there, or a link to it, or neither", () => {
    expect(is(judgeFiles(said, "xmpp", [sight("", { file })], 1))).toEqual(native);
    expect(is(judgeFiles(said, "xmpp", [sight("", { file })], 2))).toEqual("faulty");
    const link = sight("<mona> fileQirc.txt: http://127.0.0.1:4280/media/x/fileQirc.txt");
    expect(is(judgeFiles(said, "irc", [link], 1))).toEqual(words("text.txt: ‹link›"));
    expect(is(judgeFiles(said, "irc", [], 1))).toEqual("faulty");
  });

  test("joins are lines at networks, and labels at the API", () => {
    const who = { word: "guestirc", author: "guestirc" };
    expect(is(judgeNews("join", who, "xmpp", [sight("<guestirc> guestirc joins")]))).toEqual(words("name joins"));
    expect(is(judgeNews("join", who, "xmpp", [sight("<guestirc> guestirc parts")]))).toEqual({ is: "nothing" });
    expect(is(judgeNews("join", who, "api", [sight("guestirc joins", { kind: "join" })]))).toEqual(native);
    expect(is(judgeNews("join", who, "api", [sight("guestirc joins")]))).toEqual({ is: "nothing" });
  });
});
