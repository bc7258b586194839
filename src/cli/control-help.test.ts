import { expect, test } from "vitest";
import { CONTROL_HELP } from "./control-help.ts";
import { HELP } from "./help.ts";

test.each(Object.entries(CONTROL_HELP))(
  "the help of %s says how it is called, and stands in the help of all",
  (name, help) => {
    expect(help).toMatch(new RegExp(`^rialto ${name}\\b[\\s\\S]*\n  -conf FILE[\\s\\S]*\nExit code: 0`));
    expect(HELP).toContain(`\n  rialto ${name}`);
  },
);
