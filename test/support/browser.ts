import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect, onTestFinished } from "vitest";
import { pathOf } from "../servers/installed.ts";

/** As that of `wait.ts`: the machine may be busy. */
const PATIENCE_MS = 20_000;
const START_MS = 60_000;
/** No sandbox, as tests may run as root; and what containers have of shared memory is small. */
const ARGUMENTS = ["--no-sandbox", "--disable-dev-shm-usage"];
const ALLOWED = /^(?:data|blob|about):/u;

export interface VisitOptions {
  /** The page stays open for the cases of the file that follow, and is looked at after each of them. */
  readonly shared?: boolean;
  readonly width?: number;
  readonly height?: number;
  readonly dark?: boolean;
  /** A phone: 390 by 844, with fingers in place of a mouse. */
  readonly phone?: boolean;
  /** With whom it shares its cookies: another page of the same person. */
  readonly beside?: Visit;
  /** The page is not held to its policy and brings axe-core: for `flawsOf` alone. */
  readonly axe?: boolean;
}

/** A page that somebody has open. A test ends badly when anything was wrong on it that it had not announced. */
export interface Visit {
  readonly page: Page;
  readonly context: BrowserContext;
  /** What was wrong so far: errors and warnings, refused by the page's policy, dialogs, requests to anywhere else. */
  readonly faults: readonly string[];
  /** Such a fault is none: a refused request is an error to the browser, whatever the page makes of it. */
  readonly expects: (fault: RegExp) => void;
  readonly close: () => Promise<void>;
}

/** The browser of a test file: one for all its cases, started before the first of them. */
export interface TestBrowser {
  /** Somebody opens an address, with cookies and storage of their own. Ends with the test unless it is shared. */
  readonly open: (url: string, options?: VisitOptions) => Promise<Visit>;
}

/** To be called in the body of `needs(["chromium"], …)`, once. */
export function useBrowser(): TestBrowser {
  let browser: Browser | null = null;
  const shared = new Set<Visit>();
  beforeAll(async () => {
    browser = await chromium.launch({ executablePath: pathOf("chromium"), args: ARGUMENTS, timeout: START_MS });
  });
  afterEach(() => {
    for (const { faults } of shared) expect(faults).toEqual([]);
  });
  afterAll(async () => await browser?.close());
  return {
    open: async (url, options = {}) => {
      if (browser === null) throw new Error("the browser is there from the hooks of this file on");
      const visit = await enter(browser, url, options);
      if (options.shared === true) shared.add(visit);
      else {
        onTestFinished(async () => {
          await visit.close();
          expect(visit.faults).toEqual([]);
        });
      }
      await visit.page.goto(url);
      return visit;
    },
  };
}

async function enter(browser: Browser, url: string, options: VisitOptions): Promise<Visit> {
  const context = options.beside?.context ?? (await contextFor(browser, options));
  const page = await context.newPage();
  const expected: RegExp[] = [];
  const found: string[] = [];
  const fault = (what: string): void => void found.push(what);
  page.setDefaultTimeout(PATIENCE_MS);
  page.on("console", (message) => {
    const type = message.type();
    if (type === "error" || type === "warning") fault(`${type}: ${message.text()} (${message.location().url})`);
  });
  page.on("pageerror", (error) => fault(`uncaught: ${error.stack ?? String(error)}`));
  page.on("crash", () => fault("the page crashed"));
  page.on("dialog", (dialog) => {
    fault(`dialog: ${dialog.type()} ${dialog.message()}`);
    void dialog.dismiss().catch(() => undefined); // it went with its page
  });
  const { origin } = new URL(url);
  page.on("request", (request) => {
    const address = request.url();
    if (!ALLOWED.test(address) && new URL(address).origin !== origin) fault(`asks elsewhere: ${address}`);
  });
  return {
    page,
    context,
    get faults() {
      return found.filter((what) => !expected.some((pattern) => pattern.test(what)));
    },
    expects: (pattern) => void expected.push(pattern),
    close: async () => await (options.beside === undefined ? context.close() : page.close()),
  };
}

async function contextFor(browser: Browser, options: VisitOptions): Promise<BrowserContext> {
  const { phone = false, dark = false, axe = false } = options;
  const { width = phone ? 390 : 1200, height = phone ? 844 : 800 } = options;
  const context = await browser.newContext({
    viewport: { width, height },
    hasTouch: phone,
    isMobile: phone,
    colorScheme: dark ? "dark" : "light",
    // Nothing moves, so that a picture is the same each time.
    reducedMotion: "reduce",
    locale: "en-GB",
    timezoneId: "UTC",
    bypassCSP: axe,
  });
  // The browser tells most of these on its console, and not all.
  await context.addInitScript({
    content: `document.addEventListener("securitypolicyviolation", (event) => console.error(
      ["policy:", event.violatedDirective, event.blockedURI, event.sourceFile, event.sample,
        event.composedPath()[0].outerHTML?.slice(0, 200)].join(" ")))`,
  });
  if (axe) {
    const file = createRequire(import.meta.url).resolve("axe-core/axe.min.js");
    await context.addInitScript({ content: readFileSync(file, "utf8") });
  }
  return context;
}

interface AxeReport {
  readonly violations: readonly {
    readonly id: string;
    readonly help: string;
    readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[];
  }[];
}

// In the page, which `axe` brought it.
declare const axe: { readonly run: () => Promise<AxeReport> };

/** What keeps people out: findings of axe-core on a page opened with `axe`, each as one line. */
export async function flawsOf({ page }: Visit): Promise<readonly string[]> {
  const { violations } = await page.evaluate(async () => await axe.run());
  return violations.flatMap(({ id, help, nodes }) =>
    nodes.map(({ html, failureSummary = "" }) => `${id}: ${help}: ${html} ${failureSummary.replaceAll(/\s+/gu, " ")}`),
  );
}
