import { assert, assertEquals } from "@std/assert";
import { FakeRuntime, flushMicrotasks } from "@/tests/support/fake_runtime.ts";
import { SignInFailureStore } from "../store/users/sign_in_failure_store.ts";
import { systemRuntime } from "../platform/runtime.ts";
import { PasswordGate } from "./password_gate.ts";

const EMAIL = "owner@example.com";

const wrong = () => Promise.resolve(undefined);
const right = () => Promise.resolve("in");

/** A gate with a clock that advances with each wait; `waited` lists the waits. */
async function withGate(
  run: (fixture: { gate: PasswordGate; kv: Deno.Kv; waited: number[] }) => Promise<void>,
): Promise<void> {
  using kv = await Deno.openKv(":memory:");
  let now = 1_000_000;
  const waited: number[] = [];
  const runtime = {
    ...systemRuntime,
    now: () => now,
    sleep: (ms: number) => {
      waited.push(ms);
      now += ms;
      return Promise.resolve();
    },
  };
  const failures = new SignInFailureStore(kv, runtime);
  await run({ gate: new PasswordGate({ failures, runtime }), kv, waited });
}

function stranger(n: number) {
  return { email: EMAIL, address: `2001:db8:${n.toString(16)}:1::5` };
}

Deno.test("PasswordGate: guesses from a thousand addresses slow the account down but do not lock it", () =>
  withGate(async ({ gate, waited }) => {
    const outcomes: string[] = [];
    for (let n = 0; n < 1_000; n++) {
      const result = await gate.attempt(stranger(n), wrong);
      outcomes.push("rejected" in result ? result.rejected : "in");
    }
    assertEquals(new Set(outcomes), new Set(["wrong_password"]));
    // 20 immediately, the rest two seconds apart; the owner's password is still accepted.
    assert(waited.length > 900, `${waited.length} waited`);
    const owner = await gate.attempt({ email: EMAIL, address: "192.0.2.1" }, right);
    assertEquals(owner, { right: "in" });
    assert(waited.at(-1)! <= 2_000);
  }));

Deno.test("PasswordGate: a known browser does not wait while many addresses guess", async () => {
  using kv = await Deno.openKv(":memory:");
  const runtime = new FakeRuntime();
  const gate = new PasswordGate({ failures: new SignInFailureStore(kv, runtime), runtime });
  for (let n = 0; n < 20; n++) await gate.attempt(stranger(n), wrong);
  const outcomes: string[] = [];
  for (let n = 20; n < 60; n++) {
    void gate.attempt(stranger(n), wrong).then((result) => {
      outcomes.push("rejected" in result ? result.rejected : "in");
    });
  }
  const known = { email: EMAIL, address: "192.0.2.1", credential: { name: "browser 1" } };
  assertEquals(await gate.attempt(known, right), { right: "in" });
  // The clock does not advance: one runs, ten wait, the others are rejected.
  while (outcomes.length < 30) await settledStore(kv);
  const rejected = outcomes.filter((outcome) => outcome === "too_many_tries").length;
  assertEquals([rejected, runtime.sleeping], [29, 10]);
  await runtime.advance(20_000);
  while (outcomes.length < 40) await settledStore(kv);
});

Deno.test("PasswordGate: one address's flood leaves a free slot for others and one record per checked password", () =>
  withGate(async ({ gate, kv }) => {
    const doors: (() => void)[] = [];
    const order: string[] = [];
    const hold = (name: string) => () => {
      order.push(name);
      const { promise, resolve } = Promise.withResolvers<undefined>();
      doors.push(() => resolve(undefined));
      return promise;
    };
    const flood = Array.from({ length: 40 }, (_, n) => {
      const attempt = { email: `x${n}@example.com`, address: "198.51.100.1" };
      return gate.attempt(attempt, hold(`flood ${n}`));
    });
    const outcomes: string[] = [];
    for (const attempt of flood) {
      attempt.then((one) => outcomes.push("rejected" in one ? one.rejected : "right"));
    }
    while (gate.waiting < 16) await settledStore(kv);
    // One address takes one slot, so the other one is free.
    const owner = await gate.attempt({ email: EMAIL, address: "192.0.2.1" }, () => {
      order.push("owner");
      return right();
    });
    assertEquals(owner, { right: "in" });
    assertEquals([order.length, order[1]], [2, "owner"]);
    // The store may answer in any order, so any 23 of the 40 may be rejected.
    while (outcomes.length < 23) await settledStore(kv);
    assert(outcomes.every((one) => one === "busy" || one === "too_many_tries"));
    while (order.length < 18) {
      doors.shift()?.();
      await settledStore(kv);
    }
    for (const open of doors) open();
    await Promise.all(flood);
    const rows = await Array.fromAsync(kv.list({ prefix: ["sign_in_failures"] }));
    assertEquals(rows.length, 17);
  }));

/** Lets the store answer, and what waits for it go on. */
async function settledStore(kv: Deno.Kv): Promise<void> {
  await kv.get(["nothing"]);
  await flushMicrotasks();
}
