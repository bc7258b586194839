declare const prepared: unique symbol;
/** A name or password as SCRAM computes with it. */
export type Prepared = string & { readonly [prepared]: true };

export type Preparation =
  | { readonly ok: true; readonly text: Prepared }
  /** For people, without anything of the text: it may be a password. */
  | { readonly ok: false; readonly why: string };

/** SASLprep leaves these as they are, so nothing is loaded for them. */
const PLAIN = /^[ -~]*$/u;

/** Far longer than any that a server takes. */
const MAX = 1024;

/**
 * A name or password by SASLprep (RFC 4013), as SCRAM wants both of them (RFC 5802 §5.1). Characters that are newer
 * than its tables (Unicode 3.2: emoji, for one) are let through as they are: some servers take them, and one that does
 * not refuses the login. Never rejects.
 */
export async function saslprep(text: string): Promise<Preparation> {
  if (PLAIN.test(text)) return done(text);
  if (text.length > MAX) return refused(`it has more than ${MAX} characters`);
  const loaded = await import("@mongodb-js/saslprep").catch(() => null);
  if (loaded === null) return refused("the tables for characters outside ASCII cannot be loaded: install Rialto again");
  const prepare = loaded.saslprep;
  const isForbidden = (character: string): boolean => {
    try {
      prepare(character, ALLOWED);
      return false;
    } catch (error) {
      return isAboutCharacter(error);
    }
  };
  try {
    return done(prepare(text, ALLOWED));
  } catch (error) {
    if (isAboutCharacter(error)) {
      const at = Array.from(text).findIndex(isForbidden) + 1;
      return refused(`${at === 0 ? "a character" : `character ${at}`} in it is forbidden (${FORBIDDEN})`);
    }
    // The library fails in its own way on a text of which nothing is left.
    if (error instanceof TypeError) return refused("it has only characters that nobody sees");
    return refused(
      "where letters are written from right to left, the first and the last character must be such letters, and none of another script may stand between",
    );
  }
}

const ALLOWED = { allowUnassigned: true };
const FORBIDDEN = "a control character, one for private use, or one that changes how others are shown";

/** The library tells its errors apart by their words alone. */
const isAboutCharacter = (error: unknown): boolean => error instanceof Error && error.message.startsWith("Prohibited");

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- made here alone
const done = (text: string): Preparation => ({ ok: true, text: text as Prepared });
const refused = (why: string): Preparation => ({ ok: false, why });
