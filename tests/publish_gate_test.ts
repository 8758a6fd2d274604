/** Gates: a version is published only if it has passed a test set. */
import { assertEquals } from "@std/assert";
import { expectError, expectInvalid, expectJson } from "./support/expect_response.ts";
import { openPublishing } from "./support/publishing.ts";
import { testSetCalls } from "./support/test_sets.ts";

const MISSING = "3f2c8a51-7d0e-4b9a-9c34-5e6f7a8b9c0d";

/** Version 1 says `one`, version 2 `two`; a case demands `two`. */
async function open() {
  const on = await openPublishing();
  const { service, path } = on;
  const key = await service.key(["agents:write", "conversations:read"]);
  const tests = testSetCalls(service, key);
  const set = await tests.create(on.id, { threshold: 1, budgetUsd: 1 });
  const addCase = (words: string) => {
    const expectations = [{ type: "contains", text: words }];
    return tests.add(set.id, [{ question: "Hello", expectations }]);
  };
  await addCase("two");
  const test = async (version: number) => (await tests.run(set.id, { version })).run;
  const call = (method: string, at: string, json?: unknown) =>
    service.fetch(`${path}/publication${at}`, { method, key, ...json !== undefined && { json } });
  const gate = (testSetId: string) => call("PUT", "/gate", { testSetId });
  const publishVersion = (version: number) => call("PUT", "", { mode: "manual", version });
  const canary = (version: number) => call("PUT", "/canary", { version, percent: 10 });
  await on.publish({ mode: "manual" });
  await on.save({ systemPrompt: "two" });
  return { ...on, tests, call, set, addCase, test, gate, publishVersion, canary };
}

Deno.test("a version is published, and tried by a canary, once it has passed the gate", async () => {
  await using on = await open();
  assertEquals((await expectJson(await on.gate(on.set.id), 200)).gate, { testSetId: on.set.id });
  await expectInvalid(await on.publishVersion(2), ["version"]);
  await expectInvalid(await on.canary(2), ["version"]);
  assertEquals((await on.test(2)).isPassed, true);
  await expectJson(await on.canary(2), 200);
  await expectJson(await on.publishVersion(2), 200);
  // The version before it may return without tests.
  await expectJson(await on.publishVersion(1), 200);
});

Deno.test("a failed run, or one of other cases, opens no gate", async () => {
  await using on = await open();
  await expectJson(await on.gate(on.set.id), 200);
  await on.save({ systemPrompt: "three" });
  assertEquals((await on.test(3)).isPassed, false);
  await expectInvalid(await on.publishVersion(3), ["version"]);
  await on.test(2);
  await on.addCase("wo");
  await expectInvalid(await on.publishVersion(2), ["version"]);
  await on.test(2);
  await expectJson(await on.publishVersion(2), 200);
});

Deno.test("a gate is of the agent's own test sets, and of manual publications", async () => {
  await using on = await open();
  await expectInvalid(await on.gate(MISSING), ["testSetId"]);
  const other = await on.service.agent(on.key);
  const foreign = await on.tests.create(other.id);
  await expectInvalid(await on.gate(foreign.id), ["testSetId"]);
  await expectJson(await on.gate(on.set.id), 200);
  await expectInvalid(await on.call("PUT", "", { mode: "automatic" }), ["mode"]);
  const opened = await expectJson(await on.call("DELETE", "/gate"), 200);
  assertEquals(opened.gate, undefined);
  await expectJson(await on.publishVersion(2), 200);
  await expectJson(await on.call("PUT", "", { mode: "automatic" }), 200);
  await expectInvalid(await on.gate(on.set.id), ["mode"]);
  const weak = await on.service.key(["agents:read"]);
  const put = await on.service.fetch(`${on.path}/publication/gate`, {
    ...{ method: "PUT", key: weak, json: { testSetId: on.set.id } },
  });
  await expectError(put, "insufficient_scope");
});

Deno.test("a gate whose test set was deleted stays shut until it is deleted too", async () => {
  await using on = await open();
  await on.test(2);
  await expectJson(await on.gate(on.set.id), 200);
  assertEquals((await on.tests.call("DELETE", `/${on.set.id}`)).status, 204);
  await expectInvalid(await on.publishVersion(2), ["version"]);
  await expectJson(await on.call("DELETE", "/gate"), 200);
  await expectJson(await on.publishVersion(2), 200);
});
