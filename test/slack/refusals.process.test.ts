import { describeRefusals } from "../hosted/refusals.ts";
import { slack } from "./town.ts";

describeRefusals(slack, [
  {
    what: "the app was removed from the workspace",
    broken: ({ app }) => (app.revoked = "account_inactive"),
    says: /account_inactive.*OAuth & Permissions/su,
  },
  {
    what: "Socket Mode is off",
    broken: ({ app }) => (app.socketMode = false),
    says: /Socket Mode is off: turn it on/u,
  },
  {
    what: "the token of the app lacks its scope",
    broken: ({ app }) => app.appScopes.clear(),
    says: /connections:write/u,
  },
  {
    what: "the app may not write",
    broken: ({ app }) => app.scopes.delete("chat:write"),
    says: /lacks chat:write .*OAuth & Permissions.*install the app anew/su,
  },
  {
    what: "the app may not hear of reactions",
    broken: ({ app }) => app.scopes.delete("reactions:read"),
    says: /lacks reactions:read \(reactions are not heard\)/u,
    goesOn: true,
  },
  {
    what: "the app may not take the names of others",
    mode: "prefix",
    broken: () => undefined,
    says: /chat:write\.customize/u,
    goesOn: true,
  },
  {
    what: "the app is not in the channel, which is private",
    broken: ({ server, app, alice, team }) => {
      const town = [...server.world.channels.values()].find(({ name }) => name === "town");
      if (town !== undefined) alice.rename(town, "elsewhere");
      server.world.addChannel(team.id, "town", alice.id, true).members.delete(app.user.id);
    },
    says: /\/invite @rialto/u,
  },
  {
    what: "the app may not join, and nobody has invited it",
    broken: ({ app, channel }) => {
      app.scopes.delete("channels:join");
      channel.members.delete(app.user.id);
    },
    says: /\/invite @rialto/u,
    mend: ({ alice, app, channel }) => alice.invite(channel, app.user),
  },
  {
    what: "the channel is archived",
    broken: ({ alice, channel }) => alice.archive(channel),
    says: /archived/u,
    mend: ({ alice, channel }) => alice.unarchive(channel),
  },
]);
