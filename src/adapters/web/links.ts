/** Something to follow: an address, or what chat programs make one of. */
const LINK =
  /(?:[a-z][a-z\d+.-]{1,20}:\/\/|\bwww\.|\bmailto:|\]\(|(?:^|[^\p{L}\p{N}@._-])(?:[\p{L}\p{N}-]{1,63}\.){1,6}(?:com|net|org|info|biz|dev|app|io|ru|cn|tk|top|xyz|shop|site|online|club|link|click|live|me|gg|ly|cc|to|co|de|uk)(?![\p{L}\p{N}-]))/iu;

/** Whether a text holds what leads elsewhere. Rather too often than too seldom. */
export function hasLink(text: string): boolean {
  return LINK.test(text.normalize("NFKC").replaceAll(/\p{Cf}+/gu, ""));
}
