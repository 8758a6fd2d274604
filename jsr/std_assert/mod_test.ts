import {
  assert,
  assertAlmostEquals,
  assertArrayIncludes,
  assertEquals,
  assertFalse,
  assertInstanceOf,
  AssertionError,
  assertIsError,
  assertMatch,
  assertNotEquals,
  assertNotMatch,
  assertRejects,
  assertStrictEquals,
  assertStringIncludes,
  assertThrows,
  equal,
  fail,
  unreachable,
} from "@std/assert";

/** What `fn` throws must be ours; written without the functions under test. */
function refused(fn: () => unknown): string {
  try {
    fn();
  } catch (error) {
    if (error instanceof AssertionError) return error.message;
    throw error;
  }
  throw new Error("the assertion did not fail");
}

Deno.test("equal: two values that hold the same are equal at every depth", () => {
  const pairs: [unknown, unknown][] = [
    [NaN, NaN],
    [0, -0],
    [{ a: [1, { b: "x" }] }, { a: [1, { b: "x" }] }],
    [Object.assign(Object.create(null), { a: 1 }), { a: 1 }],
    [new Map([[{ k: 1 }, "v"]]), new Map([[{ k: 1 }, "v"]])],
    [new Set([1, [2]]), new Set([[2], 1])],
    [new Date(5), new Date(5)],
    [new Uint8Array([1, 2]), new Uint8Array([1, 2])],
    [new URL("http://a/b"), new URL("http://a/b")],
    [/x/g, /x/g],
  ];
  for (const [a, b] of pairs) assert(equal(a, b), Deno.inspect([a, b]));
});

Deno.test("equal: values of another content, type or key set are not equal", () => {
  class Point {
    constructor(readonly x: number) {}
  }
  const pairs: [unknown, unknown][] = [
    [1, "1"],
    [null, undefined],
    [{ a: undefined }, {}],
    [{ a: undefined }, { b: undefined }],
    [[1, 2], [2, 1]],
    [new Point(1), { x: 1 }],
    [new Point(1), new Point(2)],
    [new Set([1, 1.5]), new Set([1, 2])],
    [new Map([["a", 1]]), new Map([["a", 2]])],
    [new Date(5), new Date(6)],
    [new Uint8Array([1]), new Uint8Array([2])],
    [new URL("http://a/"), new URL("http://b/")],
    [/x/g, /x/i],
    [{ [Symbol.for("s")]: 1 }, { [Symbol.for("s")]: 2 }],
  ];
  for (const [a, b] of pairs) assertFalse(equal(a, b), Deno.inspect([a, b]));
});

Deno.test("equal: cycles end", () => {
  const loop = (value: number) => {
    const node: Record<string, unknown> = { value };
    node.self = node;
    return node;
  };
  assert(equal(loop(1), loop(1)));
  assertFalse(equal(loop(1), loop(2)));
});

Deno.test("assertEquals: the message carries the caller's words and the difference", () => {
  const message = refused(() => assertEquals({ a: 1, b: 2 }, { a: 1, b: 3 }, "totals"));
  assertStringIncludes(message, "Values are not equal: totals");
  assertMatch(message, /\+ +b: 2/);
  assertMatch(message, /- +b: 3/);
  assertNotMatch(message, /[+-] +a: 1/);
});

Deno.test("assertStrictEquals: a copy is not the same value", () => {
  const value = { a: 1 };
  assertStrictEquals(value, value);
  refused(() => assertStrictEquals<unknown>(value, { ...value }));
  refused(() => assertStrictEquals<unknown>(0, -0));
  refused(() => assertNotEquals(value, { ...value }));
});

Deno.test("assertThrows: class and text are checked and the error is returned", () => {
  const boom = () => {
    throw new TypeError("no such door");
  };
  assertStrictEquals(
    assertThrows(boom, TypeError, "door").message,
    "no such door",
  );
  assertIsError(assertThrows(boom), TypeError, /such/);
  refused(() => assertThrows(boom, RangeError));
  refused(() => assertThrows(boom, TypeError, "window"));
  assertStringIncludes(
    refused(() => assertThrows(() => 1, "must throw")),
    "must throw",
  );
});

Deno.test("assertRejects: only a rejected promise passes", async () => {
  const error = await assertRejects(
    () => Promise.reject(new RangeError("far")),
    RangeError,
    "far",
  );
  assertInstanceOf(error, RangeError);
  const throwsAtOnce = () => {
    throw new RangeError("far");
  };
  for (const fn of [throwsAtOnce, () => Promise.resolve(1), () => 1 as never]) {
    await assertRejects(() => assertRejects(fn), AssertionError);
  }
  await assertRejects(
    () => assertRejects(() => Promise.reject(new Error("x")), TypeError),
    AssertionError,
    "TypeError",
  );
});

Deno.test("assertArrayIncludes: items are compared deeply and in any order", () => {
  assertArrayIncludes([{ a: 1 }, { b: 2 }], [{ b: 2 }]);
  assertStringIncludes(
    refused(() => assertArrayIncludes([1, 2], [2, 3])),
    "missing: [\n  3,\n]",
  );
});

Deno.test("assertAlmostEquals: the tolerance is its edge", () => {
  assertAlmostEquals(0.1 + 0.2, 0.3);
  refused(() => assertAlmostEquals(1, 1.1, 0.01));
});

Deno.test("the plain checks fail with the caller's message", () => {
  for (
    const check of [
      () => assert(0, "why"),
      () => assertFalse(1, "why"),
      () => assertMatch("a", /b/, "why"),
      () => assertNotMatch("a", /a/, "why"),
      () => assertStringIncludes("a", "b", "why"),
      () => assertInstanceOf({}, Date, "why"),
      () => fail("why"),
      () => unreachable("why"),
    ]
  ) assertStringIncludes(refused(check), "why");
});
