import type { StoreCalls } from "./store_calls.ts";
import type { WireListEntry } from "./store_messages.ts";
import { decodeWireEntry } from "./wire_value.ts";

const DEFAULT_PAGE = 100;
const MAX_DEFAULT_PAGE = 500;

/** A list that another process reads, in pages. Each entry has its own cursor, so it is always exact. */
export class SharedList<T> implements Deno.KvListIterator<T> {
  readonly #calls: StoreCalls;
  readonly #selector: Deno.KvListSelector;
  readonly #options: Deno.KvListOptions;
  readonly #pageSize: number;
  #cursor: string | undefined;
  #page: WireListEntry[] = [];
  #at = 0;
  #isLastPage = false;
  #count = 0;

  constructor(
    calls: StoreCalls,
    { selector, options = {} }: {
      selector: Deno.KvListSelector;
      options?: Deno.KvListOptions | undefined;
    },
  ) {
    const { limit, batchSize } = options;
    if (limit !== undefined) checkPositive("Limit", limit);
    const size = batchSize ?? limit ?? DEFAULT_PAGE;
    checkPositive("batchSize", size);
    checkSelector(selector);
    this.#pageSize = batchSize === undefined ? Math.min(size, MAX_DEFAULT_PAGE) : size;
    this.#calls = calls;
    this.#selector = structuredClone(selector);
    this.#options = options;
    this.#cursor = options.cursor || undefined;
  }

  get cursor(): string {
    if (this.#cursor === undefined) throw new Error("Cannot get cursor before first iteration");
    return this.#cursor;
  }

  async next(): Promise<IteratorResult<Deno.KvEntry<T>, undefined>> {
    if (this.#count >= (this.#options.limit ?? Infinity)) return { done: true, value: undefined };
    if (this.#at === this.#page.length && !this.#isLastPage) await this.#readPage();
    const row = this.#page[this.#at++];
    if (row === undefined) {
      this.#at = this.#page.length;
      this.#cursor = "";
      return { done: true, value: undefined };
    }
    this.#count++;
    this.#cursor = row.cursor;
    return { done: false, value: decodeWireEntry<T>(row.key, row) as Deno.KvEntry<T> };
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async #readPage(): Promise<void> {
    const { limit = Infinity, reverse = false, consistency } = this.#options;
    const size = Math.min(this.#pageSize, limit - this.#count);
    const page = { size, cursor: this.#cursor, reverse, consistency };
    this.#page = await this.#calls.send({ op: "list", selector: this.#selector, page });
    this.#at = 0;
    this.#isLastPage = this.#page.length < size;
  }
}

function checkPositive(name: string, value: number): void {
  if (Number.isInteger(value) && value > 0) return;
  throw new Error(`${name} must be a positive integer: received ${value}`);
}

/** Throws where Deno KV does, before anything is read. */
function checkSelector(selector: Deno.KvListSelector): void {
  const { prefix, start, end } = selector as {
    [name in "prefix" | "start" | "end"]?: Deno.KvKey | undefined;
  };
  if (prefix !== undefined && start !== undefined && end !== undefined) {
    throw new TypeError(
      "Selector can not specify both 'start' and 'end' key when specifying 'prefix'",
    );
  }
  if (prefix === undefined && (start === undefined || end === undefined)) {
    throw new TypeError("Selector must specify either 'prefix' or both 'start' and 'end' key");
  }
}
