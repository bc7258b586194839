import type { Message } from "../contract/message.ts";
import type { NewEntry, Subject } from "../log/log.ts";
import { authorKey, excerptOf, nameOf } from "./acts.ts";
import { encode } from "./codec.ts";
import { subjectOf } from "./subject.ts";

/**
 * What the operator says goes into the log like any message, as from an account that no configuration can have: no
 * protocol has this name. Every gateway hears it, and all its bridges that take anything are told.
 */
export const OPERATOR = "rialto.operator";
/** The name it is said under when the operator gives none. */
export const OPERATOR_NAME = "operator";

export function operatorSubject(gateway: string): Subject {
  return subjectOf(OPERATOR, gateway);
}

export interface OperatorWords {
  readonly gateway: string;
  /** Plain text. */
  readonly text: string;
  readonly username: string;
  /** Unix ms. */
  readonly atMs: number;
}

export function operatorEntry({ gateway, text, username, atMs }: OperatorWords): NewEntry {
  const message: Message = {
    text,
    channel: OPERATOR_NAME,
    username,
    userid: OPERATOR_NAME,
    avatar: "",
    account: OPERATOR,
    event: "",
    protocol: "rialto",
    gateway,
    parent_id: "",
    timestamp: new Date(atMs).toISOString(),
    id: "",
    Extra: null,
  };
  return {
    subject: operatorSubject(gateway),
    key: null,
    label: "",
    payload: encode(message),
    note: {
      is: "said",
      refs: [],
      author: authorKey(OPERATOR_NAME, null),
      name: nameOf(username),
      excerpt: excerptOf(text),
    },
  };
}
