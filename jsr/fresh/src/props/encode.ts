import { Signal } from "@preact/signals";
import { type SlotRef, SPECIAL, type Tag } from "./format.ts";

/** Tells whether a value stands for server-rendered content. */
export type SlotOf = (value: object) => SlotRef | null;

/**
 * Encodes island props as described in `format.ts`. Throws TypeError for what cannot reach a browser:
 * functions, symbols, promises, streams, class instances.
 */
export function encodeProps(
  value: unknown,
  slotOf: SlotOf = () => null,
): string {
  const encoder = new Encoder(slotOf);
  encoder.reference(value, "props");
  return encoder.toString();
}

/** `encodeProps` output, or any string, as a JavaScript literal that is safe inside `<script>`. */
export function scriptLiteral(text: string): string {
  return JSON.stringify(text)
    .replaceAll("<", "\\u003c")
    .replaceAll("\u2028", "\\u2028")
    .replaceAll("\u2029", "\\u2029");
}

class Encoder {
  readonly #nodes: string[] = [];
  readonly #seen = new Map<unknown, number>();
  readonly #slotOf: SlotOf;

  constructor(slotOf: SlotOf) {
    this.#slotOf = slotOf;
  }

  toString(): string {
    return `[${this.#nodes.join(",")}]`;
  }

  reference(value: unknown, path: string): number {
    const special = specialOf(value);
    if (special !== null) return special;
    const known = this.#seen.get(value);
    if (known !== undefined) return known;
    // The place is taken before the contents are encoded: they may refer back to it.
    const index = this.#nodes.push("") - 1;
    this.#seen.set(value, index);
    this.#nodes[index] = JSON.stringify(this.#node(value, path));
    return index;
  }

  #node(value: unknown, path: string): unknown {
    switch (typeof value) {
      case "string":
      case "number":
      case "boolean":
        return value;
      case "bigint":
        return ["bigint", String(value)];
      case "object":
        return this.#object(value as object, path);
      default:
        throw new TypeError(
          `Island ${path} is a ${typeof value}, which cannot be serialized`,
        );
    }
  }

  #object(value: object, path: string): [Tag, ...unknown[]] {
    const slot = this.#slotOf(value);
    if (slot !== null) return ["slot", slot.id, slot.name];
    if (value instanceof Signal) {
      // A computed is a signal too, of a derived class.
      const tag = Object.getPrototypeOf(value) === Signal.prototype ? "signal" : "computed";
      return [tag, this.reference(value.peek(), `${path}.value`)];
    }
    if (Array.isArray(value)) return ["array", ...this.#items(value, path)];
    if (value instanceof Date) {
      return ["date", Number.isNaN(value.getTime()) ? null : value.getTime()];
    }
    if (value instanceof URL) return ["url", value.href];
    if (value instanceof RegExp) return ["regexp", value.source, value.flags];
    if (value instanceof Uint8Array) return ["bytes", ...value];
    if (value instanceof Set) return ["set", ...this.#items([...value], path)];
    if (value instanceof Map) {
      return ["map", ...this.#items([...value].flat(), path)];
    }
    const prototype = Object.getPrototypeOf(value);
    if (prototype === Object.prototype || prototype === null) {
      return [
        "object",
        ...this.#entries(value as Record<string, unknown>, path),
      ];
    }
    const name = prototype.constructor?.name ?? "class instance";
    throw new TypeError(
      `Island ${path} is a ${name}, which cannot be serialized`,
    );
  }

  #items(items: unknown[], path: string): number[] {
    return Array.from(
      items,
      (item, i) => i in items ? this.reference(item, `${path}[${i}]`) : SPECIAL.hole,
    );
  }

  #entries(value: Record<string, unknown>, path: string): unknown[] {
    return Object.keys(value).flatMap((
      key,
    ) => [key, this.reference(value[key], `${path}.${key}`)]);
  }
}

function specialOf(value: unknown): number | null {
  if (value === undefined) return SPECIAL.undefined;
  if (value === null) return SPECIAL.null;
  if (typeof value !== "number") return null;
  if (Number.isNaN(value)) return SPECIAL.NaN;
  if (value === Infinity) return SPECIAL.Infinity;
  if (value === -Infinity) return SPECIAL["-Infinity"];
  return Object.is(value, -0) ? SPECIAL["-0"] : null;
}
