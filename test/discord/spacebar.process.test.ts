import { expect, test } from "vitest";
import { startTown } from "../hosted/home.ts";
import { describeRestart } from "../hosted/restart.ts";
import { spacebar } from "./town.ts";

describeRestart(spacebar);

test("what a server like Discord does not take of a message is left out, and what is behind it goes on", async () => {
  const { town } = await startTown(spacebar);
  await town.post("with an avatar", { avatar: "https://pics.example/a.png" });
  await town.post("behind it");
  const Extra = { file: [{ Name: "map.txt", Data: Buffer.from("a map").toString("base64") }] };
  await town.post("with a file", { Extra });
  await town.post("last");
  await town.until(() => town.shown().includes("last"), "the last message");
  expect(town.shown().slice(1)).toEqual([
    "with an avatar",
    "behind it",
    expect.stringMatching(/^with a file\nmap\.txt was shared/u),
    "last",
  ]);
  expect(await town.status()).not.toMatch(/lacks|permission|Intent/u);
  expect(town.printed()).not.toMatch(/lacks|permission|Intent|"a channel was lost"|"level":"error"/u);
});
