/** A message of the log that is shown. */
export const articleOf = (id: string): HTMLElement | null =>
  document.querySelector(`article[data-id="${CSS.escape(id)}"]`);

/** A message that goes with the focus in it leaves the focus to its neighbour: else it would be nowhere. */
export function focusNextTo(article: HTMLElement | null): void {
  const log = article?.closest<HTMLElement>(".log");
  if (!article?.contains(document.activeElement) || log === null || log === undefined) return;
  const all = [...log.querySelectorAll("article")];
  const at = all.indexOf(article);
  (all[at + 1] ?? all[at - 1] ?? log).focus({ preventScroll: true });
}
