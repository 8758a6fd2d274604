import { BusyError } from "../../platform/busy_error.ts";
import { type Runtime, setTimer } from "../../platform/runtime.ts";

export type PermitHolder = { tenant: string; address: string };

export interface FairSemaphoreOptions {
  permits: number;
  maxPerTenant: number;
  /** Permits that one address may hold, across all tenants. */
  maxPerAddress: number;
  /** Permits that only tenants without a permit may take. */
  reserved: number;
  /** Maximum waiting callers of one tenant; more are rejected immediately. */
  maxWaitingPerTenant: number;
  /** Maximum wait in milliseconds; unlimited if omitted. */
  maxWaitMs?: number;
}

interface Waiter extends PermitHolder {
  admit: () => void;
}

/**
 * No tenant can hold or queue for so many permits that another gets none. A released permit goes to
 * the waiting tenant that holds the fewest, then to the caller that has waited longest.
 */
export class FairSemaphore {
  readonly #options: FairSemaphoreOptions;
  #free: number;
  readonly #held = new Map<string, number>();
  #waiters: Waiter[] = [];

  constructor(options: FairSemaphoreOptions) {
    this.#options = options;
    this.#free = options.permits;
  }

  get waiting(): number {
    return this.#waiters.length;
  }

  /** Runs `work` with a permit. Throws `BusyError` if the tenant's queue is full or the wait too long. */
  async run<T>(
    { holder, runtime }: { holder: PermitHolder; runtime: Pick<Runtime, "sleep"> },
    work: () => Promise<T>,
  ): Promise<T> {
    if (this.#canAcquire(holder)) this.#acquire(holder);
    else await this.#wait(holder, runtime);
    try {
      return await work();
    } finally {
      this.#release(holder);
    }
  }

  #wait(holder: PermitHolder, runtime: Pick<Runtime, "sleep">): Promise<void> {
    const { maxWaitingPerTenant, maxWaitMs } = this.#options;
    const queued = this.#waiters.filter(({ tenant }) => tenant === holder.tenant).length;
    if (queued >= maxWaitingPerTenant) throw new BusyError("the tenant's queue is full");
    return new Promise((resolve, reject) => {
      const cancelTimer = maxWaitMs === undefined ? () => {} : setTimer(runtime, maxWaitMs, () => {
        this.#waiters = this.#waiters.filter((other) => other !== waiter);
        reject(new BusyError("no permit became available in time"));
      });
      const admit = () => {
        cancelTimer();
        resolve();
      };
      const waiter = { ...holder, admit };
      this.#waiters.push(waiter);
    });
  }

  #canAcquire({ tenant, address }: PermitHolder): boolean {
    const { maxPerTenant, maxPerAddress, reserved } = this.#options;
    const heldByTenant = this.#heldBy(tenantKey(tenant));
    if (heldByTenant === 0) return this.#free > 0;
    return this.#free > reserved && heldByTenant < maxPerTenant &&
      this.#heldBy(addressKey(address)) < maxPerAddress;
  }

  #acquire(holder: PermitHolder): void {
    this.#free--;
    this.#addHeld(holder, 1);
  }

  /** Passes the permit directly to a waiting caller, so that a later caller cannot overtake it. */
  #release(holder: PermitHolder): void {
    this.#free++;
    this.#addHeld(holder, -1);
    const heldByTenant = ({ tenant }: Waiter) => this.#heldBy(tenantKey(tenant));
    const eligible = this.#waiters.filter((waiter) => this.#canAcquire(waiter));
    const [next] = eligible.toSorted((a, b) => heldByTenant(a) - heldByTenant(b));
    if (next === undefined) return;
    this.#waiters = this.#waiters.filter((waiter) => waiter !== next);
    this.#acquire(next);
    next.admit();
  }

  #addHeld({ tenant, address }: PermitHolder, change: 1 | -1): void {
    for (const key of [tenantKey(tenant), addressKey(address)]) {
      const held = this.#heldBy(key) + change;
      if (held > 0) this.#held.set(key, held);
      else this.#held.delete(key);
    }
  }

  #heldBy(key: string): number {
    return this.#held.get(key) ?? 0;
  }
}

const tenantKey = (tenant: string) => `tenant ${tenant}`;
const addressKey = (address: string) => `address ${address}`;
