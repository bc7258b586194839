import { idOf, listOf, objectOf, OK, pageOf, type Routes } from "./requests.ts";
import { invalidBody, invalidUrl, newId, Refusal, type Team, textOf, type WireUser } from "./wire.ts";
import type { Account, World } from "./world.ts";

/** Users, sessions and teams. */
export function routePeople(routes: Routes, world: World): void {
  const shown = (account: Account, me: string): WireUser => showUser(account, me);

  routes.on(
    "POST",
    "/users/login",
    (call) => {
      const body = objectOf(call, "user");
      const account = login(world, textOf(body["login_id"]), textOf(body["password"]), body["token"]);
      const token = newId();
      world.tokens.set(token, account.user.id);
      const cookie = `MMAUTHTOKEN=${token}; Path=/; Max-Age=15552000; HttpOnly; SameSite=Lax`;
      return { json: shown(account, account.user.id), headers: { Token: token, "Set-Cookie": cookie } };
    },
    true,
  );
  routes.on("POST", "/users/logout", (call) => {
    world.tokens.delete(call.token);
    world.hub.silence(call.token);
    return OK;
  });
  routes.on("POST", "/users/ids", (call) => {
    const accounts = listOf(call, "user_ids").flatMap((id) => world.accounts.get(id) ?? []);
    return { json: accounts.map((account) => shown(account, call.me)) };
  });
  routes.on("POST", "/users/usernames", (call) => {
    const accounts = listOf(call, "usernames").flatMap((name) => world.named(name) ?? []);
    return { json: accounts.map((account) => shown(account, call.me)) };
  });
  routes.on("POST", "/users/search", (call) => {
    const { term, team_id: team, in_channel_id: channel, limit } = objectOf(call, "props");
    if (typeof term !== "string" || term === "") throw invalidBody("term");
    const found = matching(world, term, [team, channel]).slice(0, typeof limit === "number" ? limit : 100);
    return { json: found.map((account) => shown(account, call.me)) };
  });
  routes.on("GET", "/users/autocomplete", (call) => {
    const found = matching(world, call.query.get("name") ?? "", [
      call.query.get("in_team"),
      call.query.get("in_channel"),
    ]);
    return { json: { users: found.map((account) => shown(account, call.me)), out_of_channel: [] } };
  });
  routes.on("GET", "/users/username/:username", (call) => {
    const account = world.named(call.params["username"] ?? "");
    if (account === undefined) {
      const words = "Unable to find an existing account matching your username for this team.";
      throw new Refusal(404, "app.user.get_by_username.app_error", words);
    }
    return { json: shown(account, call.me) };
  });
  routes.on("GET", "/users", (call) => {
    const { page, perPage } = pageOf(call);
    const found = matching(world, "", [call.query.get("in_team"), call.query.get("in_channel")]);
    return { json: found.slice(page * perPage, (page + 1) * perPage).map((account) => shown(account, call.me)) };
  });
  routes.on("GET", "/users/:user_id", (call) => ({ json: shown(world.account(idOf(call, "user_id")), call.me) }));
  routes.on("GET", "/users/:user_id/image", (call) => ({
    bytes: world.account(idOf(call, "user_id")).avatar,
    headers: { "content-type": "image/png", "cache-control": "max-age=86400, private" },
  }));
  routes.on("POST", "/users/status/ids", (call) => ({
    json: listOf(call, "user_ids").flatMap((id) => {
      const account = world.accounts.get(id);
      return account === undefined
        ? []
        : [{ user_id: id, status: account.status, manual: false, last_activity_at: world.now() }];
    }),
  }));
  routes.on("PUT", "/users/:user_id/status", (call) => {
    const { status } = objectOf(call, "status");
    world.account(call.me).status = textOf(status);
    world.tell("status_change", { status, user_id: call.me }, { user: call.me });
    return { json: { user_id: call.me, status, manual: true, last_activity_at: world.now() } };
  });
  routes.on("PUT", "/users/:user_id/patch", (call) => {
    const account = world.account(idOf(call, "user_id"));
    if (account.user.id !== call.me) throw invalidUrl("user_id");
    changeUser(world, account, objectOf(call, "user"));
    return { json: shown(account, call.me) };
  });
  routeTeams(routes, world);
}

function routeTeams(routes: Routes, world: World): void {
  const mine = (user: string): Team[] => [...world.teams.values()].filter(({ id }) => world.isIn(id, user));

  routes.on("GET", "/users/:user_id/teams", (call) => ({ json: mine(idOf(call, "user_id")) }));
  routes.on("GET", "/teams/name/:team_name", (call) => {
    const team = [...world.teams.values()].find(({ name }) => name === call.params["team_name"]);
    // Who may not see a team is told the same.
    if (team === undefined || (!team.allow_open_invite && !world.isIn(team.id, call.me))) {
      throw new Refusal(404, "app.team.get_by_name.missing.app_error", "Unable to find the existing team.");
    }
    return { json: team };
  });
  routes.on("GET", "/teams/:team_id", (call) => {
    const team = world.teams.get(idOf(call, "team_id"));
    if (team === undefined) throw new Refusal(404, "app.team.get.find.app_error", "Unable to find the existing team.");
    return { json: team };
  });
  const member = (team: string, user: string): object => ({
    team_id: team,
    user_id: user,
    roles: "team_user",
    delete_at: 0,
    scheme_user: true,
    scheme_admin: false,
    scheme_guest: false,
    explicit_roles: "",
  });
  routes.on("GET", "/users/:user_id/teams/members", (call) => {
    const user = idOf(call, "user_id");
    return { json: mine(user).map(({ id }) => member(id, user)) };
  });
  routes.on("GET", "/teams/:team_id/members/:user_id", (call) => {
    const [team, user] = [idOf(call, "team_id"), idOf(call, "user_id")];
    if (!world.isIn(team, user)) {
      throw new Refusal(
        404,
        "app.team.get_member.missing.app_error",
        "No team member found for that user ID and team ID.",
      );
    }
    return { json: member(team, user) };
  });
}

/** A user changes its names or picture; everybody who can see it is told. */
export function changeUser(world: World, account: Account, change: Readonly<Record<string, unknown>>): void {
  const known = ["username", "nickname", "first_name", "last_name", "position"] as const;
  const texts = known.flatMap((name) => (typeof change[name] === "string" ? [[name, change[name]] as const] : []));
  Object.assign(account.user, Object.fromEntries(texts), { update_at: world.now() });
  world.tell("user_updated", { user: showUser(account, "") }, { omit: [account.user.id] });
  world.tell("user_updated", { user: showUser(account, account.user.id) }, { user: account.user.id });
}

/** Others see neither settings nor addresses. */
function showUser({ user, mfaSecret }: Account, me: string): WireUser {
  if (user.id !== me) return { ...user, email: "" };
  return {
    ...user,
    notify_props: NOTIFY_PROPS,
    props: {},
    timezone: { automaticTimezone: "", manualTimezone: "", useAutomaticTimezone: "true" },
    mfa_active: mfaSecret !== null,
    terms_of_service_id: "",
    terms_of_service_create_at: 0,
  };
}

const NOTIFY_PROPS: NonNullable<WireUser["notify_props"]> = {
  desktop: "mention",
  desktop_sound: "true",
  calls_desktop_sound: "true",
  email: "true",
  mark_unread: "all",
  push: "mention",
  push_status: "online",
  comments: "never",
  first_name: "false",
  channel: "true",
  mention_keys: "",
  highlight_keys: "",
};

function login(world: World, id: string, password: string, token: unknown): Account {
  const account = [...world.accounts.values()].find(({ user }) => user.username === id || user.email === id);
  if (account?.user.is_bot === true) {
    throw new Refusal(401, "api.user.login.bot_login_forbidden.app_error", "Bot login is forbidden.");
  }
  if (account === undefined || account.password === null || account.password !== password) {
    const words = "Enter a valid email or username and/or password.";
    throw new Refusal(401, "api.user.login.invalid_credentials_email_username", words);
  }
  if (account.user.delete_at !== 0) {
    const words = "Login failed because your account has been deactivated. Please contact an administrator.";
    throw new Refusal(401, "api.user.login.inactive.app_error", words);
  }
  if (account.mfaSecret !== null && account.mfaSecret !== token) {
    throw new Refusal(401, "mfa.validate_token.authenticate.app_error", "Invalid MFA token.");
  }
  return account;
}

function matching(world: World, term: string, places: readonly unknown[]): Account[] {
  const wanted = term.toLowerCase();
  return [...world.accounts.values()].filter(({ user }) => {
    const inside = places.every((place) => typeof place !== "string" || place === "" || world.isIn(place, user.id));
    const names = [user.username, user.nickname, user.first_name, user.last_name];
    return inside && user.delete_at === 0 && names.some((name) => name.toLowerCase().startsWith(wanted));
  });
}
