/** How signs within a line are read; what is the same for all dialects is in markdown-inline.ts. */
export interface Dialect {
  /** Without one of these a line is plain. */
  readonly signs: RegExp;
  /** Where a line has what may have a meaning. Addresses and code are whole. */
  readonly special: RegExp;
  /** Lengths of runs that can be marks. */
  readonly runs: Readonly<Record<string, readonly number[]>>;
  /**
   * Marks begin and end styles within words too, around signs alone as well, and a backslash before any sign is left
   * out.
   */
  readonly inWords: boolean;
}

/** The dialect of chats: see docs/formatting.md. */
export const CHAT: Dialect = {
  signs: /[*_~|`]|\]\(/,
  special: /[*_~|`[\]]|https?:\/\//gi,
  runs: { "*": [1, 2, 3], _: [1], "~": [2], "|": [2] },
  inWords: false,
};

/** Signs that lose their meaning, and are shown, behind a backslash; a backslash before a word is not such a sign. */
const ESCAPED = String.raw`\\(?:[\`*{}[\]()#+\-.!_>|~]|\\(?!\w))`;

/** Mattermost ("Format messages"): GitHub's Markdown, with its backslashes, entities and addresses in `<>`. */
export const MATTERMOST: Dialect = {
  signs: /[*_~`\\&]|\]\(|<https?:/i,
  special: new RegExp(
    String.raw`${ESCAPED}|&(?:amp|lt|gt|quot|#39);|<https?:\/\/[^\s<>]+>|[*_~\`[\]]|https?:\/\/`,
    "gi",
  ),
  runs: { "*": [1, 2, 3], _: [1, 2, 3], "~": [2] },
  inWords: true,
};
