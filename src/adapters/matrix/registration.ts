import { type AccountCommand, settingsBy } from "../../contract/manifest.ts";
import { botOf, type MatrixSettings, schema } from "./settings.ts";

/** `rialto matrix registration`: the file that tells a homeserver of us (application service API, "Registration"). */
export const registrationCommand: AccountCommand = {
  name: "registration",
  summary: "print the registration of an account as an application service",
  run: (settings, { name, random }) => registration(settingsBy(schema, settings), name, random),
};

function registration(settings: MatrixSettings, account: string, random: () => string) {
  const { ASToken, HSToken, GhostPrefix, Login, MxID, Server } = settings;
  const made = { as: ASToken || random(), hs: HSToken || random() };
  const server = serverName(Login) || serverName(MxID);
  const place = server === "" ? ".*" : quoted(server);
  const lines = [
    `# Registration of ${account} at ${Server}: give it to the homeserver and restart the homeserver.`,
    `id: ${JSON.stringify(`rialto-${account}`)}`,
    // It asks for events by /sync, so nothing has to reach it.
    "url: null",
    `as_token: ${JSON.stringify(made.as)}`,
    `hs_token: ${JSON.stringify(made.hs)}`,
    // Homeservers give no events to this user by /sync: the bot is another one.
    `sender_localpart: ${JSON.stringify(`${GhostPrefix}service`)}`,
    "rate_limited: false",
    "namespaces:",
    "  users:",
    "    - exclusive: true",
    `      regex: ${JSON.stringify(`@${quoted(GhostPrefix)}.*:${place}`)}`,
    "    - exclusive: true",
    `      regex: ${JSON.stringify(`@${quoted(botOf(settings))}:${place}`)}`,
    "  aliases: []",
    "  rooms: []",
  ];
  const notes = [
    ...(ASToken === ""
      ? [`these tokens are new: set ASToken of ${account} to the as_token above, and HSToken to the hs_token`]
      : []),
    ...(ASToken !== "" && HSToken === ""
      ? [`the hs_token is new: set HSToken of ${account} to it, so that it stays the same`]
      : []),
    ...(server === "" ? ["set MxID (@user:server) to keep the namespace to your own server"] : []),
  ];
  return { output: `${lines.join("\n")}\n`, notes };
}

function serverName(user: string): string {
  return /^@[^:]*:(?<server>.+)$/u.exec(user)?.groups?.["server"] ?? "";
}

/** As a regular expression that fits only this text. */
function quoted(text: string): string {
  return text.replaceAll(/[.+*?^$()[\]{}|\\/]/gu, String.raw`\$&`);
}
