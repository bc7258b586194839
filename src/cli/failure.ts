interface Readers {
  /** Takes whole lines, for people. */
  readonly tell: (text: string) => void;
  /** Takes the result. */
  readonly write: (text: string) => Promise<boolean>;
}

/** Says why a command failed: to people, and with `--json` to the program that reads the result as well. */
export async function reportFailure(message: string, json: boolean, { tell, write }: Readers): Promise<void> {
  tell(`rialto: ${message}\n`);
  if (json) await write(`${JSON.stringify({ error: message })}\n`);
}
