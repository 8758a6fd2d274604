import { computed, signal } from "@preact/signals";
import { type SlotRef, SPECIAL, type Tag } from "./format.ts";

/** Reads what `encodeProps` wrote; `slot` makes the value for server-rendered content. */
export function decodeProps(
  text: string,
  slot: (ref: SlotRef) => unknown = (ref) => ref,
): unknown {
  return new Decoder(JSON.parse(text), slot).value(0);
}

const SPECIAL_VALUES = new Map<number, unknown>([
  [SPECIAL.undefined, undefined],
  [SPECIAL.null, null],
  [SPECIAL.NaN, NaN],
  [SPECIAL.Infinity, Infinity],
  [SPECIAL["-Infinity"], -Infinity],
  [SPECIAL["-0"], -0],
]);

class Decoder {
  readonly #nodes: unknown[];
  readonly #values = new Map<number, unknown>();
  readonly #slot: (ref: SlotRef) => unknown;

  constructor(nodes: unknown[], slot: (ref: SlotRef) => unknown) {
    this.#nodes = nodes;
    this.#slot = slot;
  }

  value(reference: number): unknown {
    if (reference < 0) return SPECIAL_VALUES.get(reference);
    if (this.#values.has(reference)) return this.#values.get(reference);
    const node = this.#nodes[reference];
    if (Array.isArray(node)) {
      return this.#tagged(reference, node as [Tag, ...unknown[]]);
    }
    return this.#keep(reference, node);
  }

  #keep<T>(reference: number, value: T): T {
    this.#values.set(reference, value);
    return value;
  }

  /** Containers are kept before they are filled: their contents may refer back to them. */
  #tagged(reference: number, [tag, ...rest]: [Tag, ...unknown[]]): unknown {
    const references = rest as number[];
    const [first, second] = rest;
    switch (tag) {
      case "array":
        return this.#fillArray(
          this.#keep(reference, new Array(rest.length)),
          references,
        );
      case "object":
        return this.#fillObject(this.#keep(reference, {}), rest);
      case "set": {
        const set = this.#keep(reference, new Set());
        for (const each of references) set.add(this.value(each));
        return set;
      }
      case "map": {
        const map = this.#keep(reference, new Map());
        for (let i = 0; i < rest.length; i += 2) {
          map.set(
            this.value(rest[i] as number),
            this.value(rest[i + 1] as number),
          );
        }
        return map;
      }
      case "signal": {
        const made = this.#keep(reference, signal<unknown>(undefined));
        made.value = this.value(first as number);
        return made;
      }
      case "computed":
        return this.#keep(
          reference,
          computed(() => this.value(first as number)),
        );
      case "date":
        return this.#keep(reference, new Date(first as number ?? NaN));
      case "bigint":
        return this.#keep(reference, BigInt(first as string));
      case "url":
        return this.#keep(reference, new URL(first as string));
      case "regexp":
        return this.#keep(
          reference,
          new RegExp(first as string, second as string),
        );
      case "bytes":
        return this.#keep(reference, Uint8Array.from(references));
      case "slot":
        return this.#keep(
          reference,
          this.#slot({ id: first as number, name: second as string }),
        );
    }
  }

  #fillArray(array: unknown[], references: number[]): unknown[] {
    references.forEach((each, i) => {
      if (each !== SPECIAL.hole) array[i] = this.value(each);
    });
    return array;
  }

  #fillObject(object: object, entries: unknown[]): object {
    for (let i = 0; i < entries.length; i += 2) {
      // Defined, not assigned: assigning to "__proto__" would change the prototype.
      Object.defineProperty(object, entries[i] as string, {
        value: this.value(entries[i + 1] as number),
        configurable: true,
        enumerable: true,
        writable: true,
      });
    }
    return object;
  }
}
