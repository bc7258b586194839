import manifest from "../../package.json" with { type: "json" };

/** As package.json has it. */
export const version = (): string => manifest.version;
