import { expect, test } from "vitest";
import { stagesOf } from "./instructions.ts";

test("a Dockerfile is read as stages of instructions", () => {
  const stages = stagesOf(`# A comment.
FROM node:24 AS build
# Another.
RUN install -d /a \\
    && install -d /b

FROM build
COPY --from=build /a /b/
`);
  expect(stages).toEqual([
    { from: "node:24", name: "build", instructions: [{ name: "RUN", rest: "install -d /a && install -d /b" }] },
    { from: "build", name: "1", instructions: [{ name: "COPY", rest: "--from=build /a /b/" }] },
  ]);
});

test.each(["RUN x\n", "FROM a\n!\n"])("what is no instruction of a stage is an error: %j", (text) => {
  expect(() => stagesOf(text)).toThrow(/no instruction/u);
});
