import { stat } from "node:fs/promises";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Bytes of a file that only hands something to a suite elsewhere: an adapter's contract, a scenario, a simulation. */
const LITTLE = 3_000;

/**
 * Vitest begins with the largest file, but here the smallest take longest: they run whole suites. At the end one
 * process would be busy with one of them while the others have nothing to do. So they begin; then come those that wait
 * for real servers, so that others compute meanwhile.
 */
export class SuitesFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const ranks = new Map(await Promise.all(sorted.map(async (file) => [file, await rankOf(file)] as const)));
    const rank = (file: TestSpecification): number => ranks.get(file) ?? 0;
    return sorted.toSorted((a, b) => rank(a) - rank(b));
  }
}

async function rankOf({ moduleId, project }: TestSpecification): Promise<number> {
  // Units share a process, and are quick.
  if (!project.config.isolate) return 0;
  const { size } = await stat(moduleId);
  if (size < LITTLE) return size;
  return project.name === "servers" ? LITTLE : LITTLE + 1;
}
