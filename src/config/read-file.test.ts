import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { readBounded, remedyFor } from "./read-file.ts";

test("a file that our user may not read names the user, and what to do", () => {
  const expected = `let the user ${userInfo().username} read it (chgrp, chmod 640), and enter its folder`;
  expect([remedyFor("EACCES"), remedyFor("EPERM")]).toEqual([expected, expected]);
});

test.each(["ENOENT", "EIO", "ELOOP"])("nothing is known about %s", (code) => {
  expect(remedyFor(code)).toBeNull();
});

test("a missing file and a folder are no files to read", () => {
  const folder = mkdtempSync(join(tmpdir(), "rialto-read-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  expect(readBounded(join(folder, "none"), 10)).toEqual({
    error: "cannot be read (ENOENT)",
    missing: true,
    remedy: null,
  });
  expect(readBounded(folder, 10)).toEqual({ error: "is a folder, not a file", missing: false, remedy: null });
});
