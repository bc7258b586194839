import { signal } from "@preact/signals";
import { type JSX, render } from "preact";
import "./base.css";
import "./dashboard.css";
import { get, unauthorized } from "./lib/api.ts";
import { Shell } from "./shell/Shell.tsx";
import { SignIn, takeLogin } from "./shell/SignIn.tsx";

const login = signal(takeLogin());
const known = signal(false);

/** A link is used also by who is signed in already: it may be for another browser's session that was revoked. */
function Dashboard(): JSX.Element | null {
  if (login.value !== null || unauthorized.value) {
    return <SignIn login={login.value} onDone={enter} />;
  }
  return known.value ? <Shell /> : null;
}

function enter(): void {
  known.value = true;
  login.value = null;
}

render(<Dashboard />, document.body);
addEventListener("hashchange", () => {
  login.value ??= takeLogin();
});
if (login.value === null) {
  void get("/v1/session").then(() => {
    known.value = true;
  });
}
