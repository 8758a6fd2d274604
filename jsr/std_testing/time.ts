/**
 * Stand-in for the part of `@std/testing/time` that this project uses. See ../README.md.
 *
 * @module
 */

/** Time was faked or restored twice. */
export class TimeError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "TimeError";
  }
}

interface Timer {
  id: number;
  due: number;
  callback: (...args: unknown[]) => void;
  args: unknown[];
  /** Milliseconds between calls of an interval; undefined for a timeout. */
  every?: number;
}

const real = {
  Date: globalThis.Date,
  setTimeout: globalThis.setTimeout,
  clearTimeout: globalThis.clearTimeout,
  setInterval: globalThis.setInterval,
  clearInterval: globalThis.clearInterval,
};

let current: FakeTime | undefined;

/**
 * Takes `Date`, `setTimeout` and `setInterval` off the real clock until restored or disposed of. Time
 * moves only by the methods below, which call due timers in order.
 */
export class FakeTime {
  readonly #start: number;
  #now: number;
  #lastId = 0;
  #timers: Timer[] = [];

  /** @param start milliseconds, a date or a date string; by default the real time */
  constructor(start?: number | string | Date | null) {
    if (current) {
      throw new TimeError("Cannot construct FakeTime: time is already faked");
    }
    this.#start = Math.floor(new real.Date(start ?? real.Date.now()).valueOf());
    if (Number.isNaN(this.#start)) {
      throw new TypeError(
        `Cannot construct FakeTime: invalid start time ${start}`,
      );
    }
    this.#now = this.#start;
    current = this;
    Object.assign(globalThis, this.#globals());
  }

  static restore(): void {
    if (!current) {
      throw new TimeError("Cannot restore time: time is already restored");
    }
    current.restore();
  }

  /** Milliseconds since 1970 when time was faked. */
  get start(): number {
    return this.#start;
  }

  /** Milliseconds since 1970; setting it calls the timers that become due. */
  get now(): number {
    return this.#now;
  }

  set now(value: number) {
    if (value < this.#now) {
      throw new RangeError(
        `Cannot set current time in the past, time must be >= ${this.#now}: received ${value}`,
      );
    }
    for (
      let timer = this.#first();
      timer && timer.due <= value;
      timer = this.#first()
    ) {
      this.#now = timer.due;
      this.#call(timer);
    }
    this.#now = value;
  }

  /** Moves time by so many milliseconds. */
  tick(ms = 0): void {
    this.now += ms;
  }

  /** Lets pending promises settle, then moves time by so many milliseconds. */
  async tickAsync(ms = 0): Promise<void> {
    await this.runMicrotasks();
    this.tick(ms);
  }

  /** Moves time to the next timer; false when there is none. */
  next(): boolean {
    const timer = this.#first();
    if (timer) this.now = timer.due;
    return timer !== undefined;
  }

  async nextAsync(): Promise<boolean> {
    await this.runMicrotasks();
    return this.next();
  }

  /** Moves time until no timer is left; an interval that is never cleared does not end. */
  runAll(): void {
    while (this.next());
  }

  async runAllAsync(): Promise<void> {
    while (this.#timers.length > 0) await this.nextAsync();
  }

  /** Waits for one turn of the real event loop. */
  async runMicrotasks(): Promise<void> {
    await new Promise<void>((resolve) => void real.setTimeout(resolve, 0));
  }

  /** Restores the real clock and drops pending timers. */
  restore(): void {
    if (current !== this) {
      throw new TimeError("Cannot restore time: time is already restored");
    }
    current = undefined;
    Object.assign(globalThis, real);
  }

  [Symbol.dispose](): void {
    this.restore();
  }

  #first(): Timer | undefined {
    return this.#timers[0];
  }

  #call(timer: Timer): void {
    this.#clear(timer.id);
    if (timer.every !== undefined) {
      this.#insert({ ...timer, due: timer.due + timer.every });
    }
    timer.callback(...timer.args);
  }

  /** Sorted by due time, then by insertion. */
  #insert(timer: Timer): number {
    const later = this.#timers.findIndex((other) => other.due > timer.due);
    this.#timers.splice(later < 0 ? this.#timers.length : later, 0, timer);
    return timer.id;
  }

  #clear = (id?: unknown): void => {
    this.#timers = this.#timers.filter((timer) => timer.id !== id);
  };

  #globals(): Record<string, unknown> {
    const add = (
      callback: Timer["callback"],
      delay: number,
      rest: Partial<Timer>,
    ) =>
      this.#insert({
        id: ++this.#lastId,
        due: this.#now + delay,
        callback,
        args: [],
        ...rest,
      });
    return {
      Date: fakeDate(() => this.#now),
      setTimeout: (callback: Timer["callback"], ms = 0, ...args: unknown[]) =>
        add(callback, Math.max(0, Math.floor(ms)), { args }),
      setInterval: (
        callback: Timer["callback"],
        ms = 0,
        ...args: unknown[]
      ) => {
        const every = Math.max(1, Math.floor(ms));
        return add(callback, every, { args, every });
      },
      clearTimeout: this.#clear,
      clearInterval: this.#clear,
    };
  }
}

/** The real Date with a fake current time, so that `instanceof` works. */
function fakeDate(now: () => number): DateConstructor {
  return new Proxy(real.Date, {
    construct: (target, args, newTarget) =>
      Reflect.construct(target, args.length > 0 ? args : [now()], newTarget),
    apply: () => new real.Date(now()).toString(),
    get: (target, key, receiver) => key === "now" ? now : Reflect.get(target, key, receiver),
  });
}
