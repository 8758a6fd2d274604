import { keys } from "../../store/keys/keys.ts";

/** The entries that were chained after a place: links are read once, and only as far as they are needed. */
export class LaterLinks {
  readonly #kv: Deno.Kv;
  readonly #log: string;
  readonly #ids = new Set<unknown>();
  #last: number;

  constructor(kv: Deno.Kv, { log, after }: { log: string; after: number }) {
    [this.#kv, this.#log, this.#last] = [kv, log, after];
  }

  async has(id: string): Promise<boolean> {
    if (!this.#ids.has(id)) await this.#read();
    return this.#ids.has(id);
  }

  /** The number of the last link. */
  async last(): Promise<number> {
    await this.#read();
    return this.#last;
  }

  async #read(): Promise<void> {
    const prefix = keys.auditLinks(this.#log);
    const selector = { prefix, start: [...prefix, this.#last + 1] };
    for await (const { key, value } of this.#kv.list<{ id: string }>(selector)) {
      this.#ids.add(value.id);
      this.#last = Number(key[2]);
    }
  }
}
