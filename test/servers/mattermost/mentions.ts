/** What the server takes for a mention: of a user by its name, or of everybody in the channel. */
export function isMentioned(message: string, username: string): boolean {
  return words(withoutCode(message)).some((word) => {
    const bare = word.replace(/^[:.\-_]+/u, "");
    if (names(bare, username)) return true;
    // A name may end in such a sign, or only be followed by it.
    for (let rest = bare; /[:.\-_]$/u.test(rest);) {
      rest = rest.slice(0, -1);
      if (names(rest, username)) return true;
    }
    return bare.split(/[.:-]/u).some((part) => names(part, username));
  });
}

function words(message: string): readonly string[] {
  return message.split(/[^:.\-_@\p{L}\p{N}]+/u).filter((word) => word !== "" && !/^:.*:$/u.test(word));
}

function names(word: string, username: string): boolean {
  const lower = word.toLowerCase();
  return [`@${username}`, "@all", "@channel", "@here"].includes(lower);
}

function withoutCode(message: string): string {
  return message.replaceAll(/^```[\s\S]*?^```|(`+)[^`][\s\S]*?\1/gmu, " ");
}
