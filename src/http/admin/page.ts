import type { AccountStatus } from "../../delivery/status.ts";
import type { StatusView } from "../../admin/views.ts";
import { ago } from "../../lib/ago.ts";
import { escapeHtml as safe } from "../html.ts";

/** The status as a page for people: no script, nothing from elsewhere, made anew every ten seconds. */
export function statusPage({ version, nowMs, startedMs, troubles, log, loop, accounts, readers }: StatusView): string {
  const rooms = accounts.flatMap((account) => [
    row("account", [
      account.account,
      account.state,
      since(account.downSinceMs ?? account.sinceMs, nowMs),
      String(account.accepted),
      String(account.delivered),
      since(account.heardMs, nowMs),
      "",
      "",
      whyOf(account, nowMs),
    ]),
    ...account.channels.flatMap((channel) => [
      row("", [
        channel.channel,
        channel.state,
        since(channel.downSinceMs ?? channel.sinceMs, nowMs),
        "",
        "",
        since(channel.heardMs, nowMs),
        "",
        "",
        news(channel, [account], nowMs),
      ]),
      ...channel.lanes.map((lane) =>
        row("lane", [
          `← ${lane.gateway}`,
          lane.state,
          "",
          "",
          "",
          "",
          String(lane.waiting ?? "?"),
          since(lane.oldestMs, nowMs),
          news(lane, [account, channel], nowMs),
        ]),
      ),
    ]),
  ]);
  const list = troubles.map(
    ({ of, what, remedy }) => `<li><b>${safe(of)}</b> ${safe(what)} <i>${safe(remedy ?? "")}</i>`,
  );
  const clients = readers.map(({ account, url, accepted, skipped }) =>
    row("", [account, url ?? "", String(accepted), String(skipped)]),
  );
  return `<!doctype html>
<html lang="en"><meta charset="utf-8"><meta http-equiv="refresh" content="10"><title>Rialto: ${troubles.length === 0 ? "well" : "NOT WELL"}</title>
<style>body{font:15px sans-serif;margin:2em;max-width:80em}table{border-collapse:collapse}td,th{padding:.2em .8em;text-align:left;vertical-align:top}
tr.account{border-top:1px solid #999;font-weight:bold}tr.lane{color:#555}</style>
<h1>Rialto ${safe(version)} ${troubles.length === 0 ? "is well" : "is NOT WELL"}</h1>
<p>Running for ${since(startedMs, nowMs)}. The log ${log.takes ? "accepts messages" : "ACCEPTS NO MESSAGES"}, head ${log.head}. The event loop was late by ${loop.max.toFixed(0)} ms at most.
<ul>${list.join("\n")}</ul>
<table><tr><th>Account, room, lane<th>State<th>For<th>In<th>Out<th>Heard<th>Waiting<th>Oldest<th>Why
${rooms.join("\n")}
</table>
<h2>HTTP API</h2>
<table><tr><th>Account<th>Address<th>Accepted<th>Skipped
${clients.join("\n")}
</table>
</html>
`;
}

function row(kind: string, cells: readonly string[]): string {
  return `<tr${kind === "" ? "" : ` class="${kind}"`}>${cells.map((cell) => `<td>${safe(cell)}`).join("")}`;
}

type Reasoned = Pick<AccountStatus, "why" | "remedy" | "retryMs">;

/** What was said in a line above needs no repeating. */
function news(own: Reasoned, above: readonly Reasoned[], nowMs: number): string {
  return above.some(({ why }) => why?.message === own.why?.message) ? "" : whyOf(own, nowMs);
}

function whyOf({ why, remedy, retryMs }: Reasoned, nowMs: number): string {
  if (why === null) return "";
  const again = retryMs === null || retryMs <= nowMs ? "" : ` (again in ${ago(retryMs - nowMs)})`;
  return `${why.message}${again}${remedy === null ? "" : ` → ${remedy}`}`;
}

function since(ms: number | null, nowMs: number): string {
  return ms === null ? "" : ago(nowMs - ms);
}
