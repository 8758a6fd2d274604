import { setImmediate } from "node:timers";
import { assertEquals } from "@std/assert";
import { contentCipher } from "@/tests/support/content.ts";
import { FakeRuntime } from "@/tests/support/fake_runtime.ts";
import { runFacts, runRequest } from "@/tests/support/run_requests.ts";
import { GroupCommitter } from "../store/tx/group_committer.ts";
import { Admission } from "../billing/admission.ts";
import { FailureDetector } from "../billing/failure_detector.ts";
import { keys } from "../store/keys/keys.ts";
import { interruptedEnd } from "../store/runs/run_record.ts";
import { TenantStore } from "../store/tenants/tenant_store.ts";
import type { Frame } from "../schemas/frames.ts";
import type { Run } from "./run.ts";
import { RunRegistry } from "./run_registry.ts";
import { RunLog } from "./log/run_log.ts";
import { requestCancellation } from "./cancellation_channel.ts";
import type { RunLogWriter } from "./log/run_log_writer.ts";

const turn = () => new Promise((wake) => setImmediate(wake));

/** A process's runs and helpers to change them. */
function open(kv: Deno.Kv) {
  const runtime = new FakeRuntime();
  const committer = new GroupCommitter(kv, { runtime });
  const admission = new Admission(committer, { runtime });
  const tenants = new TenantStore(kv, runtime);
  const leases = new FailureDetector(runtime);
  const directory = new RunRegistry({
    ...{ kv, committer, admission, runtime, tenants, leases },
    content: contentCipher(),
  });
  const stopped: string[] = [];
  const add = (id: string) => {
    const stop = (reason: string) => stopped.push(`${id} ${reason}`);
    directory.add({ id, stop } as unknown as Run);
  };
  const facts = runFacts(1);
  const ownerOf = async () =>
    (await directory.startHook(facts, { messages: [], isNew: true })).state.log.owner;
  return { directory, admission, runtime, stopped, add, ownerOf };
}

Deno.test("RunRegistry: a run cancelled before it was added is stopped when it is added", async () => {
  using kv = await Deno.openKv(":memory:");
  const { directory, runtime, stopped, add, ownerOf } = open(kv);
  const owner = await ownerOf();
  add("run-0");
  await requestCancellation(kv, { owner, tenant: "t", runId: "run-1", runtime });
  const asked = () => Array.fromAsync(kv.list({ prefix: keys.stopRequests(owner) }));
  while ((await asked()).length > 0) await turn();
  assertEquals(stopped, []);
  add("run-1");
  add("run-2");
  assertEquals(stopped, ["run-1 cancelled"]);
  directory.close();
});

Deno.test("RunRegistry: a run without idempotency record was rejected, one with a record is expired", async () => {
  using kv = await Deno.openKv(":memory:");
  const { directory } = open(kv);
  const recordKey = keys.chatIdempotencyRecord("t", "scope");
  const of = { tenant: "t", runId: "run-1", recordKey };
  const end = { ...interruptedEnd(runFacts(1, { tenant: "t" })), endedAt: 1, cost: 0, excess: 0 };
  const record = { v: 1 as const, ...runFacts(1, { tenant: "t" }), ...end };
  await kv.set(keys.run("t", "run-1"), record);
  assertEquals(await directory.waitUntilOpen(of), { state: "rejected" });
  await kv.set(recordKey, { v: 1, fingerprint: "f", runId: "run-1", exp: 0 });
  assertEquals(await directory.waitUntilOpen(of), { state: "expired", record });
});

Deno.test("RunRegistry: a run followed through another process arrives there 4 times a second", async () => {
  using kv = await Deno.openKv(":memory:");
  const [owner, other] = [open(kv), open(kv)];
  const facts = runFacts(1);
  const { tenant, runId } = facts;
  const opening = await owner.directory.startHook(facts, { messages: [], isNew: true });
  await owner.admission.admit(runRequest(1, { run: facts, startHook: opening }));
  const log: RunLog = new RunLog((frame) => stored.onAppend(frame));
  const stored: RunLogWriter = owner.directory.createLogWriter({ facts, startHook: opening }, {
    log,
    onLost: () => {},
  });
  owner.add(runId);
  const word: Frame = { type: "delta", text: "word " };
  const followed = other.directory.follow(tenant, runId);
  // The next poll finds what was stored between a poll and the wait for a change.
  const untilThere = async () => {
    for (; followed.log.length < log.length; await turn()) await other.runtime.advance(250);
  };
  log.append(word);
  // The clock of the owner does not advance: it stores only because it learned of the follower.
  followed.followers.enter();
  await untilThere();
  log.append(word);
  await owner.runtime.advance(250);
  await untilThere();
  assertEquals(followed.log.after(0), log.after(0));
  followed.followers.leave();
  owner.admission.close();
  for (const { directory } of [owner, other]) directory.close();
});
