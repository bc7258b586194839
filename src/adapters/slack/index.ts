import { defineAdapter } from "../../contract/adapter.ts";
import { type Manifest, settingsBy } from "../../contract/manifest.ts";
import { capabilities } from "./capabilities.ts";
import { manifestCommand } from "./manifest-command.ts";
import { checkSettings, schema, SLACK_API, type SlackSettings, takesPartBy } from "./settings.ts";

const manifest: Manifest = {
  protocol: "slack",
  title: "Slack",
  schema,
  channel: {
    // Names are as long, and in lower case in all scripts that have it.
    pattern: String.raw`^(?:(?!#)(?!ID:)[^\p{Cc}\s]{1,80}|ID:[CG][A-Z0-9]{2,30})$`,
    hint: "must be the name of a channel, such as general, without # before it, or its id, such as ID:C024BE91L",
    lowerCase: false,
  },
  ignored: [
    {
      name: "WebhookBindAddress",
      state: "replaced",
      why: "Slack no longer makes the outgoing webhooks that would post there; what is said comes by AppToken",
    },
    { name: "SkipTLSVerify", state: "unneeded", why: "Slack's own certificates can be trusted" },
  ],
  network: "AppToken",
  login: "AppToken",
  address: (settings) => {
    const { ApiURL, ...known } = settingsBy(schema, settings);
    if (takesPartBy(known) === "webhook" || !URL.canParse(ApiURL)) return null;
    if (ApiURL === SLACK_API) return "slack.com (TLS)";
    const { protocol, host, pathname } = new URL(ApiURL);
    return `${host}${pathname === "/" ? "" : pathname} (${protocol === "https:" ? "TLS" : "no TLS"})`;
  },
  lesser: [
    {
      title: "a webhook alone",
      unknown: "not sent again, but recorded as *unconfirmed* and named in the log; what comes after it is sent",
      rialto: "what was being sent is sent again, and may be there twice; the rest is there once",
      network: "what was being sent is *unconfirmed*, the rest waits and is sent: none doubled",
    },
  ],
  commands: [manifestCommand],
  check: (settings) => checkSettings(settingsBy(schema, settings)),
};

export const adapter = defineAdapter<typeof capabilities, SlackSettings>({
  manifest,
  capabilities,
  load: () => import("./session.ts"),
});
