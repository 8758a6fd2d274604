import { type Channel, openMessageChannel } from "./message_channel.ts";
import type { StoreRequest, StoreResults, WireEntry, WireMutation } from "./store_messages.ts";
import { encodeWireError } from "./wire_error.ts";
import { decodeWireValue, encodeWireValue } from "./wire_value.ts";

type Request<Op extends StoreRequest["op"]> = Extract<StoreRequest, { op: Op }>;

/**
 * Executes the calls of one client of `openSharedStore` until the connection ends. A message that is no
 * call ends it. `kv` stays open.
 */
export function serveStore(kv: Deno.Kv, conn: Deno.Conn): Promise<void> {
  return new Promise((resolve) => {
    const server: StoreServer = new StoreServer(kv, (receive) =>
      openMessageChannel(conn, {
        onMessage: receive,
        onEnd: () => {
          server.close();
          resolve();
        },
      }));
  });
}

class StoreServer {
  readonly #kv: Deno.Kv;
  readonly #channel: Channel;
  readonly #watches = new Map<number, ReadableStreamDefaultReader<Deno.KvEntryMaybe<unknown>[]>>();

  constructor(kv: Deno.Kv, open: (receive: (message: unknown) => void) => Channel) {
    this.#kv = kv;
    this.#channel = open((message) => this.#receive(message as StoreRequest));
  }

  close(): void {
    for (const id of [...this.#watches.keys()]) this.#unwatch(id);
  }

  #receive(request: StoreRequest): void {
    if (!Number.isSafeInteger(request?.id)) throw new TypeError("invalid request");
    const { id, op } = request;
    switch (op) {
      case "read":
        return this.#answer(id, this.#read(request));
      case "list":
        return this.#answer(id, this.#list(request));
      case "commit":
        return this.#answer(id, this.#commit(request));
      case "watch":
        return void this.#watch(request).catch((error) => this.#fail(id, error));
      case "unwatch":
        return this.#unwatch(id);
      default:
        op satisfies never;
        throw new TypeError("invalid request");
    }
  }

  #answer(id: number, result: Promise<unknown>): void {
    result.then((result) => this.#channel.send({ id, result }))
      .catch((error) => this.#fail(id, error));
  }

  #fail(id: number, error: unknown): void {
    this.#channel.send({ id, error: encodeWireError(error) });
  }

  async #read({ keys, consistency }: Request<"read">): Promise<StoreResults["read"]> {
    const entries = await this.#kv.getMany(keys, consistency && { consistency });
    return entries.map(encodeEntry);
  }

  async #list({ selector, page }: Request<"list">): Promise<StoreResults["list"]> {
    const { size, cursor, reverse, consistency } = page;
    const rows = this.#kv.list(selector, {
      ...{ limit: size, batchSize: size, reverse },
      ...cursor !== undefined && { cursor },
      ...consistency !== undefined && { consistency },
    });
    const entries: StoreResults["list"] = [];
    for await (const { key, value, versionstamp } of rows) {
      entries.push({ key, value: encodeWireValue(value), versionstamp, cursor: rows.cursor });
    }
    return entries;
  }

  async #commit({ checks, mutations }: Request<"commit">): Promise<StoreResults["commit"]> {
    const atomic = this.#kv.atomic().check(...checks).mutate(...mutations.map(decodeMutation));
    const committed = await atomic.commit();
    return committed.ok ? committed.versionstamp : null;
  }

  async #watch({ id, keys, raw }: Request<"watch">): Promise<void> {
    const reader = this.#kv.watch(keys, { raw }).getReader();
    this.#watches.set(id, reader);
    while (this.#watches.has(id)) {
      const { value } = await reader.read();
      if (!this.#watches.has(id)) return;
      this.#channel.send({ id, result: value?.map(encodeEntry) });
      if (value === undefined) return void this.#watches.delete(id);
      // The store drops changes that were replaced while this one is sent to a slow client.
      await this.#channel.written();
    }
  }

  #unwatch(id: number): void {
    const reader = this.#watches.get(id);
    this.#watches.delete(id);
    reader?.cancel().catch(() => {});
  }
}

function encodeEntry({ value, versionstamp }: Deno.KvEntryMaybe<unknown>): WireEntry | null {
  return versionstamp === null ? null : { value: encodeWireValue(value), versionstamp };
}

function decodeMutation(mutation: WireMutation): Deno.KvMutation {
  if (mutation.type === "delete") return mutation;
  const value = decodeWireValue(mutation.value);
  if (mutation.type !== "set") return { ...mutation, value: value as Deno.KvU64 };
  const { type, key, expireIn } = mutation;
  return { type, key, value, ...expireIn !== undefined && { expireIn } };
}
