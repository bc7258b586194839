import type { Opened, OpenArgs } from "../../contract/adapter.ts";
import type { Ended, Handlers } from "../../contract/session.ts";
import { describe } from "../../lib/describe.ts";
import { Client } from "./client.ts";
import { misconfigured, needsLogin } from "../kit/ends.ts";
import { Ghosts } from "./ghosts.ts";
import { Http } from "../kit/http.ts";
import { publicBy } from "../kit/trust.ts";
import type { capabilities } from "./capabilities.ts";
import { MatrixSession } from "./live.ts";
import { endOf, logIn } from "./login.ts";
import { bareServer, LoginTokens, readLogin } from "./saved-login.ts";
import { loginWay, type MatrixSettings, NOTHING_TO_LOG_IN_WITH } from "./settings.ts";
import { positionNow } from "./sync.ts";

type MatrixOpened = Opened<Handlers<typeof capabilities>>;

/** Logs in at a homeserver, and finds the place from which everything is news. */
export async function open(args: OpenArgs<MatrixSettings>): Promise<MatrixOpened> {
  const { settings } = args;
  if (!/^https?:\/\//u.test(settings.Server) || !URL.canParse(settings.Server)) {
    return failed(misconfigured("Server must be a URL, such as https://matrix.example.org"));
  }
  if (loginWay(settings) === "password" && settings.Password === "") {
    return failed(needsLogin(`there is nothing to log in with: ${NOTHING_TO_LOG_IN_WITH}`));
  }
  const http = new Http(args.host.clock, publicBy(settings.Proxy));
  const opened = await begin(args, http);
  if (!opened.ok) http.close();
  return opened;
}

async function begin(args: OpenArgs<MatrixSettings>, http: Http): Promise<MatrixOpened> {
  const { settings, host, since, signal } = args;
  const way = loginWay(settings);
  const tokens = way === "saved" ? savedTokens(args, http) : null;
  if (tokens !== null && !(tokens instanceof LoginTokens)) return failed(tokens);
  const token = { password: null, token: settings.Token, saved: null, appservice: settings.ASToken }[way];
  const client = new Client({ http, server: settings.Server, token, tokens });
  const versions = await client.versions(signal);
  if (!versions.ok) {
    const { failure } = versions;
    // Where we have been before, it is a proxy with nothing behind it for now.
    const isOther =
      since === null && failure.status >= 200 && failure.status < 500 && failure.why.code !== "rate_limited";
    return failed(
      isOther
        ? misconfigured(
            `there is no homeserver at Server (HTTP ${failure.status}): it must be the URL of the client API without /_matrix`,
          )
        : endOf(failure, way),
    );
  }
  const login = await logIn(client, settings, signal);
  if (!login.ok) return login;
  const { user } = login;
  host.log.debug({ user, versions: versions.value.at(-1) ?? "", way }, "logged in");
  const position = since === null ? await positionNow(client, host, signal) : { ok: true as const, value: since };
  if (!position.ok) return failed(endOf(position.failure, way));
  // From here on, nothing said is missed, also when nothing is said for long.
  if (since === null) await host.accept({ events: [], cursor: position.value });
  const session = new MatrixSession({
    http,
    client,
    settings,
    host,
    user,
    authenticatedMedia: versions.value.some(isAtLeast111),
    ghosts: way === "appservice" ? new Ghosts({ client, prefix: settings.GhostPrefix, user }) : null,
    since: position.value,
  });
  return { ok: true, session };
}

/** Of the login that `rialto matrix login` has saved, or why there is none. */
function savedTokens({ settings, host, folder }: OpenArgs<MatrixSettings>, http: Http): LoginTokens | Ended {
  const again = "run `rialto matrix login <account>`";
  if (folder === undefined) return misconfigured("SavedLogin needs the data folder, which is not known here");
  try {
    const login = readLogin(folder);
    if (login === null) return needsLogin(`there is no saved login: ${again}`);
    if (login.server !== bareServer(settings.Server))
      return needsLogin(`the saved login is for ${login.server} and not for Server: correct Server, or ${again}`);
    return new LoginTokens({ clock: host.clock, log: host.log, http, folder, login });
  } catch (error) {
    return needsLogin(
      `the saved login in ${folder} cannot be read (${describe(error)}): ${again} as Rialto's own user`,
    );
  }
}

function isAtLeast111(version: string): boolean {
  const { major, minor } = /^v(?<major>\d+)\.(?<minor>\d+)$/u.exec(version)?.groups ?? {};
  return Number(major) > 1 || (Number(major) === 1 && Number(minor) >= 11);
}

const failed = (ended: Ended): MatrixOpened => ({ ok: false, ended });
