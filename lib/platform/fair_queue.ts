import { BusyError } from "./busy_error.ts";

export interface FairQueueOptions {
  concurrency: number;
  /** Maximum concurrent tasks of one client; fewer than `slots`, so that others find a free one. */
  concurrencyPerClient: number;
  /** Maximum waiting tasks of all clients, per lane. */
  maxWaiting: number;
  maxWaitingPerClient: number;
}

export interface FairTask {
  /** The key by which slots are shared: an address, a browser or a user. */
  client: string;
  /** The caller has shown a credential: its task goes into the preferred lane. */
  preferred?: boolean;
}

type Waiter = { start: () => void; drop: () => void };

/**
 * Runs a bounded number of tasks concurrently and shares them fairly between clients: free slots go
 * round robin over the clients that wait, so one client's flood delays another client's first task by
 * at most one task, and not at all while it is the only other client. Two lanes take turns, so clients
 * without a credential cannot delay clients with one.
 */
export class FairQueue {
  readonly #options: FairQueueOptions;
  readonly #lanes = { preferred: new Lane(), other: new Lane() };
  readonly #runningOf = new Map<string, number>();
  #running = 0;
  #preferredIsNext = true;

  constructor(options: FairQueueOptions) {
    this.#options = options;
  }

  get waiting(): number {
    return this.#lanes.preferred.size + this.#lanes.other.size;
  }

  /** Runs `work` in a slot. Throws `BusyError` when too many tasks wait. */
  async run<T>(task: FairTask, work: () => Promise<T>): Promise<T> {
    await this.#enter(task);
    try {
      return await work();
    } finally {
      this.#count(task.client, -1);
      this.#startNext();
    }
  }

  #enter({ client, preferred = false }: FairTask): Promise<void> {
    if (this.#running < this.#options.concurrency && this.#mayRun(client)) {
      this.#count(client, 1);
      return Promise.resolve();
    }
    const lane = preferred ? this.#lanes.preferred : this.#lanes.other;
    if (!this.#makeRoom(lane, client)) {
      return Promise.reject(new BusyError("too many tasks are waiting"));
    }
    return new Promise((resolve, reject) => {
      const drop = () => reject(new BusyError("evicted from the queue by another client's task"));
      lane.add(client, { start: resolve, drop });
    });
  }

  /** Each lane has `maxWaiting` places. When it is full, the client with most tasks loses one. */
  #makeRoom(lane: Lane, client: string): boolean {
    const own = lane.waitingOf(client);
    if (own >= this.#options.maxWaitingPerClient) return false;
    if (lane.size < this.#options.maxWaiting) return true;
    return lane.dropNewestOfBusiest(own + 1);
  }

  #startNext(): void {
    const { preferred, other } = this.#lanes;
    const lanes = this.#preferredIsNext ? [preferred, other] : [other, preferred];
    for (const lane of lanes) {
      const next = lane.next((client) => this.#mayRun(client));
      if (next === undefined) continue;
      this.#preferredIsNext = lane === other;
      this.#count(next.client, 1);
      next.waiter.start();
      return;
    }
  }

  #mayRun(client: string): boolean {
    return (this.#runningOf.get(client) ?? 0) < this.#options.concurrencyPerClient;
  }

  #count(client: string, change: 1 | -1): void {
    this.#running += change;
    const running = (this.#runningOf.get(client) ?? 0) + change;
    if (running === 0) this.#runningOf.delete(client);
    else this.#runningOf.set(client, running);
  }
}

/** Waiting tasks by client; the order of the map is the order of turns. */
class Lane {
  readonly #clients = new Map<string, Waiter[]>();
  size = 0;

  waitingOf(client: string): number {
    return this.#clients.get(client)?.length ?? 0;
  }

  add(client: string, waiter: Waiter): void {
    const waiters = this.#clients.get(client);
    if (waiters === undefined) this.#clients.set(client, [waiter]);
    else waiters.push(waiter);
    this.size++;
  }

  /** The first task of the first client that may run; that client goes to the end of the line. */
  next(mayRun: (client: string) => boolean): { client: string; waiter: Waiter } | undefined {
    for (const [client, waiters] of this.#clients) {
      if (!mayRun(client)) continue;
      const waiter = waiters.shift()!;
      this.#clients.delete(client);
      if (waiters.length > 0) this.#clients.set(client, waiters);
      this.size--;
      return { client, waiter };
    }
    return undefined;
  }

  /** Drops one task of the client that has most; false when none has more than `atLeast`. */
  dropNewestOfBusiest(atLeast: number): boolean {
    let busiest: [string, Waiter[]] | undefined;
    for (const entry of this.#clients) {
      if (entry[1].length > (busiest?.[1].length ?? atLeast)) busiest = entry;
    }
    if (busiest === undefined) return false;
    const [client, waiters] = busiest;
    waiters.pop()!.drop();
    if (waiters.length === 0) this.#clients.delete(client);
    this.size--;
    return true;
  }
}
