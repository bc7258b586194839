import { useEffect } from "preact/hooks";

const EVERY_MS = 3000;

/** Loads now and again as long as the page is seen, never twice at a time. */
export function useFresh(load: () => Promise<unknown>): void {
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let isOver = false;
    let isLoading = false;
    const go = async (): Promise<void> => {
      clearTimeout(timer);
      if (isOver || isLoading || document.hidden) return;
      isLoading = true;
      await load();
      isLoading = false;
      // oxlint-disable-next-line typescript/no-unnecessary-condition -- the page may be left meanwhile
      if (!isOver) timer = setTimeout(() => void go(), EVERY_MS);
    };
    const seen = (): void => void go();
    document.addEventListener("visibilitychange", seen);
    seen();
    return () => {
      isOver = true;
      clearTimeout(timer);
      document.removeEventListener("visibilitychange", seen);
    };
  }, []);
}

/** A button that goes with its row leaves the focus to the next one, or to the section: else it is nowhere. */
export async function withFocusKept<Done>(work: Promise<Done>): Promise<Done> {
  const section = document.activeElement?.closest("section");
  const done = await work;
  // Rows are rendered at the next frame.
  requestAnimationFrame(() => {
    if (document.activeElement !== document.body || section === undefined || section === null) return;
    const next = section.querySelector<HTMLElement>("tbody button") ?? section;
    section.tabIndex = -1;
    next.focus();
  });
  return done;
}
