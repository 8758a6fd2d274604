import { LineWriter } from "./line_writer.ts";

export const LOG_LEVELS = ["debug", "info", "warn", "error"] as const;
export type LogLevel = typeof LOG_LEVELS[number];

/** Details of one log line; never whole requests or records. */
export type LogFields = Readonly<Record<string, unknown>>;

/** Writes lines of at least its level and redacts every string in them. Never throws. */
export interface Logger {
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
}

export interface LoggerOptions {
  level?: LogLevel;
  /**
   * Writes one line, which ends in a line feed. `formatDropped` formats a line that reports dropped
   * lines. Standard error by default.
   */
  write?: (line: string, formatDropped: (dropped: number) => string, level: LogLevel) => void;
  /** JSON lines or text; by default text on a terminal, otherwise JSON. */
  json?: boolean;
  /** Milliseconds since the epoch. */
  now?: () => number;
}

const LEVEL_RANK: Readonly<Record<LogLevel, number>> = { debug: 0, info: 1, warn: 2, error: 3 };

/** Fields nested deeper are cut. */
const MAX_FIELD_DEPTH = 4;

/** Shared by all loggers of the process, so that their lines do not mix. */
const stderr = new LineWriter((bytes) => Deno.stderr.writeSync(bytes));
const writeToStderr = stderr.write.bind(stderr);

/**
 * Creates a logger. A line is `{ time, level, message, ...fields }`, or in text
 * `time LEVEL message field=value`. An `Error` among the fields becomes its name, message and, at
 * level `debug`, its stack.
 */
export function createLogger(options: LoggerOptions = {}): Logger {
  const { level = "info", write = writeToStderr, now = Date.now } = options;
  const json = options.json ?? !Deno.stderr.isTerminal();
  const withStack = level === "debug";

  const format = (lineLevel: LogLevel, message: string, fields: LogFields) => {
    const time = new Date(now()).toISOString();
    const safe = toLoggableFields(fields, { withStack, depth: 0 });
    const line = { time, level: lineLevel, message: redact(message) };
    // Repeated at the end, so that a field cannot replace them.
    return (json ? JSON.stringify({ ...line, ...safe, ...line }) : formatText(line, safe)) + "\n";
  };
  const formatDropped = (lost: number) =>
    format("warn", "log lines could not be written", { lost });
  const log = (lineLevel: LogLevel, message: string, fields: LogFields = {}) => {
    if (LEVEL_RANK[lineLevel] < LEVEL_RANK[level]) return;
    write(format(lineLevel, message, fields), formatDropped, lineLevel);
  };
  return {
    debug: (message, fields) => log("debug", message, fields),
    info: (message, fields) => log("info", message, fields),
    warn: (message, fields) => log("warn", message, fields),
    error: (message, fields) => log("error", message, fields),
  };
}

const SECRET_PATTERNS: readonly [RegExp, string][] = [
  // The prefix of a key is public and identifies it.
  [/ck_live_([0-9A-Za-z]{8})_[0-9A-Za-z]+/g, "ck_live_$1_[secret]"],
  [/ck_live_(?![0-9A-Za-z]{8}_\[secret\])[0-9A-Za-z_]+/g, "ck_live_[secret]"],
  [/\bcs_[0-9A-Za-z_-]{8,}/g, "cs_[secret]"],
  [/\b(Bearer|Basic)\s+[^\s"',;]+/gi, "$1 [secret]"],
];

/** `text` without anything that looks like an API key, session token or bearer credential. */
export function redact(text: string): string {
  return SECRET_PATTERNS.reduce((rest, [pattern, instead]) => rest.replace(pattern, instead), text);
}

/** A field may be any thrown value, even one with getters that throw. */
function toLoggableFields(
  fields: LogFields,
  options: { withStack: boolean; depth: number },
): Record<string, unknown> {
  try {
    return toLoggable(fields, options) as Record<string, unknown>;
  } catch {
    return { fields: "[unreadable]" };
  }
}

/** A copy that JSON can hold, with every string redacted, including keys. */
function toLoggable(value: unknown, options: { withStack: boolean; depth: number }): unknown {
  if (typeof value === "string") return redact(value);
  if (typeof value === "bigint") return value.toString();
  if (typeof value === "function" || typeof value === "symbol") return `[${typeof value}]`;
  if (value === null || typeof value !== "object") return value;
  if (value instanceof Date || value instanceof URL) return redact(String(value.toJSON()));
  if (options.depth > MAX_FIELD_DEPTH) return "[deep]";
  const inner = { ...options, depth: options.depth + 1 };
  if (value instanceof Error) return toLoggableError(value, inner);
  if (Array.isArray(value)) return value.map((item) => toLoggable(item, inner));
  const entries = Object.entries(value).map((
    [key, item],
  ) => [redact(key), toLoggable(item, inner)]);
  return Object.fromEntries(entries);
}

function toLoggableError(error: Error, options: { withStack: boolean; depth: number }): unknown {
  return {
    name: error.name,
    message: redact(error.message),
    ...(error.cause === undefined ? {} : { cause: toLoggable(error.cause, options) }),
    ...(options.withStack ? { stack: redact(error.stack ?? "") } : {}),
  };
}

function formatText(
  line: { time: string; level: LogLevel; message: string },
  fields: Record<string, unknown>,
): string {
  const details = Object.entries(fields)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => `${formatValue(key)}=${formatValue(value)}`);
  return [line.time, line.level.toUpperCase().padEnd(5), escapeControls(line.message), ...details]
    .join(" ");
}

function formatValue(value: unknown): string {
  const bare = typeof value === "string" && /^[^\s"=\p{Cc}]+$/u.test(value);
  return bare ? value : escapeControls(JSON.stringify(value));
}

/** Prevents fields from forging lines or controlling a terminal. */
function escapeControls(text: string): string {
  return text.replace(/\p{Cc}/gu, (char) => JSON.stringify(char).slice(1, -1).replace("\x7f", " "));
}
