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

/** A line of the page's console; `pageerror` is an exception that nobody caught. */
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
  /** Anything else Playwright's contexts take, for example `hasTouch` or `extraHTTPHeaders`. */
  context?: BrowserContextOptions;
}

/** Nothing leaves the machine: no updates, no field trials, and no name resolves but localhost. */
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
/** Generous, because it only bounds how long a broken test hangs. */
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
 * Opens a page in a profile of its own: no cookie or storage is shared with another page.
 *
 * @param use gets the page and the live list of what its console said
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
    return await use(page, recordConsole(page));
  } finally {
    await context.close();
  }
}

/** Opens one of the service's own pages; resolves once its scripts are at work. */
export async function visit(page: Page, path: string): Promise<void> {
  await page.goto(path);
  await alive(page);
}

/**
 * Resolves once the scripts of the page that is shown are at work: until then a press on what the
 * server has drawn is lost, or leads where it does without scripts.
 *
 * Islands are drawn by timers that are set before the page has loaded, and their effects run by a
 * timer after the next frame: timers and frames that are asked for later come later. An effect may
 * draw anew, and so have effects of its own.
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
