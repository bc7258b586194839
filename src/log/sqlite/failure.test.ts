import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { START_ERRORS } from "../../errors.ts";
import { damagedFile, openFailure } from "./failure.ts";

test("what to do about a damaged log is said for one machine and for several, of which none can repair its copy", () => {
  const { message } = damagedFile("/data/log.sqlite", "it is torn");
  expect(message).toMatch(/Of one machine: .*"rialto log repair".* Of several machines: move the file away/);
  expect(START_ERRORS.log_damaged.remedy).toMatch(/`rialto log repair`.* Of several machines, move `log.sqlite`/);
});

test("the remedy for a data folder that cannot be made fits its cause", () => {
  const folder = mkdtempSync(join(tmpdir(), "rialto-failure-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, "file");
  writeFileSync(file, "");
  const fail = (code: string, path: string): string =>
    openFailure(Object.assign(new Error(`${code}: mkdir`), { code }), path, join(path, "log.sqlite")).message;
  const choose = "Choose another folder with DataPath in [general].";
  expect(fail("EEXIST", file)).toBe(
    `The data folder ${file} cannot be written: ${file} is a file, not a folder. ${choose}`,
  );
  expect(fail("ENOTDIR", join(file, "data"))).toBe(
    `The data folder ${join(file, "data")} cannot be written: ${file} is a file, not a folder. ${choose}`,
  );
  expect(fail("EACCES", join(folder, "data"))).toMatch(
    /cannot be written: EACCES: mkdir\. Create it and let this user write there, or choose another folder with/u,
  );
  expect(fail("EACCES", folder)).toMatch(
    /cannot be written: EACCES: mkdir\. Let this user write there, or choose another folder with/u,
  );
});
