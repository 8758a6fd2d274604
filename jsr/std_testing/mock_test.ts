import {
  assertSpyCall,
  assertSpyCallArg,
  assertSpyCallArgs,
  assertSpyCallAsync,
  assertSpyCalls,
  MockError,
  resolvesNext,
  returnsNext,
  spy,
  stub,
} from "@std/testing/mock";
import { assertEquals, AssertionError, assertRejects, assertThrows } from "@std/assert";

class Door {
  #opened = 0;
  open(by: number): number {
    return this.#opened += by;
  }
}

Deno.test("spy: a function's calls are recorded and passed on", () => {
  const add = spy((a: number, b: number) => a + b);
  assertEquals(add(1, 2), 3);
  assertSpyCalls(add, 1);
  assertSpyCall(add, 0, { args: [1, 2], returned: 3 });
  assertEquals(assertSpyCallArg(add, 0, 1, 2), 2);
  assertEquals(assertSpyCallArgs(add, 0, [1, 2]), [1, 2]);
});

Deno.test("spy: an error is recorded and thrown on", () => {
  const fail = spy(() => {
    throw new RangeError("too far");
  });
  assertThrows(fail, RangeError);
  assertSpyCall(fail, 0, { error: { Class: RangeError, msgIncludes: "far" } });
  assertThrows(
    () => assertSpyCall(fail, 0, { returned: undefined as never }),
    AssertionError,
  );
});

Deno.test("spy: a method keeps its object and comes back when disposed of", () => {
  const door = new Door();
  {
    using open = spy(door, "open");
    door.open(2);
    assertSpyCall(open, 0, { args: [2], self: door, returned: 2 });
    assertThrows(() => spy(door, "open"), MockError, "already");
  }
  assertEquals(Object.hasOwn(door, "open"), false);
  assertEquals(door.open(1), 3);
});

Deno.test("stub: the method answers what the test says until restored", () => {
  const door = new Door();
  const open = stub(door, "open", returnsNext([7, new Error("jammed")]));
  assertEquals(door.open(1), 7);
  assertThrows(() => door.open(1), Error, "jammed");
  assertThrows(() => door.open(1), MockError, "more than 2");
  assertSpyCalls(open, 3);
  open.restore();
  assertEquals(door.open(1), 1);
  assertThrows(() => open.restore(), MockError);
});

Deno.test("resolvesNext: values resolve and errors reject", async () => {
  const next = spy(resolvesNext([1, new Error("gone")]));
  assertEquals(await next(), 1);
  await assertRejects(() => next(), Error, "gone");
  await assertSpyCallAsync(next, 0, { returned: 1 });
  await assertSpyCallAsync(next, 1, { error: { msgIncludes: "gone" } });
});

Deno.test("assertSpyCalls and assertSpyCall: what differs fails", () => {
  const quiet = spy();
  assertThrows(
    () => assertSpyCalls(quiet, 1),
    AssertionError,
    "not called as much",
  );
  assertThrows(() => assertSpyCall(quiet, 0), AssertionError);
  quiet(1);
  assertThrows(() => assertSpyCalls(quiet, 0), AssertionError, "more than");
  assertThrows(
    () => assertSpyCall(quiet, 0, { args: [2] }),
    AssertionError,
    "args",
  );
  assertThrows(
    () => assertSpyCall(quiet, 0, { returned: undefined, error: {} }),
    TypeError,
  );
});
