import type { Locator, Page } from "playwright-core";

/** What Tab came to, in order, and what is wrong about it; one line each. */
interface Walk {
  readonly stops: number;
  readonly wrong: readonly string[];
}

/** Whatever a mouse can press, or write into. */
const PRESSABLE =
  "a[href], button, input:not([type=file]), select, textarea, summary, [contenteditable=true], [role=button], [role=log]";

/** What the page is told to keep of a walk; nothing of it is seen by the page itself. */
interface Kept {
  readonly seen: Set<Element>;
  readonly dull: string[];
  /** The first one has the focus again. */
  round: boolean;
}

declare global {
  var walked: Kept;
}

/**
 * Walks by Tab until it is round: from where the focus is, or from the dialog that is open. All that a mouse can press
 * has to be reached, and seen to have the focus; messages of a log are left to the arrows.
 */
export async function walk(page: Page): Promise<Walk> {
  const pressable = await page.evaluate((selector) => {
    const all = (root: ParentNode): readonly Element[] =>
      [...root.querySelectorAll("*")].flatMap((one) => [one, ...(one.shadowRoot === null ? [] : all(one.shadowRoot))]);
    const seen = new Set<Element>();
    const kept: Kept = { seen, dull: [], round: false };
    globalThis.walked = kept;
    const note = (event: Event): void => {
      const target = event.composedPath()[0];
      if (!(target instanceof Element)) return;
      // What comes back from the window's own buttons may be told twice.
      if (seen.size > 1 && target === [...seen][0]) kept.round = true;
      seen.add(target);
      // The editor shows it around itself, a moment later.
      if (getComputedStyle(target).outlineStyle === "none" && target.closest(".cm-editor") === null)
        kept.dull.push(`the focus is not seen: ${target.outerHTML.slice(0, 120)}`);
    };
    document.addEventListener("focusin", note);
    return all(document).filter((one) => one.matches(selector)).length;
  }, PRESSABLE);
  // Twice as many would do; what is not round by then never is.
  for (let step = 0; step < 2 * pressable + 10; step += 1) {
    await page.keyboard.press("Tab");
    if (step % 8 === 7 && (await page.evaluate(() => globalThis.walked.round))) break;
  }
  return await page.evaluate((selector) => {
    const all = (root: ParentNode): readonly Element[] =>
      [...root.querySelectorAll("*")].flatMap((one) => [one, ...(one.shadowRoot === null ? [] : all(one.shadowRoot))]);
    const { seen, dull, round } = globalThis.walked;
    const dialog = document.querySelector("dialog[open]");
    const isLeftOut = (one: Element): boolean =>
      !one.checkVisibility({ visibilityProperty: true }) ||
      one.matches(":disabled, article [data-act]") ||
      (dialog !== null && !dialog.contains(one));
    const missed = all(document)
      .filter((one) => one.matches(selector) && !isLeftOut(one) && !seen.has(one))
      .map((one) => `not reached: ${one.outerHTML.slice(0, 120)}`);
    const strayed = [...seen]
      .filter((one) => dialog !== null && !dialog.contains(one))
      .map((one) => `outside the dialog: ${one.outerHTML.slice(0, 120)}`);
    return { stops: seen.size, wrong: [...dull, ...missed, ...strayed, ...(round ? [] : ["it never came round"])] };
  }, PRESSABLE);
}

/** What has the focus, in a few words. */
export const focusOf = async (page: Page): Promise<string> =>
  await page.evaluate(() => {
    const { activeElement: one } = document;
    return one === null ? "nothing" : `${one.localName} ${one.getAttribute("aria-label") ?? one.textContent.trim()}`;
  });

export const hasFocus = async (locator: Locator): Promise<boolean> =>
  await locator.evaluate((one) => one === document.activeElement);
