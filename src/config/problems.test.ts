import { expect, test } from "vitest";
import { keepsDown, PROBLEMS_MAX, ProblemReport, takesDefault } from "./problems.ts";
import { keyAt } from "./section.ts";

/** The place of a problem is its number. */
const placed = (report: ProblemReport) => report.problems("x.toml", ([at]) => ({ line: Number(at), column: 1 }));

test("a hundred problems are listed, and a last line says that there are more", () => {
  const report = new ProblemReport();
  for (let at = 1; at <= PROBLEMS_MAX; at += 1) report.warning("w", keyAt([at]), `warning ${at}`);
  expect(placed(report)).toHaveLength(PROBLEMS_MAX);
  report.warning("w", keyAt([1]), "warning 1");
  expect(placed(report)).toHaveLength(PROBLEMS_MAX);
  report.warning("w", keyAt([PROBLEMS_MAX + 1]), "one more");
  expect(placed(report)).toHaveLength(PROBLEMS_MAX + 1);
  expect(placed(report).at(-1)).toMatchObject({
    severity: "warning",
    code: "more-problems",
    line: 0,
    message: "there are more problems; only 100 are listed",
    remedy: "correct these first",
  });
});

test("errors are listed before warnings, in the order of the file", () => {
  const report = new ProblemReport();
  for (let at = 1; at <= 150; at += 1) report.warning("w", keyAt([at]), `warning ${at}`);
  for (let at = 201; at <= 260; at += 1) report.error("e", keyAt([at]), `error ${at}`, takesDefault);
  const listed = placed(report);
  expect(listed.map(({ line }) => line)).toEqual([
    ...Array.from({ length: 40 }, (_, index) => index + 1),
    ...Array.from({ length: 60 }, (_, index) => index + 201),
    0,
  ]);
  for (let at = 301; at <= 400; at += 1) report.fatal("f", keyAt([at]), `fatal ${at}`);
  expect(placed(report).filter(({ severity }) => severity === "error")).toHaveLength(PROBLEMS_MAX + 1);
  expect(placed(report).at(-1)).toMatchObject({ severity: "error", code: "more-problems" });
});

test("an error that is not listed still keeps its account down and the program from running", () => {
  const report = new ProblemReport();
  for (let at = 1; at <= 200; at += 1)
    report.error("e", keyAt([at]), `error ${at}`, keepsDown({ key: `irc.${at}`, name: `irc.${at}` }, "Server"));
  expect(report.downs.size).toBe(200);
  expect(report.failed).toBe(false);
  report.fatal("f", keyAt([201]), "fatal");
  expect(report.failed).toBe(true);
});

test("a remedy is looked for only if its problem is listed", () => {
  const report = new ProblemReport();
  let looked = 0;
  const remedy = (): string => `did you mean ${(looked += 1)}?`;
  for (let at = 1; at <= 10_000; at += 1)
    report.lenient("it is off").error("e", keyAt([at]), [`e ${at}`, remedy], takesDefault);
  expect(looked).toBe(PROBLEMS_MAX);
  expect(placed(report)[1]).toMatchObject({
    message: "e 2 (only a warning, because it is off)",
    remedy: "did you mean 2?",
  });
});
