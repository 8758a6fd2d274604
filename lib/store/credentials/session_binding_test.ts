import { assert, assertEquals } from "@std/assert";
import { fakeUuid } from "@/tests/support/fake_runtime.ts";
import type { Session } from "./session_store.ts";
import {
  MAX_SPENT_PROOFS,
  needsBinding,
  permitsProof,
  type SessionProof,
  spendProof,
} from "./session_binding.ts";

const [KEY, OTHER] = ["key".padEnd(43, "-"), "other".padEnd(43, "-")];
const SESSION: Session = {
  ...{ v: 1, id: fakeUuid(1), tenant: fakeUuid(2), agentId: fakeUuid(3), playground: false },
  ...{ exp: 1, messages: 0, messageCap: 50 },
};

const proof = (change: Partial<SessionProof> = {}): SessionProof => ({
  ...{ jkt: KEY, jti: "one", period: 100, ...change },
});

const spend = (session: Session | undefined, change: Partial<SessionProof>, run = 1) =>
  session && spendProof(session, { proof: proof(change), runId: fakeUuid(run) });

Deno.test("permitsProof: an open session permits all, a bound one only its key", () => {
  const cases: [Session["binding"], boolean[]][] = [
    [undefined, [true, true, true]],
    [{}, [false, true, true]],
    [{ jkt: KEY }, [false, true, false]],
  ];
  for (const [binding, expected] of cases) {
    const permits = [undefined, proof(), proof({ jkt: OTHER })].map((given) =>
      permitsProof({ binding }, given)
    );
    assertEquals(permits, expected);
  }
});

Deno.test("needsBinding: the first proof binds a session, minted to be bound or not", () => {
  for (const binding of [undefined, {}]) {
    assertEquals([undefined, proof()].map((given) => needsBinding({ binding }, given)), [
      ...[false, true],
    ]);
  }
  assertEquals(needsBinding({ binding: { jkt: KEY } }, proof()), false);
});

Deno.test("spendProof: without a proof an open session stays as it is", () => {
  assertEquals(spendProof(SESSION, { proof: undefined, runId: fakeUuid(1) }), SESSION);
});

Deno.test("spendProof: binds the session, and accepts a proof again only for the same run", () => {
  const bound = spend(SESSION, {});
  assertEquals(bound?.binding, { jkt: KEY });
  assertEquals(spend(bound, { jkt: OTHER, jti: "two" }), undefined);
  // A commit of unknown outcome finds what it has written.
  assertEquals(spend(bound, {}, 1), bound);
  assertEquals(spend(bound, {}, 2), undefined);
  assertEquals(spend(bound, { jti: "two" }, 2)?.spentProofs?.length, 2);
});

Deno.test("spendProof: a proof is remembered until no process accepts its nonce", () => {
  const first = spend(SESSION, { period: 100 });
  // The nonce of period 100 is accepted until 101, and until 102 by a process that is behind; a
  // process that is ahead may issue 103.
  const later = spend(first, { jti: "two", period: 103 }, 2);
  assertEquals(spend(later, { period: 100 }, 3), undefined);
  const last = spend(later, { jti: "three", period: 104 }, 4);
  assertEquals(last?.spentProofs?.map(({ jti }) => jti), ["two", "three"]);
});

Deno.test("spendProof: a session remembers a bounded number of proofs, more than its messages", () => {
  assert(MAX_SPENT_PROOFS > SESSION.messageCap);
  let session: Session | undefined = SESSION;
  for (let n = 0; n < MAX_SPENT_PROOFS; n++) session = spend(session, { jti: `${n}` }, n);
  assertEquals(session?.spentProofs?.length, MAX_SPENT_PROOFS);
  assertEquals(spend(session, { jti: "more" }, 1_000), undefined);
  const later = spend(session, { jti: "more", period: 104 }, 1_000);
  assertEquals(later?.spentProofs?.length, 1);
  assert(JSON.stringify(session).length < 6_000);
});
