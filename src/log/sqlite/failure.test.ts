import { expect, test } from "vitest";
import { START_ERRORS } from "../../errors.ts";
import { damagedFile } from "./failure.ts";

test("what to do about a damaged log is said for one machine and for several, of which none can repair its copy", () => {
  const { message } = damagedFile("/data/log.sqlite", "it is torn");
  expect(message).toMatch(/Of one machine: .*"rialto log repair".* Of several machines: move the file away/);
  expect(START_ERRORS.log_damaged.remedy).toMatch(/`rialto log repair`.* Of several machines, move `log.sqlite`/);
});
