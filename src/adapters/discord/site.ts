/** Where people find what a server has, to which links and advice lead. */
export interface DiscordSite {
  /** The client in a browser. */
  readonly web: string;
  /** Pictures of people and stickers. */
  readonly cdn: string;
  /** Animated stickers. */
  readonly media: string;
  /** For people: where bots are made. */
  readonly portal: string;
}

const DISCORD: DiscordSite = {
  web: "https://discord.com",
  cdn: "https://cdn.discordapp.com",
  media: "https://media.discordapp.net",
  portal: "discord.com/developers/applications",
};

/** The address of a message of this server begins so. */
export function channelsAt(settings: Parameters<typeof siteOf>[0], guild: string): string {
  return `${siteOf(settings).web}/channels/${guild}/`;
}

/** Of a server like Discord's, only the host of its API is known. */
export function siteOf({ ApiURL }: { readonly ApiURL: string }): DiscordSite {
  if (!URL.canParse(ApiURL)) return DISCORD;
  const { origin, host, hostname } = new URL(ApiURL);
  if (/(?:^|\.)discord(?:app)?\.com$/u.test(hostname)) return DISCORD;
  return { web: origin, cdn: origin, media: origin, portal: host };
}
