import type { ComponentType } from "preact";
import { NowPage } from "../now/NowPage.tsx";
import { shellTexts } from "./texts.ts";

/** A page of the dashboard; all but the first are loaded when somebody goes there. */
export interface PageEntry {
  /** In the address: `#/messages`. */
  readonly name: string;
  readonly title: string;
  readonly load: () => Promise<ComponentType>;
}

export const FIRST = "";

/** In the order of the navigation. */
export const PAGES: readonly PageEntry[] = [
  { name: FIRST, title: shellTexts.now, load: () => Promise.resolve(NowPage) },
  {
    name: "messages",
    title: shellTexts.messages,
    load: async () => (await import("../messages/MessagesPage.tsx")).MessagesPage,
  },
  {
    name: "configuration",
    title: shellTexts.configuration,
    load: async () => (await import("../config/ConfigPage.tsx")).ConfigPage,
  },
  {
    name: "connect",
    title: shellTexts.connect,
    load: async () => (await import("../connect/ConnectPage.tsx")).ConnectPage,
  },
  {
    name: "access",
    title: shellTexts.access,
    load: async () => (await import("../access/AccessPage.tsx")).AccessPage,
  },
];
