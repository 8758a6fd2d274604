/**
 * One real Chromium for tests.
 *
 * The browser is a process that lives exactly as long as the callback, so tests need no sanitizer
 * switched off: declare them with a plain `Deno.test(name, fn)`.
 *
 * @module
 */
import {
  type Browser,
  type BrowserContextOptions,
  chromium as launcher,
  type ConsoleMessage,
  type Page,
} from "playwright-core";
import { type Chromium, findChromium } from "./chromium.ts";

/** A line of the page's console; `pageerror` is an uncaught exception. */
export interface ConsoleLine {
  type: ReturnType<ConsoleMessage["type"]> | "pageerror";
  text: string;
}

export interface PageOptions {
  /** A browser to open the page in; by default one is started for this page alone. */
  browser?: Browser;
  /** CSS pixels. Default: 1280. */
  width?: number;
  /** CSS pixels. Default: 800. */
  height?: number;
  /** Default: light. */
  colorScheme?: "light" | "dark";
  /** What `page.goto("/path")` is relative to. */
  baseUrl?: string;
  /** Other options of Playwright's contexts, for example `hasTouch` or `extraHTTPHeaders`. */
  context?: BrowserContextOptions;
}

/** No traffic leaves the machine: no updates, no field trials, and only localhost resolves. */
const ARGS = [
  "--no-sandbox",
  "--no-first-run",
  "--no-default-browser-check",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-default-apps",
  "--disable-domain-reliability",
  "--disable-dev-shm-usage",
  "--disable-gpu",
  "--disable-quic",
  "--disable-sync",
  "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE localhost, EXCLUDE *.localhost, EXCLUDE 127.0.0.1",
];

const START_TIMEOUT_MS = 30_000;
/** Generous: it only limits how long a broken test hangs. */
const ACTION_TIMEOUT_MS = 15_000;

/** Starts Chromium with a fresh profile, runs `use`, and ends the process however `use` ends. */
export async function withBrowser<T>(use: (browser: Browser) => Promise<T>): Promise<T> {
  const browser = await startBrowser(await findChromium());
  try {
    return await use(browser);
  } finally {
    await browser.close();
  }
}

/**
 * Opens a page in its own profile: it shares no cookies or storage with other pages.
 *
 * @param use receives the page and the live list of its console output
 */
export async function withPage<T>(
  options: PageOptions,
  use: (page: Page, console: ConsoleLine[]) => Promise<T>,
): Promise<T> {
  const { browser } = options;
  if (!browser) {
    return await withBrowser((started) => withPage({ ...options, browser: started }, use));
  }
  const context = await browser.newContext(contextOptions(options));
  try {
    context.setDefaultTimeout(ACTION_TIMEOUT_MS);
    const page = await context.newPage();
    try {
      return await use(page, recordConsole(page));
    } finally {
      // A request that is being answered when the test ends is no error.
      await page.unrouteAll({ behavior: "ignoreErrors" });
    }
  } finally {
    await context.close();
  }
}

/** Opens a page of the service and waits until its scripts run. */
export async function visit(page: Page, path: string): Promise<void> {
  await page.goto(path);
  await alive(page);
}

/**
 * Waits until the scripts of the current page run: before that, clicks on server-rendered elements
 * are lost or act as without scripts.
 *
 * Islands render in timers that are set before the page has loaded, and their effects run in a timer
 * after the next frame, so timers and frames requested later run later. An effect may render again
 * and have further effects.
 */
export async function alive(page: Page): Promise<void> {
  await page.waitForLoadState();
  await page.evaluate(async () => {
    const timer = () => new Promise((rings) => setTimeout(rings));
    const frame = () => new Promise((drawn) => requestAnimationFrame(drawn));
    await timer();
    for (let round = 0; round < 2; round++) {
      await frame();
      await timer();
    }
  });
}

/** Starts one given Chromium; the caller closes it. */
export async function startBrowser({ executablePath, env }: Chromium): Promise<Browser> {
  try {
    return await launcher.launch({
      executablePath,
      args: ARGS,
      env: { ...Deno.env.toObject(), ...env },
      timeout: START_TIMEOUT_MS,
    });
  } catch (cause) {
    throw new Error(
      `Chromium at ${executablePath} did not start; set CHROME to the path of one that does.`,
      { cause },
    );
  }
}

function contextOptions(options: PageOptions): BrowserContextOptions {
  const { width = 1280, height = 800, colorScheme = "light", baseUrl, context } = options;
  return {
    viewport: { width, height },
    colorScheme,
    ...(baseUrl === undefined ? {} : { baseURL: baseUrl }),
    ...context,
  };
}

function recordConsole(page: Page): ConsoleLine[] {
  const lines: ConsoleLine[] = [];
  page.on("console", (message) => lines.push({ type: message.type(), text: message.text() }));
  page.on("pageerror", (error) => lines.push({ type: "pageerror", text: error.message }));
  return lines;
}
