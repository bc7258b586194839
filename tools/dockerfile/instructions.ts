/** One line of a Dockerfile, with its continuation lines: `COPY` and `--from=build /src /app`. */
export interface Instruction {
  readonly name: string;
  readonly rest: string;
}

/** What follows FROM, up to the next one. */
export interface Stage {
  /** The name of an image, or of an earlier stage. */
  readonly from: string;
  readonly name: string;
  readonly instructions: readonly Instruction[];
}

/** The stages of a Dockerfile, in their order. A stage without a name has its number, as Docker counts. */
export function stagesOf(dockerfile: string): readonly Stage[] {
  const lines = dockerfile
    .replaceAll(/^\s*#.*\n/gmu, "")
    .replaceAll(/\\\n\s*/gu, "")
    .split("\n")
    .filter((line) => line.trim() !== "");
  const stages: { from: string; name: string; instructions: Instruction[] }[] = [];
  for (const line of lines) {
    const [, name = "", rest = ""] = /^(\w+)\s+(.*)$/u.exec(line) ?? [];
    const stage = stages.at(-1);
    if (name === "FROM") {
      const [from = "", , as] = rest.split(/\s+/u);
      stages.push({ from, name: as ?? String(stages.length), instructions: [] });
    } else if (name === "" || stage === undefined) {
      throw new Error(`the Dockerfile has a line that is no instruction of a stage: ${line}`);
    } else {
      stage.instructions.push({ name, rest });
    }
  }
  return stages;
}
