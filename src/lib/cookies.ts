/** So many of one name are looked at. */
const COOKIES_MAX = 50;

/**
 * The values of all cookies of a name that a browser sends. Another server on the same host name can give it one of the
 * same name, which comes first with a longer path: which is ours is known by its being valid.
 */
export function cookiesNamed(name: string, header = ""): readonly string[] {
  const prefix = `${name}=`;
  const own = header.split(";").flatMap((each) => (each.trim().startsWith(prefix) ? [each.trim()] : []));
  return [...new Set(own.map((each) => each.slice(prefix.length).trim()))].slice(0, COOKIES_MAX);
}
