/** The line in which the settings of an account begin, from 1; null: they are not found. Pure. */
export function lineOf(text: string, account: string): number | null {
  const [protocol = "", ...rest] = account.toLowerCase().split(".");
  const name = rest.join(".");
  const lines = text.toLowerCase().split("\n");
  const heads = new Set([`[${protocol}.${name}]`, `[${protocol}."${name}"]`]);
  const at = lines.findIndex((line) => heads.has(line.trim()));
  const other = lines.findIndex((line) => [`${name}:`, `"${name}":`].some((key) => line.trim().startsWith(key)));
  return at >= 0 ? at + 1 : other >= 0 ? other + 1 : null;
}
