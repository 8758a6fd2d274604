// deno-lint-ignore-file no-explicit-any -- a spy stands in for a function of any shape

/** The mock was used wrongly, as opposed to the code under test having done so. */
export class MockError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "MockError";
  }
}

/** One call: `returned` is absent when it threw, `error` when it did not. */
export interface SpyCall<
  Self = any,
  Args extends unknown[] = any[],
  Return = any,
> {
  args: Args;
  returned?: Return;
  error?: Error;
  self?: Self;
}

/** A function that records its calls and passes them on. */
export interface Spy<Self = any, Args extends unknown[] = any[], Return = any> {
  (this: Self, ...args: Args): Return;
  original: (this: Self, ...args: Args) => Return;
  calls: SpyCall<Self, Args, Return>[];
  restored: boolean;
  restore(): void;
}

/** A spy in the place of a method; disposing of it puts the method back. */
export interface MethodSpy<
  Self = any,
  Args extends unknown[] = any[],
  Return = any,
> extends Spy<Self, Args, Return>, Disposable {}

/** A method spy that answers itself instead of passing calls on. */
export interface Stub<Self = any, Args extends unknown[] = any[], Return = any>
  extends MethodSpy<Self, Args, Return> {
  fake: (this: Self, ...args: Args) => Return;
}

type ArgsOf<Self, Prop extends keyof Self> = Self[Prop] extends (...args: infer Args) => unknown
  ? Args
  : unknown[];
type ReturnOf<Self, Prop extends keyof Self> = Self[Prop] extends (...args: any[]) => infer Return
  ? Return
  : unknown;

/** A spy that does nothing, one around a function, or one in the place of an object's method. */
export function spy<Self = any, Args extends unknown[] = any[]>(): Spy<
  Self,
  Args,
  undefined
>;
export function spy<Self, Args extends unknown[], Return>(
  func: (this: Self, ...args: Args) => Return,
): Spy<Self, Args, Return>;
export function spy<Self, Prop extends keyof Self>(
  self: Self,
  property: Prop,
): MethodSpy<Self, ArgsOf<Self, Prop>, ReturnOf<Self, Prop>>;
export function spy(target?: any, property?: PropertyKey): Spy {
  if (property !== undefined) {
    return replaceMethod(target, property, target[property]);
  }
  return record(target ?? (() => undefined), () => {
    throw new MockError("Cannot restore: function cannot be restored");
  });
}

/** Puts `func` (by default one that returns undefined) in the place of an object's method. */
export function stub<Self, Prop extends keyof Self>(
  self: Self,
  property: Prop,
  func?: (this: Self, ...args: ArgsOf<Self, Prop>) => ReturnOf<Self, Prop>,
): Stub<Self, ArgsOf<Self, Prop>, ReturnOf<Self, Prop>> {
  const fake = (func ?? (() => undefined)) as (...args: any[]) => any;
  return Object.assign<any, { fake: typeof fake }>(
    replaceMethod(self, property, fake),
    { fake },
  );
}

function replaceMethod(
  self: any,
  property: PropertyKey,
  answer: (...args: any[]) => unknown,
): MethodSpy {
  const original = self[property];
  if (typeof original !== "function") {
    throw new MockError("Cannot spy: property is not an instance method");
  }
  if ("restored" in original) {
    throw new MockError("Cannot spy: already spying on instance method");
  }
  const own = Object.getOwnPropertyDescriptor(self, property);
  if (own && !own.configurable) {
    throw new MockError("Cannot spy: non-configurable instance method");
  }
  const recorder = record(answer, () => {
    if (recorder.restored) {
      throw new MockError("Cannot restore: instance method already restored");
    }
    if (own) Object.defineProperty(self, property, own);
    else delete self[property];
    recorder.restored = true;
  });
  Object.defineProperty(self, property, {
    value: recorder,
    configurable: true,
    writable: true,
    enumerable: own?.enumerable ?? false,
  });
  return Object.assign(recorder, {
    original,
    [Symbol.dispose]: () => recorder.restore(),
  });
}

function record(answer: (...args: any[]) => unknown, restore: () => void): Spy {
  const calls: SpyCall[] = [];
  function recorder(this: unknown, ...args: unknown[]): unknown {
    const call: SpyCall = { args };
    if (this !== undefined) call.self = this;
    try {
      return call.returned = answer.apply(this, args);
    } catch (error) {
      call.error = error as Error;
      throw error;
    } finally {
      calls.push(call);
    }
  }
  return Object.assign(recorder, {
    original: answer,
    calls,
    restored: false,
    restore,
  });
}
