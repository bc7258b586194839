import { expect, test } from "vitest";
import { doOp, editOf, messagesOf, postOf } from "../../../test/contract/ops.ts";
import { eventually } from "../../../test/support/wait.ts";
import { ours, type SendingLife, type SendingTown, sending, sendingTown, textsOf } from "./sending.suite.ts";

const long = (word: string): string => Array.from({ length: 1_500 }, (_, at) => `${word}${at}`).join(" ");

/** Before the nth edit of a message something is done to the server. */
function atUpdate({ link }: SendingLife, doings: Readonly<Record<number, () => void>>): void {
  const update = link.api.update.bind(link.api);
  let nth = 0;
  link.api.update = async (...args) => {
    nth += 1;
    doings[nth]?.();
    return await update(...args);
  };
}

async function three(): Promise<{ town: SendingTown; life: SendingLife; edit: ReturnType<typeof editOf> }> {
  const town = await sendingTown();
  const life = sending(town);
  const made = messagesOf((await doOp(life, postOf(life.dock, long("old")))).outcome);
  expect(made).toHaveLength(3);
  return { town, life, edit: editOf(life.dock, made, long("new")) };
}

test("an edit that is refused at its second message is taken back in the first", async () => {
  const { town, life, edit } = await three();
  const before = textsOf(town);
  atUpdate(life, { 2: () => town.server.refuse("chat.update", "edit_window_closed") });
  const { outcome } = await doOp(life, edit);
  expect(outcome).toMatchObject({ is: "rejected", why: { code: "forbidden" } });
  expect(outcome.is === "rejected" ? outcome.why.message : "").not.toContain("already");
  expect(textsOf(town)).toEqual(before);
});

test("where that is refused as well, it is said that a part is new", async () => {
  const { town, life, edit } = await three();
  atUpdate(life, { 2: () => town.server.refuse("chat.update", "edit_window_closed", 100) });
  const { outcome } = await doOp(life, edit);
  expect(outcome).toMatchObject({
    is: "rejected",
    why: { message: expect.stringContaining("shows the new text already") as string },
  });
  expect(textsOf(town).map((text) => text.slice(0, 3))).toEqual(["new", "old", "old"]);
});

test("where that is too much for now, a later try takes it back", async () => {
  const { town, life, edit } = await three();
  const before = textsOf(town);
  atUpdate(life, {
    2: () => town.server.refuse("chat.update", "edit_window_closed", 2),
    3: () => {
      town.server.faults.clear();
      town.server.limit({ path: "/chat.update" }, 0);
    },
    4: () => town.server.refuse("chat.update", "edit_window_closed"),
  });
  expect((await doOp(life, edit)).outcome).toMatchObject({ is: "deferred", why: { code: "rate_limited" } });
  const { outcome } = await eventually(
    async () => await doOp(life, edit),
    (tried) => tried.outcome.is !== "deferred",
    () => "the end of the edit",
  );
  expect(outcome).toMatchObject({ is: "rejected", why: { code: "forbidden" } });
  expect(textsOf(town)).toEqual(before);
});

test("what somebody has deleted meanwhile is not taken back, and nothing is wrong with that", async () => {
  const { town, life, edit } = await three();
  const before = textsOf(town);
  const [, , third] = ours(town, town.dock);
  atUpdate(life, { 2: () => town.server.limit({ path: "/chat.update" }, 0) });
  expect((await doOp(life, edit)).outcome).toMatchObject({ is: "deferred", why: { code: "rate_limited" } });
  if (third !== undefined) town.alice.erase(third);
  atUpdate(life, { 1: () => town.server.refuse("chat.update", "edit_window_closed") });
  const { outcome } = await eventually(
    async () => await doOp(life, edit),
    (tried) => tried.outcome.is !== "deferred",
    () => "the end of the edit",
  );
  expect(outcome.is === "rejected" ? outcome.why.message : "").toMatch(/edit_window_closed(?!.*already)/u);
  expect(textsOf(town)).toEqual(before.slice(0, 2));
});

test("what is new stands there, though a part of what is old cannot be deleted", async () => {
  const { town, life, edit } = await three();
  town.server.refuse("chat.delete", "compliance_exports_prevent_deletion", 100);
  const { outcome } = await doOp(life, { ...edit, ...editOf(life.dock, edit.target, "short") });
  expect(outcome).toMatchObject({ is: "delivered", receipt: { losses: [{ what: "edit" }, { what: "edit" }] } });
  expect(textsOf(town)[0]).toBe("short");
  expect(textsOf(town)).toHaveLength(3);
});

test("a message that an edit makes has its name before the words where names are refused by then", async () => {
  const { town, life, edit } = await three();
  town.app.scopes.delete("chat:write.customize");
  const more = { ...edit, ...editOf(life.dock, edit.target, `${long("new")} ${long("more")}`) };
  const { outcome } = await doOp(life, more);
  expect(outcome).toMatchObject({ is: "delivered" });
  expect(textsOf(town).at(-1)).toContain("[irc] &lt;Bob&gt; ");
  expect(
    textsOf(town)
      .join(" ")
      .match(/(?:new|more)\d+/g),
  ).toEqual(`${long("new")} ${long("more")}`.split(" "));
});

test("what was made by an edit that is taken back is made anew by a later try", async () => {
  const town = await sendingTown();
  const life = sending(town);
  const made = messagesOf((await doOp(life, postOf(life.dock, "old"))).outcome);
  const text = `${long("new")} ${long("more")}`;
  const edit = editOf(life.dock, made, text);
  const { api } = life.link;
  const [post, erase] = [api.post.bind(api), api.delete.bind(api)];
  let [posts, erased] = [0, 0];
  api.post = async (...args) => {
    posts += 1;
    if (posts === 3) town.server.refuse("chat.postMessage", "msg_blocks_too_long");
    return await post(...args);
  };
  api.delete = async (...args) => {
    erased += 1;
    if (erased === 2) town.server.refuse("chat.delete", "request_timeout");
    return await erase(...args);
  };
  expect((await doOp(life, edit)).outcome).toMatchObject({ is: "deferred", why: { code: "timeout" } });
  expect((await doOp(life, edit)).outcome).toMatchObject({ is: "delivered" });
  const words = textsOf(town).flatMap((one) => one.match(/(?:new|more)\d+/gu) ?? []);
  expect(words).toEqual(text.split(" "));
});
