/** The first match names it: most browsers also name those that they descend from. */
const BROWSERS: readonly [string, RegExp][] = [
  ["Edge", /\bEdg(e|A|iOS)?\//],
  ["Opera", /\bOPR\//],
  ["Samsung Internet", /\bSamsungBrowser\//],
  ["Firefox", /\b(Firefox|FxiOS)\//],
  ["Chrome", /\b(Chrome|CriOS|HeadlessChrome)\//],
  ["Safari", /\bSafari\//],
];
const SYSTEMS: readonly [string, RegExp][] = [
  ["iPhone", /\biPhone\b/],
  ["iPad", /\biPad\b/],
  ["Android", /\bAndroid\b/],
  ["ChromeOS", /\bCrOS\b/],
  ["Windows", /\bWindows\b/],
  ["macOS", /\bMac OS X\b/],
  ["Linux", /\bLinux\b/],
];
const MAX_READ = 512;

/**
 * A browser and its system in known names, such as "Firefox, Windows". Nothing else of the header is kept;
 * empty if neither is known.
 */
export function describeDevice(userAgent: string | null): string {
  const text = (userAgent ?? "").slice(0, MAX_READ);
  const nameIn = (list: typeof BROWSERS) => list.find(([, pattern]) => pattern.test(text))?.[0];
  return [nameIn(BROWSERS), nameIn(SYSTEMS)].filter((name) => name !== undefined).join(", ");
}
