import { expect, test } from "vitest";
import { EVENT_SCOPES } from "../../../test/servers/slack/world.ts";
import { manifestCommand } from "./manifest-command.ts";
import { slackSettings } from "./settings.suite.ts";

interface AppManifest {
  readonly features: { readonly bot_user: object };
  readonly oauth_config: { readonly scopes: { readonly bot: readonly string[] } };
  readonly settings: {
    readonly event_subscriptions: { readonly bot_events: readonly string[] };
    readonly socket_mode_enabled: boolean;
    readonly token_rotation_enabled: boolean;
  };
}

const account = { name: "slack.crew", random: () => "" };

test("the manifest has Socket Mode on, and every scope that an event of it needs", () => {
  const { output } = manifestCommand.run(slackSettings({}), account);
  const { oauth_config: oauth, settings } = JSON.parse(output) as AppManifest;
  expect([settings.socket_mode_enabled, settings.token_rotation_enabled]).toEqual([true, false]);
  const events = settings.event_subscriptions.bot_events;
  expect(events).toEqual([...new Set(events)].toSorted());
  expect(oauth.scopes.bot).toEqual([...new Set(oauth.scopes.bot)].toSorted());
  const needed = events.flatMap((event) => EVENT_SCOPES[event] ?? []);
  expect(oauth.scopes.bot).toEqual(expect.arrayContaining([...new Set(needed)]));
});

test("its notes say where it goes, and which tokens to take from there; no secret is in it", () => {
  const bare = manifestCommand.run(slackSettings({}), account);
  expect(bare.notes.join("\n")).toMatch(
    /From a manifest[^]*Token of slack.crew[^]*AppToken of slack.crew[^]*\/invite/u,
  );
  const secrets = { Token: "xoxb-secret", AppToken: "xapp-secret" };
  const { output, notes } = manifestCommand.run(slackSettings(secrets), account);
  expect(`${output}${notes.join("\n")}`).not.toMatch(/secret|set Token|set AppToken/u);
});
