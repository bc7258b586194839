import { expect, test } from "vitest";
import { placeholderIn } from "./unfilled.ts";

test.each([
  "${TELEGRAM_TOKEN}",
  "${token}",
  "${TOKEN:-none}",
  "${TOKEN:?missing}",
  " ${TOKEN} ",
  "$X",
  "$TOKEN",
  "$TELEGRAM_TOKEN",
  "$telegram_token",
  "{X}",
  "{TOKEN}",
  "{DISCORD_TOKEN}",
  "{{X}}",
  "{{ token }}",
  "{{ .Values.discord.token }}",
  '{{ env "TOKEN" }}',
  "<token>",
  "<TOKEN>",
  "<your token>",
  "<bot-token>",
])("%s is a placeholder", (text) => {
  expect(placeholderIn(text)).toBe("sure");
});

test.each(["DISCORD_TOKEN", "YOUR_BOT_TOKEN", "IRC_PASSWORD", "MATTERMOST_SERVER"])("%s may be one", (text) => {
  expect(placeholderIn(text)).toBe("likely");
});

test.each([
  "",
  "$",
  "$ECRET",
  "$UPER2024",
  "$ecret",
  "$2b$10$abcdefghijklmnopqrstuv",
  "$abc_def",
  "pa$$WORD_TOKEN",
  "${",
  "${}",
  "${a b}",
  "{abc}",
  "{hunter2}",
  "{}",
  "{{}}",
  "<hunter2>",
  "<kept:3f9a0c2b1d>",
  "TOKEN",
  "PASSWORD",
  "ABC_DEF",
  "A1_B2_C3",
  "my_token",
  "my-token",
  "xoxb-1-TOKEN",
  "110201543:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw",
  "irc.libera.chat:6697",
  "x${TOKEN}",
  "${TOKEN}x",
  "$TOKEN$",
  `$${"A_".repeat(200)}TOKEN`,
])("%j is a value", (text) => {
  expect(placeholderIn(text)).toBeNull();
});
