import { describe } from "vitest";
import { describeArchive } from "./suite/archive.suite.ts";
import { describeCopies, describeIds } from "./suite/ids.suite.ts";
import { describeIdRetention } from "./suite/ids-retention.suite.ts";
import { Bench, type OpenLog } from "./suite/kit.suite.ts";
import { describeModel } from "./suite/model.suite.ts";
import { describeReads } from "./suite/reads.suite.ts";
import { describeReceipts } from "./suite/receipts.suite.ts";
import { describeRetention } from "./suite/retention.suite.ts";
import { describeWrites } from "./suite/writes.suite.ts";

/** What every implementation of the log must do. */
export function describeLog(name: string, open: OpenLog): void {
  describe(name, () => {
    describe("case by case", () => {
      const bench = new Bench(open);
      describeWrites(bench);
      describeReads(bench);
      describeReceipts(bench);
      describeRetention(bench);
      describeIds(bench);
      describeCopies(bench);
      describeIdRetention(bench);
      describeArchive(bench);
    });
    describeModel(open);
  });
}

/** The part that a commit passes on its way into the log. What is stored does not know what carried it. */
export function describeCarrier(name: string, open: OpenLog): void {
  describe(name, () => {
    describe("case by case", () => {
      const bench = new Bench(open);
      describeWrites(bench);
      describeReceipts(bench);
    });
    describeModel(open);
  });
}
