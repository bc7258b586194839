import * as fc from "../../../test/support/property.ts";
import { describe, expect, test } from "vitest";
import type { Idempotency } from "../../contract/capabilities.ts";
import { END, type MessageRef } from "../../contract/ids.ts";
import { EventLabel } from "../../contract/message.ts";
import type { Op, OptionalKind } from "../../contract/ops.ts";
import type { Outcome } from "../../contract/outcome.ts";
import type { Attempt } from "../../contract/session.ts";
import type { ReadyFile } from "../../files/files.ts";
import { encode } from "../../gateway/codec.ts";
import { ABLE, planOf } from "../../gateway/plan.suite.ts";
import { aMessage } from "../../gateway/samples.suite.ts";
import { emptyDisk } from "../memory-log.suite.ts";
import { payloadOf, withFiles } from "../plan.suite.ts";
import { deferred, KEY, LANE, NONE, outletOf, Stage, SUBJECT, unknown, WHY } from "../stage.suite.ts";

/** A message that was said, as its author means it now. */
interface Said {
  readonly seq: number;
  text: string;
  gone: boolean;
  readonly reactions: Set<string>;
}

type Fault = "none" | "deferred" | "unknown, done" | "unknown, not done";

/** A room that knows ops by their ids, and what it shows. */
class Room {
  readonly shown = new Map<string, string>();
  readonly faults: Fault[] = [];
  /** Texts of posts, each time one was done. */
  readonly posts: string[] = [];
  readonly #done = new Map<string, readonly MessageRef[]>();
  readonly #by: Idempotency["by"];

  constructor({ by }: Idempotency) {
    this.#by = by;
  }

  async handle(op: Op, attempt: Attempt): Promise<Outcome> {
    if (this.#by === "none" && !(await attempt.sending(END))) return deferred(100);
    const fault = this.faults.shift() ?? "none";
    if (fault === "deferred") return deferred(100);
    if (fault === "unknown, not done") return unknown;
    const messages = (this.#by === "key" ? this.#done.get(op.id) : null) ?? this.#do(op);
    this.#done.set(op.id, messages);
    return fault === "none" ? { is: "delivered", receipt: { messages, losses: [] } } : unknown;
  }

  #do(op: Op): readonly MessageRef[] {
    if (op.kind === "react" || op.kind === "topic") throw new Error(`there is no ${op.kind}`);
    const text = "body" in op ? op.body.source.text : "";
    if (op.kind === "post") {
      this.posts.push(`${op.id} ${text}`);
      this.shown.set(op.id, text);
      return [op.id as string as MessageRef];
    }
    for (const ref of op.target) {
      if (op.kind === "delete") this.shown.delete(ref);
      else if (this.shown.has(ref)) this.shown.set(ref, text);
    }
    return [];
  }
}

type Move =
  | { readonly is: "say" | "connect" | "disconnect" | "restart" | "stop" | "refuse" | "unreadable" | "accept" }
  | { readonly is: "file"; readonly comesInMs: number }
  | { readonly is: "reply"; readonly of: number }
  | { readonly is: "edit"; readonly of: number }
  | { readonly is: "delete"; readonly of: number }
  | { readonly is: "react"; readonly of: number; readonly who: number; readonly on: boolean }
  | { readonly is: "pass"; readonly ms: number }
  | { readonly is: "fault"; readonly fault: Fault };

const READY: ReadyFile = { ok: true, bytes: 3, mime: "image/png", sha256: "00", link: null };
const NAMES = ["anna", "ben"];

/** Reactions are said in a line that is edited; everything else is native. */
class World {
  readonly room: Room;
  readonly said: Said[] = [];
  readonly #plan = planOf({ reactionFallback: "line", quoteDisable: true }, [], ABLE);
  readonly #without: readonly OptionalKind[];
  /** How often each has put something on. */
  readonly put = new Map<string, number>();
  stage: Stage;
  #edits = 0;
  #life = { dead: false };

  constructor(idempotency: Idempotency, inflightMax: number, without: readonly OptionalKind[]) {
    this.room = new Room(idempotency);
    this.#without = without;
    const options = { idempotency, inflightMax, plan: this.#plan, disk: emptyDisk(), random: () => 0.1 };
    this.stage = new Stage({ ...options, step: this.#step(this.#life) });
  }

  /** Dead, a program writes nothing more. */
  #step(life: { readonly dead: boolean }): () => Promise<void> {
    return async () => {
      if (life.dead) await new Promise(() => undefined);
    };
  }

  async restart(): Promise<void> {
    this.#life.dead = true;
    this.#life = { dead: false };
    this.stage = this.stage.next({ step: this.#step(this.#life) });
    await this.stage.open();
  }

  async move(move: Move): Promise<void> {
    const { stage } = this;
    switch (move.is) {
      case "say":
        this.#say((text) => encode(aMessage({ text })));
        break;
      case "file": {
        const ready = Promise.withResolvers<ReadyFile>();
        const name = `file ${this.said.length}`;
        stage.files.answers.set(name, ready.promise);
        stage.clock.after(move.comesInMs, () => ready.resolve(READY));
        this.#say((text) => withFiles(text, name));
        break;
      }
      case "reply": {
        const of = this.said[move.of % Math.max(this.said.length, 1)]?.seq;
        if (of !== undefined) this.#say((text) => payloadOf("reply", of, text));
        break;
      }
      case "connect":
        return this.connect();
      case "disconnect":
        return stage.lane.disconnect(WHY);
      case "restart":
        return await this.restart();
      case "stop": {
        const over = stage.lane.stop(AbortSignal.abort());
        await stage.clock.advance(1_000);
        await over;
        return await this.restart();
      }
      case "refuse":
        stage.log.refuses = "disk_full";
        return;
      case "unreadable":
        stage.log.unreadable = true;
        return;
      case "accept":
        stage.log.refuses = null;
        stage.log.unreadable = false;
        return;
      case "pass":
        return await stage.clock.advance(move.ms);
      case "fault":
        return void this.room.faults.push(move.fault);
      case "edit":
      case "delete":
      case "react":
        this.#act(move, this.said[move.of % Math.max(this.said.length, 1)]);
    }
    stage.lane.wake();
  }

  connect(): void {
    const { stage, room } = this;
    // It takes a moment, in which anything may happen.
    const handle = async (op: Op, attempt: Attempt): Promise<Outcome> => {
      await new Promise<void>((resolve) => stage.clock.after(10, resolve));
      return stage === this.stage ? await room.handle(op, attempt) : unknown;
    };
    const handlers = { post: handle, edit: handle, delete: handle, react: handle };
    stage.lane.connect({ ...outletOf(handle), handlers, without: this.#without });
  }

  #say(payload: (text: string) => string): void {
    const text = `m${this.said.length}`;
    this.stage.put(payload(text));
    this.said.push({ seq: this.stage.log.head, text, gone: false, reactions: new Set() });
  }

  #act(move: Extract<Move, { readonly is: "edit" | "delete" | "react" }>, target: Said | undefined): void {
    if (target === undefined || target.gone) return;
    const { stage } = this;
    const { seq: of } = target;
    if (move.is === "edit") {
      target.text = `${target.text.split(" ")[0]} edit ${this.#edits++}`;
      stage.put(payloadOf("edit", of, target.text), EventLabel.edit);
    } else if (move.is === "delete") {
      target.gone = true;
      stage.put(payloadOf("delete", of, ""), EventLabel.delete);
      stage.disk.ids.note(0, SUBJECT, 0, { is: "gone", of });
    } else if (move.is === "react") {
      const { on } = move;
      const name = NAMES[move.who % NAMES.length] ?? "";
      if (on === target.reactions.has(name)) return;
      if (on) this.put.set(name, (this.put.get(name) ?? 0) + 1);
      if (on) target.reactions.add(name);
      else target.reactions.delete(name);
      stage.put(payloadOf("reaction", of, "👍", { emoji: "👍", on }, name), EventLabel.reaction);
      const who = `${SUBJECT} ["${name}",null]`;
      stage.disk.ids.note(0, SUBJECT, 0, { is: "reacted", of, who, name, emoji: "👍", on });
    }
  }

  /** What the room has to show in the end. */
  get expected(): readonly string[] {
    return this.said
      .filter(({ gone }) => !gone)
      .flatMap(({ text, reactions }) => {
        const names = [...reactions].map((name) => `${name.slice(0, 1)}\u200b${name.slice(1)}`).join(", ");
        return names === "" ? [text] : [text, `👍 ${names}`];
      });
  }
}

const move: fc.Arbitrary<Move> = fc.oneof(
  { weight: 4, arbitrary: fc.constant<Move>({ is: "say" }) },
  { weight: 2, arbitrary: fc.record({ is: fc.constant("reply"), of: fc.nat(5) }) },
  { weight: 1, arbitrary: fc.record({ is: fc.constant("file"), comesInMs: fc.constantFrom(1, 20, 5_000, 1_000_000) }) },
  { weight: 4, arbitrary: fc.record({ is: fc.constantFrom("edit", "delete"), of: fc.nat(5) }) },
  {
    weight: 6,
    arbitrary: fc.record({ is: fc.constant("react"), of: fc.nat(5), who: fc.nat(1), on: fc.boolean() }),
  },
  { weight: 4, arbitrary: fc.record({ is: fc.constant("pass"), ms: fc.constantFrom(1, 5, 10, 50, 5_000) }) },
  { weight: 2, arbitrary: fc.constantFrom<Move>({ is: "connect" }, { is: "disconnect" }) },
  { weight: 2, arbitrary: fc.constantFrom<Move>({ is: "restart" }, { is: "stop" }) },
  { weight: 2, arbitrary: fc.constantFrom<Move>({ is: "refuse" }, { is: "unreadable" }, { is: "accept" }) },
  {
    weight: 3,
    arbitrary: fc.record({
      is: fc.constant("fault"),
      fault: fc.constantFrom<Fault>("deferred", "unknown, done", "unknown, not done"),
    }),
  },
);

/** Lives through the moves; then all is well, and everything comes to its end. */
async function live(harness: World, moves: readonly Move[]): Promise<void> {
  await harness.stage.open();
  harness.connect();
  for (const each of moves) await harness.move(each);
  harness.room.faults.length = 0;
  await harness.move({ is: "accept" });
  harness.connect();
  await harness.stage.clock.advance(1_200_000);
  expect(harness.stage.lane.cursor).toBe(harness.stage.log.head);
}

const RUNS = { numRuns: 100 };
const MOVES = fc.array(move, { maxLength: 60, size: "max" });

describe.each([1, 3])("with %i at once", (inflightMax) => {
  test("whatever happens, a room that knows repeated ops ends up with what people mean, once", async () => {
    await fc.assert(
      fc.asyncProperty(MOVES, async (moves) => {
        const harness = new World(KEY, inflightMax, ["react"]);
        await live(harness, moves);
        const isBroken = moves.some(({ is }) => is === "restart" || is === "stop");
        // What a line was about to become when the program ended is known to nobody.
        const compared = (texts: Iterable<string>): readonly string[] =>
          [...texts].filter((text) => !isBroken || !text.startsWith("👍")).toSorted();
        expect(compared(harness.room.shown.values())).toEqual(compared(harness.expected));
      }),
      RUNS,
    );
  });

  test("a room that knows none, and changes nothing, is told nothing twice, and what it may lack is written down", async () => {
    await fc.assert(
      fc.asyncProperty(MOVES, async (moves) => {
        const harness = new World(NONE, inflightMax, ["react", "edit", "delete"]);
        await live(harness, moves);
        const { posts } = harness.room;
        expect(new Set(posts.map((post) => post.split(" ")[0])).size).toBe(posts.length);
        for (const [name, times] of harness.put) {
          const quiet = `${name.slice(0, 1)}\u200b${name.slice(1)}`;
          expect(posts.filter((post) => post.includes("reacted") && post.includes(quiet)).length).toBeLessThanOrEqual(
            times,
          );
        }
        const states = new Map((await harness.stage.receipts()).map(({ seq, state }) => [seq, state]));
        const lacking = harness.said.filter(({ seq, gone }) => {
          const isThere = posts.some((post) => post.startsWith(`${LANE}/${seq}/`));
          return !isThere && !gone && states.get(seq) !== "unconfirmed";
        });
        expect(lacking).toEqual([]);
      }),
      RUNS,
    );
  });
});
