import { isValidElement } from "preact";
import { Signal } from "@preact/signals";
import { notInThisBuild } from "../unsupported.ts";

/** The id of a slot; null for other values. */
export type SlotOf = (value: object) => number | null;

/**
 * Encodes island props as JSON in which every array begins with a tag: `["list", …items]`,
 * `["date", ms]`, `["signal", id, value]`, `["slot", id]`, or `["undefined"]`. A signal that comes
 * again has the same id. Throws for what is neither JSON nor one of these.
 */
export function encodeProps(value: unknown, slotOf: SlotOf = () => null): string {
  const signals = new Map<Signal, number>();

  function encode(value: unknown, path: string[]): unknown {
    if (value === undefined) return ["undefined"];
    if (value === null || ["string", "boolean"].includes(typeof value)) return value;
    if (typeof value === "number" && Number.isFinite(value)) return value;
    if (typeof value === "object") return encodeObject(value, path);
    return rejectProp(path, `${typeof value} ${String(value)}`);
  }

  function encodeObject(value: object, path: string[]): unknown {
    if (path.length > MAX_DEPTH) {
      return rejectProp(path.slice(0, 5), "structure too deep, or a cycle");
    }
    const slot = slotOf(value);
    if (slot !== null) return ["slot", slot];
    const inner = (key: string, item: unknown) => encode(item, [...path, key]);
    if (Array.isArray(value)) return ["list", ...Array.from(value, (v, i) => inner(`${i}`, v))];
    const prototype = Object.getPrototypeOf(value);
    if (prototype === Signal.prototype) {
      const signal = value as Signal;
      const id = signals.get(signal) ?? signals.size;
      const seen = signals.has(signal);
      signals.set(signal, id);
      return seen ? ["signal", id] : ["signal", id, inner("value", signal.peek())];
    }
    if (isValidElement(value)) return rejectProp(path, "JSX, which only children can be");
    if (value instanceof Date) return ["date", value.getTime()];
    if (prototype !== Object.prototype && prototype !== null) {
      return rejectProp(path, prototype.constructor?.name ?? "class instance");
    }
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, inner(key, item)]));
  }

  return JSON.stringify(encode(value, ["props"]));
}

/** Deeper than sensible props, and safe for the stack. */
const MAX_DEPTH = 100;

function rejectProp(path: string[], what: string): never {
  notInThisBuild(
    `An island prop that is neither JSON, Date nor signal (${path.join(".")}: ${what})`,
  );
}

/**
 * `encodeProps` output, or any string, as a JavaScript literal that is safe inside `<script>`. As in the
 * package, only what could end the script or hide its end is escaped: other tags stay as they are.
 */
export function scriptLiteral(text: string): string {
  return JSON.stringify(text)
    .replaceAll(/<\/(script|style)/gi, "<\\/$1")
    .replaceAll("<!--", "\\u003C!--")
    .replaceAll("\u2028", "\\u2028")
    .replaceAll("\u2029", "\\u2029");
}
