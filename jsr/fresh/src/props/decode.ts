import { type Signal, signal } from "@preact/signals";

/** Reads what `encodeProps` wrote; `slot` makes the value for server-rendered content. */
export function decodeProps(text: string, slot: (id: number) => unknown): unknown {
  const signals = new Map<number, Signal>();

  function decode(value: unknown): unknown {
    if (typeof value !== "object" || value === null) return value;
    if (Array.isArray(value)) return decodeTagged(value);
    // Defines each key: assigning to "__proto__" would change the prototype.
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, decode(item)]));
  }

  function decodeTagged([tag, ...rest]: unknown[]): unknown {
    const [first, value] = rest;
    switch (tag) {
      case "list":
        return rest.map(decode);
      case "date":
        return new Date(first as number ?? NaN);
      case "slot":
        return slot(first as number);
      case "signal":
        return decodeSignal(first as number, value);
    }
  }

  /** Made before its value is decoded: the value may hold the signal itself. */
  function decodeSignal(id: number, value: unknown): Signal {
    const known = signals.get(id);
    if (known !== undefined) return known;
    const made = signal<unknown>(undefined);
    signals.set(id, made);
    made.value = decode(value);
    return made;
  }

  return decode(JSON.parse(text));
}
