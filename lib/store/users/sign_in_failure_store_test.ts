import { assertEquals } from "@std/assert";
import { storedText } from "@/tests/support/store.ts";
import { SignInFailureStore } from "./sign_in_failure_store.ts";

const EMAIL = "a@example.com";
const MINUTE = 60_000;

async function withStore(
  run: (fixture: {
    kv: Deno.Kv;
    failures: SignInFailureStore;
    clock: { ms: number };
  }) => Promise<void>,
): Promise<void> {
  using kv = await Deno.openKv(":memory:");
  const clock = { ms: 1_000_000 };
  const failures = new SignInFailureStore(kv, { now: () => clock.ms });
  await run({ kv, clock, failures });
}

Deno.test("SignInFailureStore: locks a pair after five failures within fifteen minutes", () =>
  withStore(async ({ failures, clock }) => {
    for (let n = 0; n < 5; n++) {
      assertEquals((await failures.recordAttempt(EMAIL, "192.0.2.1")).here, n + 1);
      clock.ms += MINUTE;
    }
    const locked = { waitMs: 10 * MINUTE, here: 5, elsewhere: 0 };
    assertEquals(await failures.recordAttempt(EMAIL, "192.0.2.1"), locked);
    assertEquals(await failures.read(EMAIL, "192.0.2.1"), locked);
    assertEquals((await failures.read(EMAIL, "192.0.2.2")).waitMs, 0);
    assertEquals((await failures.read(EMAIL, "192.0.2.2")).elsewhere, 5);
    clock.ms += 10 * MINUTE;
    assertEquals((await failures.recordAttempt(EMAIL, "192.0.2.1")).waitMs, 0);
    assertEquals((await failures.recordAttempt(EMAIL, "192.0.2.1")).waitMs, MINUTE);
  }));

Deno.test("SignInFailureStore: concurrent attempts are all counted", () =>
  withStore(async ({ failures }) => {
    const all = await Promise.all(
      Array.from({ length: 20 }, () => failures.recordAttempt(EMAIL, "192.0.2.1")),
    );
    assertEquals(all.filter(({ waitMs }) => waitMs === 0).length, 5);
  }));

Deno.test("SignInFailureStore.clear: clears one place only, and deletes an empty record", () =>
  withStore(async ({ kv, failures }) => {
    await failures.recordAttempt(EMAIL, "192.0.2.1");
    await failures.recordAttempt(EMAIL, "192.0.2.2");
    await failures.clear(EMAIL, "192.0.2.1");
    assertEquals((await failures.read(EMAIL, "192.0.2.1")).elsewhere, 1);
    await failures.clear(EMAIL, "192.0.2.2");
    assertEquals(await storedText(kv), "");
  }));

Deno.test("SignInFailureStore: a record is bounded, and does not contain the email", () =>
  withStore(async ({ kv, failures }) => {
    for (let n = 0; n < 120; n++) await failures.recordAttempt(EMAIL, `2001:db8:${n}:0::/64`);
    assertEquals((await failures.read(EMAIL, "192.0.2.1")).elsewhere, 100);
    assertEquals((await storedText(kv)).includes("example.com"), false);
  }));
