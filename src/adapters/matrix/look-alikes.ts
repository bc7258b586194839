/** Letters that look like Latin ones, and Latin ones that look like each other; after NFKD and in lower case. */
const ALIKE: ReadonlyMap<string, string> = new Map(
  Object.entries({
    a: "аαɑ",
    b: "вβ",
    c: "сϲ",
    d: "ԁ",
    e: "еεэ",
    g: "ɡ",
    h: "нһ",
    j: "јϳ",
    k: "кκ",
    l: "i1|ӏіιıɩǀ",
    m: "м",
    n: "ηпո",
    o: "0оοσօ",
    p: "рρ",
    q: "ԛ",
    r: "гᴦ",
    s: "ѕ",
    t: "тτ",
    u: "υμս",
    v: "ν",
    w: "ԝω",
    x: "хχ",
    y: "уγ",
  }).flatMap(([latin, others]) => Array.from(others, (other) => [other, latin] as const)),
);

/** What cannot be seen, and marks above and below letters. */
const UNSEEN = /[\p{Z}\p{Cc}\p{Cf}\p{M}\u115f\u1160\u2800\u3164\uffa0]/gu;

/** The same for names that people take for each other. */
function skeleton(name: string): string {
  const letters = name.normalize("NFKD").toLowerCase().normalize("NFKD").replaceAll(UNSEEN, "");
  return Array.from(letters, (letter) => ALIKE.get(letter) ?? letter).join("");
}

/** The name, with the account after it where it looks like one of `ours`. */
export function toldApart(name: string, account: string, ours: readonly string[]): string {
  const shown = skeleton(name);
  return ours.some((own) => own !== "" && skeleton(own) === shown) ? `${name} (${account})` : name;
}
