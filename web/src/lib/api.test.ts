import { expect, test } from "vitest";
import { type ApiProblem, inDoubt } from "./api.ts";

const problem = (status: number, code: string): ApiProblem => {
  return { status, code, title: "Why", detail: "", remedy: "Try again.", errors: [], body: {} };
};

test.each([
  [0, "unreachable", true],
  [0, "timeout", true],
  [0, "aborted", false],
  [503, "unavailable", false],
])("whether something was said without an answer is not known: %i %s", (status, code, isInDoubt) => {
  const told = inDoubt(problem(status, code));
  expect(told.remedy === "Try again.").toBe(!isInDoubt);
  expect(told.title).toBe("Why");
});
