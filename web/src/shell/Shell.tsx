import { useSignal } from "@preact/signals";
import type { ComponentType, JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { del, get, unauthorized } from "../lib/api.ts";
import { connection, startLive, status } from "../lib/live.ts";
import { linkTo, place } from "../lib/router.ts";
import { Button } from "../parts/Button.tsx";
import { Confirming } from "../parts/Dialog.tsx";
import { Notice } from "../parts/Notice.tsx";
import { ThemeSwitch } from "../parts/Theme.tsx";
import { FIRST, type PageEntry, PAGES } from "./pages.ts";
import { shellTexts as texts } from "./texts.ts";

/** Everything around a page, for who is signed in. */
export function Shell(): JSX.Element {
  useEffect(startLive, []);
  const page = PAGES.find(({ name }) => name === place.value.page) ?? PAGES[0];
  const main = useRef<HTMLElement>(null);
  const who = useSignal<string | null>(null);
  useEffect(() => {
    void get<{ readonly name: string; readonly by: string }>("/v1/session").then((answer) => {
      if (answer.ok && answer.value.by === "proxy") who.value = answer.value.name;
    });
  }, []);
  const signOut = async (): Promise<void> => {
    await del("/v1/session");
    unauthorized.value = true;
  };
  return (
    <>
      <a
        class="skip"
        href="#content"
        onClick={(event) => {
          event.preventDefault();
          main.current?.focus();
        }}
      >
        {texts.skip}
      </a>
      <header class="top">
        <a class="brand" href={linkTo([])}>
          Rialto
        </a>
        <nav aria-label={texts.pages}>
          {PAGES.map(({ name, title }) => (
            <a key={name} href={linkTo(name === FIRST ? [] : [name])} aria-current={name === page?.name && "page"}>
              {title}
            </a>
          ))}
        </nav>
        <span class="version">{status.value?.version}</span>
        <ThemeSwitch />
        {who.value === null ? (
          <Button kind="quiet" onPress={() => void signOut()}>
            {texts.signOut}
          </Button>
        ) : (
          <span title={texts.signedInBy}>{who.value}</span>
        )}
      </header>
      {connection.value === "lost" ? (
        <div class="offline">
          <Notice kind="warn" title={texts.lost} live>
            <p>{texts.lostMore}</p>
          </Notice>
        </div>
      ) : null}
      <main id="content" tabIndex={-1} ref={main}>
        {page === undefined ? null : <Loaded key={page.name} page={page} />}
      </main>
      <Confirming />
    </>
  );
}

function Loaded({ page }: { readonly page: PageEntry }): JSX.Element {
  const loaded = useSignal<{ readonly Page: ComponentType } | "waiting" | "failed">("waiting");
  useEffect(() => {
    document.title = `${page.title} · Rialto`;
    page.load().then(
      (Page) => {
        loaded.value = { Page };
      },
      () => {
        loaded.value = "failed";
      },
    );
  }, [page]);
  if (loaded.value === "waiting") return <p role="status">{texts.loading}</p>;
  if (loaded.value !== "failed") return <loaded.value.Page />;
  return (
    <Notice
      kind="bad"
      title={texts.pageFailed}
      live
      actions={<Button onPress={() => location.reload()}>{texts.reload}</Button>}
    >
      <p>{texts.pageFailedMore}</p>
    </Notice>
  );
}
