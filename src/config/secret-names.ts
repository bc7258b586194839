import type { Manifest } from "../contract/manifest.ts";
import { suggest } from "../lib/suggest.ts";
import { sharedSchema } from "./presentation.ts";
import type { Path } from "./problems.ts";
import { generalSchema } from "./schema.ts";
import { settingKey } from "./section.ts";

/** Tells which keys of a configuration have secrets as values, also misspelled ones and those of other programs. */
export interface SecretNames {
  /** Of a value at its place. */
  readonly isSecretAt: (path: Path) => boolean;
  /** Of a key of which nobody knows the table, as in a comment. */
  readonly isSecretName: (name: string) => boolean;
  /** Of a word, or two, of a text: none that is only like a name. */
  readonly isSecretWord: (word: string) => boolean;
}

/** What secrets are usually called. */
const USUAL =
  /pass(?:$|w|.?(?:word|phrase|code))|^pwd?$|kennwort|token|secret|credential|webhook.*url|(?:api|private|access).?key|cookie/iu;
const GATEWAYS = new Set(["gateway", "samechannelgateway"]);

export function secretNamesOf(protocols: ReadonlyMap<string, Manifest>): SecretNames {
  const own = new Map<string, ReadonlyMap<string, boolean>>();
  for (const [protocol, { schema, options = {} }] of protocols) {
    own.set(protocol, new Map([...secrecyOf(schema.properties), ...secrecyOf(options)]));
  }
  const general = secrecyOf(generalSchema.properties);
  const all = new Map([...secrecyOf(sharedSchema.properties), ...general]);
  for (const names of own.values()) {
    for (const [name, isSecret] of names) all.set(name, isSecret || all.get(name) === true);
  }
  const secret = [...all].filter(([, isSecret]) => isSecret).map(([name]) => name);
  const isSecretWord = (word: string): boolean => all.get(settingKey(word)) ?? USUAL.test(word);
  const isSecretName = (name: string): boolean =>
    all.get(settingKey(name)) ?? (USUAL.test(name) || suggest(name, secret) !== null);
  const isSecretAt = (path: Path): boolean => {
    const keys = path.filter((key) => typeof key === "string").map((key) => key.toLowerCase());
    const [root = ""] = keys;
    if (GATEWAYS.has(root)) return keys.includes("options") && isSecretName(keys.at(-1) ?? "");
    const known = root === "general" ? general : own.get(root);
    // What stands before it is the name of an account.
    const first = Math.min(root === "general" ? 1 : 2, keys.length - 1);
    return keys.slice(first).some((key) => known?.get(settingKey(key)) ?? isSecretName(key));
  };
  return { isSecretAt, isSecretName, isSecretWord };
}

function secrecyOf(properties: Readonly<Record<string, object>>): ReadonlyMap<string, boolean> {
  return new Map(
    Object.entries(properties).map(([name, setting]) => [
      name.toLowerCase(),
      "secret" in setting && setting.secret === true,
    ]),
  );
}
