import { expect, test } from "vitest";
import { indexedText } from "./indexed-text.ts";

const ANN = { username: "Ann", userid: "a@host" };
const authors = ["Ann", "a@host"];
const stored = (fields: object): string => JSON.stringify({ text: "words", event: "", Extra: null, ...ANN, ...fields });

test.each([
  ["a message", "", stored({}), { is: "said", text: "words", authors }],
  ["an action", "user_action", stored({}), { is: "said", text: "words", authors }],
  [
    "a message with a file",
    "",
    stored({ Extra: { file: [{ Name: "cat.png", Comment: "my cat", Size: 1 }] } }),
    { is: "said", text: "words\ncat.png\nmy cat", authors },
  ],
  ["an answer", "", stored({ about: { is: "reply", seq: 3 } }), { is: "said", text: "words", authors }],
  [
    "a message without an id of its author",
    "",
    stored({ userid: "" }),
    { is: "said", text: "words", authors: ["Ann"] },
  ],
  ["an edit", "msg_edit", stored({ about: { is: "edit", seq: 3 } }), { is: "edited", of: 3, text: "words" }],
  ["a deletion", "msg_delete", stored({ about: { is: "delete", seq: 3 } }), { is: "deleted", of: 3 }],
  ["an edit of what nobody knows", "msg_edit", stored({ about: { is: "edit", seq: null } }), null],
  ["somebody who joins", "join", stored({}), null],
  ["a reaction", "msg_reaction", stored({ about: { is: "reaction", seq: 3 } }), null],
  ["what is no message", "", "[1]", null],
  ["what is no JSON", "", "{", null],
])("reads %s", (_, label, payload, expected) => expect(indexedText(label, payload)).toEqual(expected));
