import type { Subject } from "../log/log.ts";

/**
 * Where an event came from: the account's key and the channel as the configuration spells it. For an API account the
 * channel is the name of the gateway that the client named.
 */
export function subjectOf(accountKey: string, channel: string): Subject {
  return `${accountKey.replaceAll(/[%/]/g, encodeURIComponent)}/${channel}`;
}

/** The account's key out of a subject. */
export function accountOf(subject: Subject): string {
  const key = subject.slice(0, subject.indexOf("/"));
  return key.includes("%") ? decodeURIComponent(key) : key;
}
