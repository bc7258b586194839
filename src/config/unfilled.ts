/** How sure it is that a text is the name of a value that something was to fill in, and not the value itself. */
type Sureness = "sure" | "likely";

/**
 * Tells whether a text is a whole placeholder, as templates of other programs have them: `${TOKEN}`, `$BOT_TOKEN`,
 * `{TOKEN}`, `{{ token }}`, `<your token>`, or the bare name of a variable, `BOT_TOKEN`. The bare name is only likely:
 * somebody may have chosen it as a password. Null: it is a value. A password may begin with `$` or be in brackets, so a
 * name must look like one of a variable.
 */
export function placeholderIn(text: string): Sureness | null {
  if (text.length > LENGTH_MAX) return null;
  const value = text.trim();
  if (/^\$\{[A-Za-z_]\w*(?::?[-=?+][^{}]*)?\}$|^\{\{[\s\w.$|"-]+\}\}$/u.test(value)) return "sure";
  const [, dollar, brace, angle] = /^(?:\$(\w+)|\{(\w+)\}|<([\w -]+)>)$/u.exec(value) ?? [];
  const name = dollar ?? brace ?? angle;
  if (name !== undefined) return isVariable(name) || namesCredential(name) ? "sure" : null;
  return isVariable(value) && value.includes("_") && namesCredential(value) ? "likely" : null;
}

const LENGTH_MAX = 200;

/** `X` or `BOT_TOKEN`; a single word in capitals may be a password, such as `$ECRET`. */
const isVariable = (name: string): boolean => /^(?:[A-Z]|[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)$/u.test(name);

const CREDENTIALS = new Set(
  "token pass password passwd secret key apikey login user username server host hostname url address jid nick".split(
    " ",
  ),
);

const namesCredential = (name: string): boolean =>
  name
    .toLowerCase()
    .split(/[_ -]/u)
    .some((word) => CREDENTIALS.has(word));
