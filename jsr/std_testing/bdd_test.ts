import { afterAll, afterEach, beforeAll, beforeEach, describe, it } from "@std/testing/bdd";
import { assertEquals, assertThrows } from "@std/assert";

const log: string[] = [];

interface Shared {
  all?: string;
  each?: number;
}

describe("describe: hooks", () => {
  beforeAll(function (this: Shared) {
    log.push("beforeAll");
    this.all = "shared";
  });
  beforeEach(function (this: Shared) {
    log.push("beforeEach");
    this.each = (this.each ?? 0) + 1;
  });
  afterEach(() => void log.push("afterEach"));
  afterAll(() => void log.push("afterAll"));

  it("a test sees what the hooks left on this", function (this: Shared) {
    log.push("one");
    assertEquals(this, { all: "shared", each: 1 });
  });

  describe("inner group", () => {
    beforeEach(() => void log.push("inner beforeEach"));
    afterEach(() => void log.push("inner afterEach"));

    it("each test gets its own copy", function (this: Shared) {
      log.push("two");
      assertEquals(this.each, 1);
    });
  });

  it.skip("a skipped test runs neither itself nor its hooks", () => void log.push("skipped"));
});

Deno.test("describe: hooks run outer first before a test and inner first after it", () => {
  assertEquals(log, [
    "beforeAll",
    ...["beforeEach", "one", "afterEach"],
    ...[
      "beforeEach",
      "inner beforeEach",
      "two",
      "inner afterEach",
      "afterEach",
    ],
    "afterAll",
  ]);
});

it("it: works outside a group and passes the context on", (t) => {
  assertEquals(t.name, "it: works outside a group and passes the context on");
});

it("beforeEach: outside a group it is not in this build", () => {
  assertThrows(() => beforeEach(() => {}), Error, "not in this build");
});
