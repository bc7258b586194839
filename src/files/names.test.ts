import * as fc from "../../test/support/property.ts";
import { expect, test } from "vitest";
import { cleanName, folderName } from "./names.ts";

test.each([
  ["my file (1).tar.gz", "my_file_1_tar.gz"],
  ["../../../evil.html", "_evil.html"],
  ["x.é", "x.é"],
  ["a.b/c", "a_b_c"],
  ["plain", "plain"],
  [".hidden", "_.hidden"],
  [".htaccess", "_.htaccess"],
  [".", "file"],
  ["..", "_."],
  ["", "file"],
  ["/", "_"],
  ["a.p\\..\\b", "a_p_._b"],
  ["a.t\nx\u202et", "a.txt"],
  ["a.b\0c", "a.bc"],
])("in the media folder %j is %j", (name, there) => {
  expect(folderName(name)).toBe(there);
});

test.each([
  ["photo.jpg", "photo.jpg"],
  ["../../etc/passwd", "passwd"],
  ["C:\\temp\\x.png", "x.png"],
  ["ho ho\tho.png", "ho_ho_ho.png"],
  ['a"b\r\nSet-Cookie: x.png', "a_b_Set-Cookie_x.png"],
  ["photo_\u202Egpj.exe", "photo_gpj.exe"],
  ["котик.png", "котик.png"],
  [".bashrc", "bashrc"],
  ["..", "file"],
  ["", "file"],
  ["\uD800x", "x"],
  [`${"a".repeat(300)}.tar.gz`, `${"a".repeat(117)}.gz`],
])("a link calls %j %j", (name, shown) => {
  expect(cleanName(name)).toBe(shown);
});

test("no name leads out of its folder, hides, or is too long", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 300 }), (name) => {
      const folder = folderName(name);
      expect(folder).not.toMatch(/[/\\\p{Cc}]|^\.|^$/u);
      expect(Buffer.byteLength(folder)).toBeLessThanOrEqual(255);
      const link = cleanName(name);
      expect(link).not.toMatch(/[/\\"\s\p{Cc}]|^\.|^$/u);
      expect(encodeURIComponent(link).length).toBeLessThanOrEqual(120);
      expect(cleanName(link)).toBe(link);
    }),
  );
});
