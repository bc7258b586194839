/** A logger for the network's libraries, which else would write of each refusal that a test wants. */
export const QUIET = {
  debug: (): void => undefined,
  info: (): void => undefined,
  warn: (): void => undefined,
  error: (): void => undefined,
  setLevel: (): void => undefined,
  getLevel: (): string => "error",
  setName: (): void => undefined,
};
