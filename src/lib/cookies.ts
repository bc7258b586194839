/** The number of cookies of one kind that are looked at. */
const COOKIES_MAX = 50;

/**
 * The values of all cookies of a name that a browser sends. Another server on the same host name can give it one of the
 * same name, which comes first with a longer path: which is ours is known by its being valid.
 */
export const cookiesNamed = (name: string, header = ""): readonly string[] =>
  cookiesWhere((each) => each === name, header);

/** The same for all cookies whose names fit. */
export function cookiesWhere(fits: (name: string) => boolean, header = ""): readonly string[] {
  const values = header.split(";").flatMap((each) => {
    const at = each.indexOf("=");
    return at !== -1 && fits(each.slice(0, at).trim()) ? [each.slice(at + 1).trim()] : [];
  });
  return [...new Set(values)].slice(0, COOKIES_MAX);
}
