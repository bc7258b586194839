import { expect, test } from "vitest";
import { RecordingHost } from "../../../test/contract/recording-host.ts";
import { aSharedFile, fileIdOf, someBytes } from "../../../test/contract/shared-file.ts";
import { openOutgoing, outgoingName, standingFiles } from "./outgoing-files.ts";

const signal = new AbortController().signal;

test("a file is opened with its size, or it is said why not", async () => {
  const host = new RecordingHost();
  host.files.set(fileIdOf("a"), someBytes(5));
  host.files.set(fileIdOf("empty"), someBytes(0));
  const open = async (more: Parameters<typeof aSharedFile>[0]) => await openOutgoing(aSharedFile(more), host, signal);
  expect(await open({ name: "x/a", id: fileIdOf("a"), bytes: 5 })).toMatchObject({ name: "x_a", bytes: 5 });
  expect(await open({ name: "b", id: fileIdOf("empty"), bytes: 0 })).toBe("it is empty");
  expect(await open({ name: "c", id: fileIdOf("none"), bytes: 5 })).toBe("there is no such file");
  expect(await open({ name: "d" })).toBe("it is too large");
});

test.each([
  ["../../etc/passwd", ".._.._etc_passwd"],
  ["\u0000\n", "_"],
  [" ", "file"],
  [`${"x".repeat(300)}.png`, `${"x".repeat(196)}.png`],
])("%j is called %j", (name, shown) => {
  expect(outgoingName({ name })).toBe(shown);
});

test("a file that stands there is one of those of the message, by the first question that knows it", () => {
  const [one, two, gone] = ["a", "a", "b"].map((name, at) =>
    aSharedFile({ name, ...(at < 2 && { id: fileIdOf(`${at}`) }), bytes: at }),
  );
  if (one === undefined || two === undefined || gone === undefined) throw new Error("there are three");
  const there = [
    { name: "a", bytes: 1 },
    { name: "a", bytes: 7 },
    { name: "b", bytes: 2 },
  ];
  const found = standingFiles([one, two, gone], there, [
    (file, { bytes }) => file.bytes === bytes,
    (file, { name }) => file.name === name,
  ]);
  expect([one, two, gone].map((file) => found.get(file))).toEqual([there[1], there[0], undefined]);
});
