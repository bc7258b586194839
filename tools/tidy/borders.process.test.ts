import { describe, expect, test } from "vitest";
import { borderFindings, importsOf } from "./borders.ts";

function faults(path: string, text: string): readonly string[] {
  return borderFindings([{ path, text }]).map(({ line, message }) => `${line}: ${message}`);
}

describe("importsOf", () => {
  test("finds every form, with its line", () => {
    const text = [
      'import "./effect.ts";',
      'import type { A } from "./a.ts";',
      "import {",
      "  b,",
      "  type B,",
      '} from "../b.ts";',
      'export * from "./c.ts";',
      'export type { D } from "./d.ts";',
      'const e = await import("./e.ts");',
      'export const from = "./no.ts";',
      'const text = "taken from " + "./no.ts";',
    ].join("\n");
    expect(importsOf(text)).toStrictEqual([
      { specifier: "./effect.ts", typeOnly: false, line: 1 },
      { specifier: "./a.ts", typeOnly: true, line: 2 },
      { specifier: "../b.ts", typeOnly: false, line: 3 },
      { specifier: "./c.ts", typeOnly: false, line: 7 },
      { specifier: "./d.ts", typeOnly: true, line: 8 },
      { specifier: "./e.ts", typeOnly: false, line: 9 },
    ]);
  });
});

describe("breaches are found", () => {
  test.each([
    ["src/contract/a.ts", 'import { x } from "../lib/x.ts";', "src/lib/x.ts"],
    ["src/contract/a.ts", 'import type { X } from "../log/log.ts";', "src/log/log.ts"],
    ["src/lib/a.ts", 'import type { X } from "../contract/message.ts";', "src/contract/message.ts"],
    ["src/log/a.ts", 'import { x } from "../gateway/routes.ts";', "src/gateway/routes.ts"],
    ["src/log/sqlite/a.ts", 'import { x } from "../../config/config.ts";', "src/config/config.ts"],
    ["src/content/a.ts", 'import { x } from "../gateway/a.ts";', "src/gateway/a.ts"],
    ["src/files/a.ts", 'import { x } from "../http/a.ts";', "src/http/a.ts"],
    ["src/gateway/a.ts", 'import { x } from "../delivery/a.ts";', "src/delivery/a.ts"],
    ["src/gateway/a.ts", 'import type { X } from "../log/sqlite/open.ts";', "src/log/sqlite/open.ts"],
    ["src/gateway/a.ts", 'import { x } from "node:fs";', "node:fs"],
    ["src/gateway/a.ts", 'import { x } from "typebox";', "typebox"],
    ["src/gateway/a.ts", 'const x = await import("../http/server.ts");', "src/http/server.ts"],
    ["src/delivery/a.ts", 'import { x } from "../http/a.ts";', "src/http/a.ts"],
    ["src/http/a.ts", 'import { x } from "../log/sqlite/open.ts";', "src/log/sqlite/open.ts"],
    ["src/http/api/a.ts", 'import { x } from "../../config/load.ts";', "src/config/load.ts"],
    ["src/http/a.ts", 'import { x } from "../adapters/api/index.ts";', "src/adapters/api/index.ts"],
    ["src/config/a.ts", 'import { x } from "../adapters/api/index.ts";', "src/adapters/api/index.ts"],
    ["src/config/a.ts", 'import { x } from "../gateway/routes.ts";', "src/gateway/routes.ts"],
    ["src/adapters/one/a.ts", 'import { x } from "../two/a.ts";', "src/adapters/two/a.ts"],
    ["src/adapters/one/a.ts", 'import { x } from "../registry.ts";', "src/adapters/registry.ts"],
    ["src/adapters/kit/a.ts", 'import { x } from "../one/a.ts";', "src/adapters/one/a.ts"],
    ["src/app/a.ts", 'import { x } from "../adapters/kit/a.ts";', "src/adapters/kit/a.ts"],
    ["src/adapters/one/a.ts", 'import { x } from "../../gateway/a.ts";', "src/gateway/a.ts"],
    ["src/app/a.ts", 'import type { X } from "../cli/check.ts";', "src/cli/check.ts"],
    ["src/app/a.ts", 'import { x } from "../main.ts";', "src/main.ts"],
    ["src/admin/a.ts", 'import { x } from "../app/app.ts";', "src/app/app.ts"],
    ["src/errors.ts", 'import { x } from "./app/app.ts";', "src/app/app.ts"],
    ["src/lib/a.ts", 'import { x } from "../../tools/a.ts";', "outside src"],
    ["src/app/a.ts", 'import x from "../../package.json" with { type: "json" };', "outside src"],
    ["web/src/lib/a.ts", 'import { x } from "../parts/x.tsx";', "web/src/parts/x.tsx"],
    ["web/src/now/a.tsx", 'import { x } from "../messages/x.tsx";', "web/src/messages/x.tsx"],
    ["web/src/chat/a.tsx", 'import { x } from "../shell/x.tsx";', "web/src/shell/x.tsx"],
    ["web/src/now/a.tsx", 'import { x } from "../../../src/admin/status.ts";', "src/admin/status.ts"],
    ["web/src/now/a.tsx", 'import { x } from "@codemirror/state";', "@codemirror/state"],
    ["web/src/now/a.ts", 'import { x } from "../../../tools/x.ts";', "outside web/src"],
  ])("%s: %s", (path, text, named) => {
    const found = faults(path, `// first line\n${text}`);
    expect(found).toHaveLength(1);
    expect(found[0]).toMatch(/^2: /);
    expect(found[0]).toContain(named);
  });

  test("a type border does not let values through", () => {
    expect(faults("src/gateway/a.ts", 'import { x } from "../config/config.ts";')).toStrictEqual([
      "1: imports src/config/config.ts as a value; gateway/ may only use its types (import type)",
    ]);
  });

  test("a part nobody knows", () => {
    expect(faults("src/misc/a.ts", "")).toHaveLength(1);
  });
});

describe("what is allowed passes", () => {
  test.each([
    ["src/contract/a.ts", 'import type { X } from "./b.ts";'],
    ["src/log/sqlite/a.ts", 'import { x } from "../errors.ts";\nimport { y } from "node:fs";'],
    ["src/gateway/a.ts", 'import type { Config } from "../config/config.ts";\nimport { RE2JS } from "re2js";'],
    ["src/gateway/a.test.ts", 'import { x } from "node:fs";\nimport { y } from "../http/a.ts";'],
    ["src/http/api/a.ts", 'import { LogError } from "../../log/errors.ts";\nimport { x } from "../../lib/x.ts";'],
    ["src/config/a.ts", 'import { registry } from "../adapters/registry.ts";'],
    ["src/adapters/registry.ts", 'import { x } from "./one/index.ts";'],
    ["src/adapters/one/a.ts", 'import { x } from "./b.ts";\nimport { y } from "../../content/html.ts";'],
    ["src/adapters/one/two/a.ts", 'import { x } from "../../kit/b.ts";'],
    ["src/adapters/kit/a.ts", 'import { x } from "./b.ts";\nimport { once } from "node:events";'],
    ["src/app/app.ts", 'import { x } from "../log/sqlite/open.ts";'],
    ["src/cli/check.ts", 'import { x } from "../config/load.ts";'],
    ["web/src/lib/a.ts", 'import { applyChange, type X } from "../../../src/admin/changes.ts";'],
    ["web/src/now/a.tsx", 'import type { X } from "../../../src/admin/views.ts";\nimport { y } from "preact";'],
    ["web/src/now/a.tsx", 'import "./now.css";\nimport { get } from "../lib/api.ts";'],
    ["web/src/shell/a.ts", 'const x = await import("../config/ConfigPage.tsx");'],
    ["web/src/config/a.ts", 'import { x } from "@codemirror/state";'],
    ["tools/a.ts", 'import { x } from "../src/http/a.ts";'],
  ])("%s: %s", (path, text) => {
    expect(faults(path, text)).toStrictEqual([]);
  });
});
