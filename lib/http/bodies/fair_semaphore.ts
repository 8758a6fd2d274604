import { BusyError } from "../../platform/busy_error.ts";
import { type Runtime, setTimer } from "../../platform/runtime.ts";

/** The holder of a slot. */
export interface PermitHolder {
  tenant: string;
  /** The client's address. */
  address: string;
}

/** How slots are shared. */
export interface FairSemaphoreOptions {
  permits: number;
  /** Slots that one tenant may hold. */
  maxPerTenant: number;
  /** Slots that one address may hold, whatever tenants it speaks for. */
  maxPerAddress: number;
  /** The last slots are given only to tenants that hold none. */
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
 * A semaphore whose slots are shared between tenants: no tenant can hold or queue for so many that
 * another one gets none. A freed slot goes to the waiting tenant that holds the fewest, and among
 * those to the caller that has waited longest.
 */
export class FairSemaphore {
  readonly #options: FairSemaphoreOptions;
  #free: number;
  readonly #held = new Map<string, number>();
  #waiters: Waiter[] = [];

  constructor(rules: FairSemaphoreOptions) {
    this.#options = rules;
    this.#free = rules.permits;
  }

  /** Callers that wait for a slot. */
  get waiting(): number {
    return this.#waiters.length;
  }

  /** Runs `work` in a slot. Throws `BusyError` if the tenant's queue is full or the wait too long. */
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
        this.#waiters = this.#waiters.filter((one) => one !== waiter);
        reject(new BusyError("no slot became free in time"));
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

  #acquire({ tenant, address }: PermitHolder): void {
    this.#free--;
    for (const key of [tenantKey(tenant), addressKey(address)]) {
      this.#held.set(key, this.#heldBy(key) + 1);
    }
  }

  /** The slot goes straight to a waiting caller, so that a later caller cannot overtake it. */
  #release({ tenant, address }: PermitHolder): void {
    this.#free++;
    for (const key of [tenantKey(tenant), addressKey(address)]) {
      const left = this.#heldBy(key) - 1;
      if (left > 0) this.#held.set(key, left);
      else this.#held.delete(key);
    }
    this.#admitNext();
  }

  #admitNext(): void {
    const next = this.#waiters.filter((waiter) => this.#canAcquire(waiter))
      .reduce<Waiter | undefined>((best, one) => {
        return best === undefined || this.#heldByTenant(one) < this.#heldByTenant(best)
          ? one
          : best;
      }, undefined);
    if (next === undefined) return;
    this.#waiters = this.#waiters.filter((one) => one !== next);
    this.#acquire(next);
    next.admit();
  }

  #heldByTenant({ tenant }: PermitHolder): number {
    return this.#heldBy(tenantKey(tenant));
  }

  #heldBy(key: string): number {
    return this.#held.get(key) ?? 0;
  }
}

const tenantKey = (tenant: string) => `tenant ${tenant}`;
const addressKey = (address: string) => `address ${address}`;
