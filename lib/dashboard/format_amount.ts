import { perLanguage, t } from "./texts/translate.ts";

const USD = { style: "currency", currency: "USD" } as const;
const counts = perLanguage((language) => new Intl.NumberFormat(language));
const compact = perLanguage((language) =>
  new Intl.NumberFormat(language, { notation: "compact", maximumFractionDigits: 1 })
);
const cents = perLanguage((language) => new Intl.NumberFormat(language, USD));
const smallAmounts = perLanguage((language) =>
  new Intl.NumberFormat(language, { ...USD, minimumFractionDigits: 4 })
);
const tenths = perLanguage((language) =>
  new Intl.NumberFormat(language, { minimumFractionDigits: 1, maximumFractionDigits: 1 })
);
const percents = perLanguage((language) => new Intl.NumberFormat(language, { style: "percent" }));
/** The smallest amount that four digits can show. */
const MIN_SHOWN_USD = 0.0001;

/** `1,234`. */
export function formatCount(n: number): string {
  return counts().format(n);
}

/** Whole percent as `87%`. */
export function formatPercent(percent: number): string {
  return percents().format(percent / 100);
}

/** `1.2K`, for narrow spaces. */
export function formatCompact(n: number): string {
  return compact().format(n);
}

/** Micro-USD as `$1.23`, below a dime as `$0.0123`, or `< $0.0001`. */
export function formatMicroUsd(microUsd: number): string {
  return formatUsd(microUsd / 1_000_000);
}

export function formatUsd(usd: number): string {
  if (usd === 0 || usd >= 0.1) return cents().format(usd);
  if (usd < MIN_SHOWN_USD) return `< ${smallAmounts().format(MIN_SHOWN_USD)}`;
  return smallAmounts().format(usd);
}

/** Formats micro-USD for an axis with this step, with enough digits to distinguish its lines. */
export function microUsdAxisFormat(step: number): (microUsd: number) => string {
  const digits = Math.max(2, -Math.floor(Math.log10(step / 1_000_000)));
  const format = perLanguage((language) =>
    new Intl.NumberFormat(language, { ...USD, minimumFractionDigits: digits })
  );
  const zero = perLanguage((language) =>
    new Intl.NumberFormat(language, { ...USD, maximumFractionDigits: 0 })
  );
  return (microUsd) => (microUsd === 0 ? zero() : format()).format(microUsd / 1_000_000);
}

/** `340 ms`, `2.4 s`. */
export function formatMs(ms: number): string {
  return ms < 1_000 ? `${Math.round(ms)} ms` : `${tenths().format(ms / 1_000)} s`;
}

/** `1 run`, `2 runs`: both texts have the placeholder `{count}`. */
export function plural(n: number, one: string, many: string): string {
  return t(n === 1 ? one : many, { count: formatCount(n) });
}

/** `512 B`, `12 KiB`, `3.4 MiB`, `1.2 GiB`. */
export function formatBytes(bytes: number): string {
  if (bytes < 1_024) return `${bytes} B`;
  if (bytes < 1_023_500) return `${Math.round(bytes / 1_024)} KiB`;
  if (bytes < 1_072_693_248) return `${tenths().format(bytes / 1_048_576)} MiB`;
  return `${tenths().format(bytes / 1_073_741_824)} GiB`;
}
