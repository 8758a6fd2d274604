import { type Channel, openMessageChannel } from "./message_channel.ts";
import type { StoreAnswer, StoreCall, StoreResults } from "./store_messages.ts";
import { decodeWireError } from "./wire_error.ts";

type Call<Op extends StoreCall["op"]> = Extract<StoreCall, { op: Op }>;

interface Receiver {
  onResult(result: unknown): void;
  onError(error: Error): void;
}

/** The client's end of a connection to a store: sends calls and matches the answers to them. */
export class StoreCalls {
  readonly #channel: Channel;
  readonly #calls = new Map<number, Receiver>();
  readonly #watches = new Map<number, Receiver>();
  #nextId = 1;
  /** Why no further call can be made. */
  #ended: Error | undefined;

  /** `onLost` is called once if the connection ends without `close`. */
  constructor(conn: Deno.Conn, onLost: (error: Error) => void) {
    const onEnd = (cause: unknown) => {
      const message = "the connection to the store was lost";
      const lost = new Deno.errors.ConnectionReset(message, { cause });
      const isLost = this.#ended === undefined;
      this.#ended ??= lost;
      this.#failAll(lost);
      if (isLost) onLost(lost);
    };
    const onMessage = (message: unknown) => this.#receive(message as StoreAnswer);
    this.#channel = openMessageChannel(conn, { onMessage, onEnd });
  }

  send<Op extends "read" | "list" | "commit">(call: Call<Op>): Promise<StoreResults[Op]> {
    return new Promise((resolve, reject) => {
      const id = this.#open(call);
      this.#calls.set(id, {
        onResult: (result) => resolve(result as StoreResults[Op]),
        onError: reject,
      });
    });
  }

  /** Calls `receiver` for each change until the function that it returns is called. */
  watch(call: Call<"watch">, receiver: Receiver): () => void {
    const id = this.#open(call);
    this.#watches.set(id, receiver);
    return () => {
      if (this.#watches.delete(id) && this.#ended === undefined) {
        this.#channel.send({ id, op: "unwatch" });
      }
    };
  }

  /** Ends all watches now. Calls in flight are still answered, as with a store of this process. */
  close(): void {
    if (this.#ended instanceof Deno.errors.ConnectionReset) return;
    if (this.#ended !== undefined) throw this.#ended;
    this.#ended = new Deno.errors.BadResource("Bad resource ID");
    for (const { onResult } of this.#watches.values()) onResult(undefined);
    this.#watches.clear();
    this.#closeIfIdle();
  }

  #open(call: StoreCall): number {
    if (this.#ended !== undefined) throw this.#ended;
    const id = this.#nextId++;
    this.#channel.send({ id, ...call });
    return id;
  }

  #receive(answer: StoreAnswer): void {
    const { id } = answer;
    const call = this.#calls.get(id);
    // The answer to a cancelled watch has no receiver.
    const receiver = call ?? this.#watches.get(id);
    if ("error" in answer) {
      this.#watches.delete(id);
      receiver?.onError(decodeWireError(answer.error));
    } else receiver?.onResult(answer.result);
    if (call !== undefined) this.#calls.delete(id);
    if (this.#ended !== undefined) this.#closeIfIdle();
  }

  #closeIfIdle(): void {
    if (this.#calls.size === 0) this.#channel.close();
  }

  #failAll(error: Error): void {
    const receivers = [...this.#calls.values(), ...this.#watches.values()];
    this.#calls.clear();
    this.#watches.clear();
    for (const { onError } of receivers) onError(error);
  }
}
