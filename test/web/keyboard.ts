import type { Locator, Page } from "playwright-core";

/** What Tab came to, and what is wrong about it; one line each. */
interface Walk {
  readonly stops: number;
  readonly wrong: readonly string[];
}

/**
 * In the page, as what it keeps of a walk; the page itself sees nothing of it. All that a mouse can press or write into
 * counts, in the editor as well, which shows its focus a moment later than others.
 */
const BEGIN = `(() => {
  const all = (root) => [...root.querySelectorAll("*")].flatMap((one) => [one, ...(one.shadowRoot === null ? [] : all(one.shadowRoot))]);
  const kept = { seen: new Set(), dull: [], round: false };
  const selector = "a[href], button, input:not([type=file]), select, textarea, summary, [contenteditable=true], [role=button], [role=log]";
  globalThis.walked = kept;
  kept.pressable = () => all(document).filter((one) => one.matches(selector));
  document.addEventListener("focusin", (event) => {
    const target = event.composedPath()[0];
    // What comes back from the window's own buttons may be told twice.
    if (kept.seen.size > 1 && target === [...kept.seen][0]) kept.round = true;
    kept.seen.add(target);
    if (getComputedStyle(target).outlineStyle === "none" && target.closest(".cm-editor") === null)
      kept.dull.push("the focus is not seen: " + target.outerHTML.slice(0, 120));
  });
  return kept.pressable().length;
})()`;

/** What is disabled or not to be seen is left out, what is behind an open dialog, and what the arrows lead to:
 * buttons of messages in a log, and of a grid. */
const END = `(() => {
  const { seen, dull, round, pressable } = globalThis.walked;
  const dialog = document.querySelector("dialog[open]");
  const told = (what, some) => some.map((one) => what + ": " + one.outerHTML.slice(0, 120));
  const isLeftOut = (one) =>
    !one.checkVisibility({ visibilityProperty: true }) ||
    one.matches(":disabled, article [data-act], [role=grid] button") ||
    (dialog !== null && !dialog.contains(one));
  const missed = pressable().filter((one) => !isLeftOut(one) && !seen.has(one));
  const strayed = [...seen].filter((one) => dialog !== null && !dialog.contains(one));
  const wrong = [...dull, ...told("not reached", missed), ...told("outside the dialog", strayed)];
  return { stops: seen.size, wrong: round ? wrong : [...wrong, "it never came round"] };
})()`;

/**
 * Walks by Tab until it is round: from where the focus is, or in the dialog that is open. All that a mouse can press
 * has to be reached, and seen to have the focus; messages of a log are left to the arrows.
 */
export async function walk(page: Page): Promise<Walk> {
  const pressable = await page.evaluate<number>(BEGIN);
  // Twice as many would do; what is not round by then never is.
  for (let step = 0; step < 2 * pressable + 10; step += 1) {
    await page.keyboard.press("Tab");
    if (step % 8 === 7 && (await page.evaluate<boolean>("globalThis.walked.round"))) break;
  }
  return await page.evaluate<Walk>(END);
}

/** What of a browser's objects is used by functions that run in the page. */
interface InPage {
  readonly document: { readonly activeElement: unknown };
  readonly getComputedStyle: (one: unknown) => { readonly outlineStyle: string };
}

export const hasFocus = async (locator: Locator): Promise<boolean> =>
  await locator.evaluate((one) => one === (globalThis as unknown as InPage).document.activeElement);

/** `none`: whoever looks at it does not see that it has the focus. */
export const outlineOf = async (locator: Locator): Promise<string> =>
  await locator.evaluate((one) => (globalThis as unknown as InPage).getComputedStyle(one).outlineStyle);
