import type { LogLevel } from "./log.ts";

/** Writes one line, with its line feed, at a level. */
export type WriteLine = (line: string, formatDropped: unknown, level: LogLevel) => void;

/**
 * True if the host collects the log from `console`: Deno Deploy always does, other hosts if Deno's
 * OpenTelemetry is on. Neither sees what is written to standard error directly.
 */
export function isConsoleCollected(env: Readonly<Record<string, string | undefined>>): boolean {
  return (env.DENO_DEPLOY ?? "").trim() !== "" || isOtelOn(env);
}

/** True if Deno's OpenTelemetry is on. */
export function isOtelOn(
  { OTEL_DENO = "" }: Readonly<Record<string, string | undefined>>,
): boolean {
  return /^(1|true)$/i.test(OTEL_DENO.trim());
}

/** Writes a line with the method of `console` for its level, which OpenTelemetry maps to a severity. */
export const writeToConsole: WriteLine = (line, _, level) => {
  try {
    console[level](line.endsWith("\n") ? line.slice(0, -1) : line);
  } catch {
    // Standard error may be closed. Logging must not end the process.
  }
};
