import { expect, test } from "vitest";
import { refusalOf } from "./refusal.ts";
import { parseLine } from "../wire/wire.ts";

const read = (text: string) => {
  const line = parseLine(text);
  if (line === null) throw new Error("no line");
  const found = refusalOf(line);
  if (found === null) return null;
  const { target, refusal } = found;
  if (refusal.is === "done") return [target, "done"];
  return [target, refusal.is === "deferred" && refusal.gone ? "gone" : refusal.is, refusal.why.code];
};

test.each([
  [":irc.test 404 me #a :Cannot send to channel", ["#a", "deferred", "forbidden"]],
  [":irc.test 404 me #a :Your message must not be 80% or more capital letters", ["#a", "rejected", "bad_content"]],
  [":irc.test 404 me #a :Swearing is not permitted in this channel", ["#a", "rejected", "bad_content"]],
  [":irc.test 404 me #a :You are not permitted to send to this channel", ["#a", "deferred", "forbidden"]],
  [":irc.test 404 me #a :Cannot send to channel (no colours allowed)", ["#a", "rejected", "bad_content"]],
  [":irc.test 404 me #a :You cannot send external messages to this channel", ["#a", "gone", "not_found"]],
  [":irc.test 404 me #Information :You need voice (+v) (#information)", ["#Information", "deferred", "forbidden"]],
  [
    ":irc.test 404 me #a :You cannot send messages until you have been a member for 9 seconds.",
    ["#a", "deferred", "forbidden"],
  ],
  [
    ":irc.test 404 me #a :Your message exceeded the 80% upper case character threshold",
    ["#a", "rejected", "bad_content"],
  ],
  [":irc.test 408 me #a :You cannot use colors on this channel", ["#a", "rejected", "bad_content"]],
  [":irc.test 482 me #a :You're not a channel operator", null],
  [":irc.test 403 me #a :No such channel", ["#a", "gone", "not_found"]],
  [":irc.test 442 me #a :You're not on that channel", ["#a", "gone", "not_found"]],
  [":irc.test 477 me #a :Register first", ["#a", "deferred", "forbidden"]],
  [":irc.test 439 me #a :Target change too fast", ["#a", "deferred", "rate_limited"]],
  [":irc.test 263 me PRIVMSG :Try again", [null, "deferred", "rate_limited"]],
  [":irc.test 263 me WHO :Try again", null],
  [":irc.test 412 me :No text to send", [null, "rejected", "bad_content"]],
  [":irc.test 417 me :Input line was too long", [null, "rejected", "too_large"]],
  [":irc.test 599 me #a :Something new", ["#a", "deferred", "remote_error"]],
  [":irc.test FAIL PRIVMSG INVALID_UTF8 :Not UTF-8", [null, "rejected", "remote_error"]],
  [":irc.test FAIL PRIVMSG RATE_LIMITED #a :Slow down", [null, "deferred", "rate_limited"]],
  [":irc.test FAIL PRIVMSG TEMPORARILY_UNAVAILABLE #a :Services are away", [null, "deferred", "rate_limited"]],
  [":irc.test FAIL PRIVMSG ACCOUNT_REQUIRED #a :Log in first", [null, "deferred", "forbidden"]],
  [":irc.test FAIL JOIN X :no", null],
  [":irc.test FAIL REDACT UNKNOWN_MSGID #a m1 :It is too old", ["#a", "done"]],
  [":irc.test FAIL REDACT REDACT_FORBIDDEN #a m1 :No", ["#a", "rejected", "forbidden"]],
  [":irc.test FAIL BATCH MULTILINE_MAX_LINES 10 :Too many", [null, "deferred", "unsupported"]],
  [":irc.test FAIL RELAYMSG INVALID_NICK #a :No such nick", ["#a", "deferred", "forbidden"]],
  [":irc.test FAIL RELAYMSG BANNED #a :eve/x is banned here", ["#a", "rejected", "forbidden"]],
  [":irc.test FAIL RELAYMSG BLANK_MSG :Empty", [null, "rejected", "bad_content"]],
  [":irc.test 437 me #a :Cannot change nickname while banned on channel", null],
  [":irc.test 433 me rialto :Nickname is already in use", null],
  [":irc.test NOTICE me :*** Message to #a throttled due to flooding", ["#a", "deferred", "rate_limited"]],
  [":eve!e@host NOTICE me :*** Message to #a throttled due to flooding", null],
  [":irc.test 366 me #a :End of names", null],
  [":alice!a@host PRIVMSG #a :404", null],
])("%s", (line, expected) => {
  expect(read(line)).toEqual(expected);
});

test.each([
  [
    "408 me #a :You cannot use control codes on this channel. Not sent: my secret",
    "You cannot use control codes on this channel.",
  ],
  ["404 me #a :Cannot send to channel \x0304(\x02+m\x02)\x0f", "Cannot send to channel (+m)"],
  [
    "404 me #a :Your message to this channel contained a banned phrase (secret) and was blocked.",
    "Your message to this channel contained a banned phrase and was blocked.",
  ],
])("a reason has no text of the message: %s", (line, reason) => {
  const refused = refusalOf(parseLine(`:irc.test ${line}`)!)?.refusal;
  expect(refused).toMatchObject({ why: { message: `the server refuses the line: ${reason}` } });
});

test.each([
  ["You cannot send messages to this channel until you have been a member for 5 seconds.", 5000],
  ["You must wait 60 seconds after joining", 30_000],
  ["You need voice (+v)", 30_000],
])("a channel that says how long to wait is tried then: %s", (reason, retryInMs) => {
  expect(refusalOf(parseLine(`:irc.test 404 me #a :${reason}`)!)?.refusal).toMatchObject({ is: "deferred", retryInMs });
});
