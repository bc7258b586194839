import { expect, test } from "vitest";
import { Batches } from "./batches.ts";
import { type IrcLine, parseLine } from "./wire.ts";

const line = (text: string): IrcLine => {
  const parsed = parseLine(text);
  if (parsed === null) throw new Error(text);
  return parsed;
};

/** What comes out of these lines: messages of several lines, as text. */
function told(...lines: readonly string[]): readonly string[] {
  const batches = new Batches();
  return lines.flatMap((text) => {
    const one = line(text);
    if (one.command === "BATCH") {
      const { message } = batches.take(one);
      return message === null ? [] : [`${message.command} ${message.params.join(" ")} ${message.tags.get("msgid")}`];
    }
    return batches.keeps(one) ? [] : [one.params[1] ?? ""];
  });
}

test("a message of several lines is one, with the id of its batch", () => {
  expect(
    told(
      "@msgid=m1 :n!u@h BATCH +1 draft/multiline #c",
      "@batch=1 :n!u@h PRIVMSG #c hello",
      ":x!u@h PRIVMSG #c between",
      "@batch=1 :n!u@h PRIVMSG #c :how is ",
      "@batch=1;draft/multiline-concat :n!u@h PRIVMSG #c :everyone?",
      "@batch=1 :n!u@h PRIVMSG #c :",
      "BATCH -1",
    ),
  ).toEqual(["between", "PRIVMSG #c hello\nhow is everyone?\n m1"]);
});

test("an empty one, one that does not end, and the end of one that was not begun say nothing", () => {
  expect(told("BATCH +1 draft/multiline #c", "BATCH -1", "BATCH -2", "BATCH")).toEqual([]);
  expect(told("BATCH +1 draft/multiline #c", "@batch=1 :n!u@h PRIVMSG #c hello")).toEqual([]);
});

test("batches that never end do not hinder those that come, and what is no message is not part of one", () => {
  const open = Array.from({ length: 150 }, (_, at) => `BATCH +x${at} netsplit a b`);
  const lines = ["BATCH +1 draft/multiline #c", "@batch=1 :s 404 me #c", "@batch=1 :n!u@h PRIVMSG #c hi", "BATCH -1"];
  expect(told(...open, ...lines)).toEqual(["#c", "PRIVMSG #c hi undefined"]);
});

test("what one batch holds is bounded", () => {
  const many = Array.from({ length: 3000 }, () => "@batch=1 :n!u@h PRIVMSG #c x");
  const [all = ""] = told("BATCH +1 draft/multiline #c", ...many, "BATCH -1");
  expect(all.split("\n")).toHaveLength(1000);
});

test("batches inside a playback are old, too; the label of the outer one counts", () => {
  const batches = new Batches();
  batches.take(line("@label=l1 :s BATCH +r labeled-response"));
  batches.take(line("@batch=r :s BATCH +h chathistory #c"));
  batches.take(line("@batch=h :n!u@h BATCH +m draft/multiline #c"));
  const playback = batches.playback(line("@batch=m :n!u@h PRIVMSG #c old"));
  expect(playback).toMatchObject({ type: "chathistory", params: ["#c"], label: "l1" });
  expect(batches.playback(line(":n!u@h PRIVMSG #c new"))).toBeNull();
  expect(batches.take(line("BATCH -h")).ended).toMatchObject({ type: "chathistory", label: "l1" });
});
