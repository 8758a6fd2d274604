import type { LogLevel } from "./log.ts";

/** Writes one line with its line feed at its level. */
export type WriteLine = (line: string, tellLost: unknown, level: LogLevel) => void;

/**
 * Whether this process's log is collected from its `console`: Deno Deploy does so always, other hosts
 * where Deno's OpenTelemetry is on. What is written to standard error directly reaches neither.
 */
export function isConsoleCollected(env: Readonly<Record<string, string | undefined>>): boolean {
  const { DENO_DEPLOY = "", OTEL_DENO = "" } = env;
  return DENO_DEPLOY.trim() !== "" || /^(1|true)$/i.test(OTEL_DENO.trim());
}

/** Deno gives each method of `console` a severity of its own in OpenTelemetry. */
const CONSOLE_METHODS = {
  debug: (line: string) => console.debug(line),
  info: (line: string) => console.info(line),
  warn: (line: string) => console.warn(line),
  error: (line: string) => console.error(line),
} satisfies Record<LogLevel, (line: string) => void>;

/** Writes a line by the method of `console` that its level names; never throws. */
export const writeToConsole: WriteLine = (line, _, level) => {
  try {
    CONSOLE_METHODS[level](line.endsWith("\n") ? line.slice(0, -1) : line);
  } catch {
    // Standard error may be closed; the log must not end what it reports on.
  }
};
