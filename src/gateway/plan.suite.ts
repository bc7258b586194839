/** Plans of made-up networks, and what they make of entries. */
import type { Account, PresentationSettings } from "../config/config.ts";
import type { Capabilities } from "../contract/capabilities.ts";
import type { MessageRef } from "../contract/ids.ts";
import type { Message } from "../contract/message.ts";
import type { PostDraft } from "../contract/ops.ts";
import type { About, Stored } from "./codec.ts";
import { compilePlan, type Plan } from "./plan.ts";
import type { Here, OpDraft } from "./planned.ts";
import { aMessage, anAccount } from "./samples.suite.ts";

export function capabilities(more: Partial<Capabilities> = {}): Capabilities {
  return {
    ops: { edit: "none", delete: "none", react: "none", topic: "none" },
    reply: "none",
    replyWords: "quote",
    thread: "none",
    mention: "none",
    notice: "none",
    fileIn: "none",
    fileOut: "none",
    members: "none",
    topic: "none",
    history: "none",
    identity: ["prefix"],
    idempotency: { by: "none" },
    proof: "server",
    formats: ["text", "para"],
    limits: { textMax: 400, textUnit: "bytes", inflightMax: 1 },
    ...more,
  };
}

export const ABLE: Partial<Capabilities> = {
  ops: { edit: "native", delete: "native", react: "native", topic: "native" },
  reply: "native",
  thread: "native",
  fileOut: "native",
  identity: ["puppet"],
};

export function planOf(
  presentation: Partial<PresentationSettings> = {},
  sources: readonly Account[] = [],
  able: Partial<Capabilities> = {},
): Plan {
  const destination = anAccount("net.there", presentation);
  const accounts = new Map([destination, ...sources].map((each) => [each.key, each]));
  return compilePlan(destination, accounts, capabilities(able));
}

export const NOTHING_HERE: Here = {
  about: [],
  thread: [],
  ageMs: null,
  standing: [],
  line: null,
  quoting: [],
  answers: [],
  together: [],
  files: [],
  avatar: null,
  without: [],
  limits: {},
};

export function aStored(message: Partial<Message>, more: Partial<Stored> = {}): Stored {
  return { message: aMessage(message), source: null, about: null, files: [], avatar: null, topic: null, ...more };
}

export function about(is: About["is"], more: Partial<About> = {}): About {
  const text = { name: "alice", excerpt: "what it said" };
  return { is, seq: 7, ...text, thread: null, author: null, emoji: "", on: false, ...more };
}

export function opOf(plan: Plan, stored: Stored, here: Partial<Here> = {}): OpDraft {
  const planned = plan.op(stored, "main", { ...NOTHING_HERE, ...here });
  if (planned.is === "omitted") throw new Error("omitted");
  return planned.op;
}

export function postOf(plan: Plan, stored: Stored, here: Partial<Here> = {}): PostDraft {
  const op = opOf(plan, stored, here);
  if (op.kind !== "post") throw new Error(`it is a ${op.kind}`);
  return op;
}

export const refs = (...names: string[]): MessageRef[] => names as MessageRef[];
