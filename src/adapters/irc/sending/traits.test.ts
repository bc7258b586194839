import { expect, test } from "vitest";
import { type LineTrait, traitsOf, withoutTraits } from "./traits.ts";

type Command = "PRIVMSG" | "NOTICE";

test.each<[Command, string, readonly LineTrait[]]>([
  ["PRIVMSG", "plain words", []],
  ["PRIVMSG", "a \x02bold\x02 word", ["codes"]],
  ["PRIVMSG", "\x0304red", ["codes"]],
  ["PRIVMSG", "\x04ff0000red", ["codes"]],
  ["PRIVMSG", "\x11code\x11", ["codes"]],
  ["PRIVMSG", "\x16reverse\x16 \x1ditalic\x1d \x1estrike\x1e \x1funderline\x1f", ["codes"]],
  ["PRIVMSG", "<anna>\x0f hi", ["codes"]],
  ["PRIVMSG", "a\ttab", []],
  ["NOTICE", "joins", ["notice"]],
  ["NOTICE", "\x02joins\x02", ["codes", "notice"]],
  ["PRIVMSG", "THE SERVER IS DOWN", ["capitals"]],
  ["PRIVMSG", "<anna> WHY IS IT DOWN", ["capitals"]],
  ["PRIVMSG", "ПОЧЕМУ ТАК", ["capitals"]],
  ["PRIVMSG", "LOL", []],
  ["PRIVMSG", "The Quick Brown Fox of NASA jumps over the lazy dog", []],
  ["PRIVMSG", "123 456 !!!", []],
  ["PRIVMSG", "\x01ACTION waves\x01", ["ctcp"]],
  ["PRIVMSG", "\x01ACTION \x02waves\x02\x01", ["codes", "ctcp"]],
])("%s %j has the traits %j", (command, text, expected) => {
  expect(traitsOf({ command, text })).toEqual(expected);
});

test.each<[Command, string, readonly LineTrait[], Command, string]>([
  ["PRIVMSG", "a \x02bold\x02 word", ["codes"], "PRIVMSG", "a bold word"],
  ["PRIVMSG", "\x0304,02<anna>\x0f \x11make\x11 99", ["codes"], "PRIVMSG", "<anna> make 99"],
  ["PRIVMSG", "\x0301,01the butler\x03 did", ["codes"], "PRIVMSG", "the butler did"],
  ["PRIVMSG", "  two  blanks  ", ["codes"], "PRIVMSG", "  two  blanks  "],
  ["PRIVMSG", "\x01ACTION \x02anna\x02 waves\x01", ["codes"], "PRIVMSG", "\x01ACTION anna waves\x01"],
  ["PRIVMSG", "\x01ACTION anna waves\x01", ["ctcp"], "PRIVMSG", "* anna waves"],
  ["NOTICE", "\x02anna\x02 joins", ["notice"], "PRIVMSG", "\x02anna\x02 joins"],
  ["NOTICE", "\x02anna\x02 joins", ["codes"], "NOTICE", "anna joins"],
  ["NOTICE", "\x02anna\x02 joins", ["codes", "notice"], "PRIVMSG", "anna joins"],
  ["PRIVMSG", "SEE HTTPS://E.EXAMPLE/Ab NOW", ["capitals"], "PRIVMSG", "see HTTPS://E.EXAMPLE/Ab now"],
  ["PRIVMSG", "ПОЧЕМУ", ["capitals"], "PRIVMSG", "почему"],
])("%s %j without %j is %s %j", (command, text, traits, newCommand, newText) => {
  expect(withoutTraits({ command, text }, new Set(traits))).toEqual({ command: newCommand, text: newText });
});
