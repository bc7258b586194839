import { LogError } from "../log/errors.ts";
import { Tokens, type TokensOptions } from "./tokens.ts";

export interface LazyTokens {
  /** Reads them when somebody asks first. Rejects with a LogError; the next one tries again then. */
  readonly get: () => Promise<Tokens>;
  readonly close: () => void;
}

/** A start does not wait for tokens, which most programs never have. */
export function lazyTokens(options: TokensOptions): LazyTokens {
  let opened: Tokens | null = null;
  let opening: Promise<Tokens> | null = null;
  let isClosed = false;
  const open = async (): Promise<Tokens> => {
    try {
      const tokens = await Tokens.open(options);
      if (isClosed) tokens.close();
      return (opened = tokens);
    } finally {
      opening = null;
    }
  };
  return {
    get: async () => {
      if (isClosed) throw new LogError("closed", "Rialto is stopping");
      return opened ?? (await (opening ??= open()));
    },
    close: () => {
      isClosed = true;
      opened?.close();
    },
  };
}
