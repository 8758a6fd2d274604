import { parseEgressAllowEntry } from "../../egress/egress_allowlist.ts";

/** What became of one variable's text: its value, or why it has none. Never quotes the text. */
export type Parsed<T> = { value: T } | { problem: string };

/** Reads one variable's text; it is trimmed and not empty. */
export type Parse<T> = (text: string) => Parsed<T>;

export const text: Parse<string> = (value) => ({ value });

export function integer(min: number, max: number): Parse<number> {
  return (text) => {
    const value = /^\d{1,15}$/.test(text) ? Number(text) : NaN;
    if (value >= min && value <= max) return { value };
    return { problem: `must be a whole number from ${min} to ${max}` };
  };
}

export function choice<T extends string>(...values: readonly T[]): Parse<T> {
  return (text) => {
    const value = values.find((one) => one === text.toLowerCase());
    return value === undefined ? { problem: `must be one of ${values.join(", ")}` } : { value };
  };
}

/** `on` or `off`, as a boolean. */
export const onOff: Parse<boolean> = (text) => {
  const parsed = choice("on", "off")(text);
  return "value" in parsed ? { value: parsed.value === "on" } : parsed;
};

/** An http(s) URL without a trailing slash, and without a path when only an origin will do. */
export function httpUrl(options: { originOnly?: boolean } = {}): Parse<string> {
  return (text) => {
    const url = URL.parse(text);
    if (url === null || !/^https?:$/.test(url.protocol)) {
      return { problem: "must be a full http:// or https:// address" };
    }
    if (url.username !== "" || url.password !== "") return { problem: "must not hold credentials" };
    if (url.search !== "" || url.hash !== "") return { problem: "must not have a query or hash" };
    const path = url.pathname.replace(/\/+$/, "");
    if (options.originOnly && path !== "") return { problem: "must not have a path" };
    return { value: url.origin + path };
  };
}

/** A comma list whose every entry `each` accepts; blanks around entries do not count. */
export function list(each: Parse<string>): Parse<string[]> {
  return (text) => {
    const value: string[] = [];
    for (const entry of text.split(",").map((part) => part.trim())) {
      const parsed = entry === "" ? { problem: "has an empty entry" } : each(entry);
      if ("problem" in parsed) return parsed;
      value.push(parsed.value);
    }
    return { value };
  };
}

export function secretText(minLength: number): Parse<string> {
  return (value) =>
    value.length >= minLength ? { value } : { problem: `needs at least ${minLength} characters` };
}

/** The base64 (or base64url) of exactly `bytes` bytes. */
export function base64Key(bytes: number): Parse<string> {
  return (text) => {
    const plain = text.replaceAll("-", "+").replaceAll("_", "/");
    try {
      if (Uint8Array.fromBase64(plain).length === bytes) return { value: plain };
    } catch { /* not base64: the same problem */ }
    return { problem: `must be the base64 of exactly ${bytes} random bytes` };
  };
}

/** `host`, `host:port`, `[v6]:port` or a network such as `10.0.0.0/8`, or one of them after `<tenant id>=`. */
export const egressTarget: Parse<string> = (text) =>
  parseEgressAllowEntry(text) === undefined
    ? {
      problem: "entries must be host, host:port or a network such as 10.0.0.0/8, alone or after " +
        "<tenant id>=",
    }
    : { value: text.toLowerCase() };
