import { expect, test } from "vitest";
import type { SettingsOf } from "../contract/manifest.ts";
import { presentationOf, sharedSchema } from "./presentation.ts";

const SHARED: SettingsOf<typeof sharedSchema> = {
  RemoteNickFormat: "<{NICK}> ",
  StripNick: true,
  Label: "L",
  IconURL: "https://icon.example/",
  IgnoreNicks: ["a"],
  IgnoreMessages: ["b"],
  EmojiCodes: "off",
  ReplaceMessages: [["c", "d"]],
  ReplaceNicks: [],
  ExtractNicks: [["e", "(f)"]],
  ShowJoinPart: true,
  NoSendJoinPart: false,
  ShowTopicChange: true,
  SyncTopic: false,
  ShowOutages: false,
  ShowFailures: false,
  ShowUserTyping: false,
  PreserveThreading: true,
  QuoteDisable: false,
  QuoteFormat: "{MESSAGE}",
  QuoteLengthLimit: 10,
  EditDisable: false,
  EditSuffix: "*",
  EditFallback: "whole",
  DeleteFallback: "note",
  ReactionDisable: false,
  ReactionFallback: "line",
  AllowMention: ["users", "everyone"],
};

test("every shared setting is there under its name in code, with its value", () => {
  const presentation = presentationOf(SHARED);
  expect(Object.keys(presentation)).toHaveLength(Object.keys(sharedSchema.properties).length);
  expect(presentation).toMatchObject({
    remoteNickFormat: "<{NICK}> ",
    iconURL: "https://icon.example/",
    replaceMessages: [["c", "d"]],
    quoteLengthLimit: 10,
    editFallback: "whole",
    allowMention: ["users", "everyone"],
  });
});
