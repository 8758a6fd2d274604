/**
 * Stand-in for the part of `@std/testing/bdd` that this project uses: `describe` and `it` by name,
 * with options, `only` and `ignore`, and the four hooks inside a `describe`. See ../README.md.
 *
 * @module
 */
import {
  type Case,
  type Hook,
  type HookName,
  type Options,
  Suite,
  type TestBody,
} from "./suite.ts";

/** The suite whose `describe` body is running. */
let current: Suite | undefined;

type DescribeArgs = [name: string, fn: () => void] | [
  name: string,
  options: Options,
  fn: () => void,
];
type ItArgs<T> = [name: string, fn: TestBody<T>] | [
  name: string,
  options: Options,
  fn: TestBody<T>,
];

function addCase<T>(args: ItArgs<T>, extra: Options = {}): void {
  const [name, options, fn] = unpack<TestBody<T>>(args);
  const test: Case = {
    name,
    options: { ...options, ...extra },
    fn: fn as TestBody<unknown>,
  };
  if (current) current.children.push(test);
  else Deno.test({ name, ...test.options, fn: (t) => fn.call({} as T, t) });
}

function addSuite(args: DescribeArgs, extra: Options = {}): void {
  const [name, options, fn] = unpack<() => void>(args);
  const suite = new Suite(name, { ...options, ...extra });
  const outer = current;
  current = suite;
  try {
    fn();
  } finally {
    current = outer;
  }
  if (outer) outer.children.push(suite);
  else suite.register();
}

function unpack<F>(
  args: [string, F] | [string, Options, F],
): [string, Options, F] {
  return args.length === 2 ? [args[0], {}, args[1]] : args;
}

function addHook(name: HookName, hook: Hook<unknown>): void {
  if (!current) {
    throw new Error(`${name}() outside describe() is not in this build`);
  }
  current.hooks[name].push(hook);
}

/** Groups tests; an outermost group is one Deno test, what is inside are its steps. */
export function describe(...args: DescribeArgs): void {
  addSuite(args);
}
describe.only = (...args: DescribeArgs): void => addSuite(args, { only: true });
describe.ignore = (...args: DescribeArgs): void => addSuite(args, { ignore: true });
describe.skip = describe.ignore;

/** One test. `this` is a copy of the context of its hooks. */
// deno-lint-ignore no-explicit-any
export function it<T = any>(...args: ItArgs<T>): void {
  addCase(args);
}
// deno-lint-ignore no-explicit-any
it.only = <T = any>(...args: ItArgs<T>): void => addCase(args, { only: true });
// deno-lint-ignore no-explicit-any
it.ignore = <T = any>(...args: ItArgs<T>): void => addCase(args, { ignore: true });
it.skip = it.ignore;

/** Runs once before the tests of its group. */
// deno-lint-ignore no-explicit-any
export function beforeAll<T = any>(fn: Hook<T>): void {
  addHook("beforeAll", fn as Hook<unknown>);
}

/** Runs once after the tests of its group, also when one failed. */
// deno-lint-ignore no-explicit-any
export function afterAll<T = any>(fn: Hook<T>): void {
  addHook("afterAll", fn as Hook<unknown>);
}

/** Runs before each test of its group and of the groups inside, outer hooks first. */
// deno-lint-ignore no-explicit-any
export function beforeEach<T = any>(fn: Hook<T>): void {
  addHook("beforeEach", fn as Hook<unknown>);
}

/** Runs after each test of its group and of the groups inside, inner hooks first. */
// deno-lint-ignore no-explicit-any
export function afterEach<T = any>(fn: Hook<T>): void {
  addHook("afterEach", fn as Hook<unknown>);
}
