// deno-lint-ignore-file no-explicit-any -- these answer in the place of a function of any shape
import { MockError } from "./spy.ts";

/** A function that returns the next value at each call; an Error among them is thrown. */
export function returnsNext<Return, Self = any, Args extends unknown[] = any[]>(
  values: Iterable<Return | Error>,
): (this: Self, ...args: Args) => Return {
  const iterator = values[Symbol.iterator]();
  let calls = 0;
  return () => answer(iterator.next(), calls++);
}

/** As `returnsNext`, with promises; an Error rejects. */
export function resolvesNext<
  Return,
  Self = any,
  Args extends unknown[] = any[],
>(
  values:
    | Iterable<Return | Error | Promise<Return | Error>>
    | AsyncIterable<Return | Error | Promise<Return | Error>>,
): (this: Self, ...args: Args) => Promise<Return> {
  const iterator = each(values);
  let calls = 0;
  return async () => answer(await iterator.next(), calls++);
}

async function* each<T>(
  values: Iterable<T> | AsyncIterable<T>,
): AsyncGenerator<Awaited<T>, void> {
  for await (const value of values) yield value;
}

function answer<Return>(
  next: IteratorResult<Return | Error, unknown>,
  calls: number,
): Return {
  if (next.done) {
    throw new MockError(`Not expected to be called more than ${calls} time(s)`);
  }
  if (next.value instanceof Error) throw next.value;
  return next.value;
}
