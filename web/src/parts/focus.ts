import type { RefObject } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";

/** What goes with the focus in it leaves it to what it stood in: else it is nowhere. */
export function useFocusLeft<Box extends HTMLElement>(): RefObject<Box | null> {
  const box = useRef<Box>(null);
  useLayoutEffect(() => () => leaveFocus(box.current), []);
  return box;
}

/** Moves the focus to the first field that is wrong, once it is marked so. */
export function focusInvalid(within: Element | null): void {
  requestAnimationFrame(() => {
    const field = within?.querySelector<HTMLElement>('[aria-invalid="true"]');
    const closed = field?.closest("details");
    if (closed !== null && closed !== undefined) closed.open = true;
    field?.focus();
  });
}

function leaveFocus(box: HTMLElement | null): void {
  if (box === null || !box.contains(document.activeElement)) return;
  const around = box.parentElement?.closest<HTMLElement>("section, form, main");
  if (around === null || around === undefined) return;
  if (!around.hasAttribute("tabindex")) around.tabIndex = -1;
  around.focus({ preventScroll: true });
}
