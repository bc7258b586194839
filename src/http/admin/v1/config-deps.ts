/** What the operations about the configuration work with. Nothing of it holds a secret. */
export interface ConfigDeps {
  read(): Promise<ConfigView>;
  /** Of what `read` would answer. */
  etag(): Promise<string>;
  /** Null: there is no such version. */
  version(id: string): Promise<ConfigText | null>;
  check(text: string): Promise<ConfigCheck>;
  /** One at a time. `etag`: of what `text` was made of. */
  write(text: string, etag: string): Promise<ConfigWritten>;
}

export interface ConfigText {
  /** A mask stands for each secret. */
  readonly text: string;
}

export interface ConfigView extends ConfigText {
  /** Null: Rialto runs without a file. */
  readonly path: string | null;
  /** The file that the first write creates, while Rialto runs without one; null: it creates none. */
  readonly creates: string | null;
  readonly format: "toml" | "yaml" | "json";
  readonly writable: boolean;
  /** Why it cannot be written from here; empty: it can. */
  readonly why: string;
  readonly versions: readonly ConfigVersionView[];
  readonly etag: string;
}

/** A configuration that was replaced. */
interface ConfigVersionView {
  readonly id: string;
  readonly atMs: number;
  readonly bytes: number;
}

export interface ConfigCheck {
  /** Places are those of the text that was given. */
  readonly problems: readonly ConfigFlaw[];
  /** What it would change of what runs now, a sentence each; empty with an error. */
  readonly changes: readonly string[];
  /** Settings that a change of the running program does not reach. */
  readonly needsRestart: readonly string[];
}

export interface ConfigFlaw {
  readonly severity: "error" | "warning";
  readonly code: string;
  /** From 1; 0: it has no place in the text. */
  readonly line: number;
  readonly column: number;
  /** Behind what is wrong, in the same line. */
  readonly endColumn: number;
  readonly message: string;
  readonly remedy: string;
}

export type ConfigWritten =
  | {
      readonly is: "written";
      readonly changes: readonly string[];
      readonly needsRestart: readonly string[];
      readonly etag: string;
    }
  /** Nothing has changed. */
  | { readonly is: "refused"; readonly problems: readonly ConfigFlaw[] }
  /** It is another one meanwhile. */
  | { readonly is: "changed"; readonly etag: string }
  | { readonly is: "not_ours"; readonly why: string };
