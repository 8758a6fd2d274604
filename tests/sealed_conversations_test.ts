/** Seals of runs, and sealed exports that prove themselves offline: CONTRACT section 11. */
import { assert, assertEquals, assertFalse, assertMatch, assertThrows } from "@std/assert";
import type { Frame } from "@/lib/schemas/frames.ts";
import type { RunSeal } from "@/lib/schemas/run_seal.ts";
import {
  ExportRejectedError,
  UntrustedKeyError,
  verifyExport,
} from "@/lib/services/seals/verify_export.ts";
import { openConversations } from "./support/conversations.ts";
import { NEW_ENCRYPTION_KEY, TEST_ENCRYPTION_KEY } from "./support/encryption_keys.ts";
import { Dashboard } from "./support/dashboard.ts";
import { expectError, expectJson } from "./support/expect_response.ts";
import { readFrames } from "./support/frames.ts";
import { openTestKv } from "./support/open_kv.ts";
import { pausableRuntime } from "./support/pausable_runtime.ts";
import { resign, sealOf } from "./support/seals.ts";
import { TestService } from "./support/service.ts";
import { sweepOrphaned } from "./support/sweep_orphaned.ts";
import { byKey, embed, onPage, ORIGIN, say } from "./support/widget_calls.ts";
import { inTempDir, runCli } from "./support/command_line.ts";

type Fixture = Awaited<ReturnType<typeof openConversations>>;

/** One question on the page: what the client got. */
async function ask(on: Fixture, content: string, conversationId?: string) {
  const body = { messages: [say(content)], ...conversationId && { conversationId } };
  const frames = (await readFrames(await onPage(on.service, { ...on, body })))
    .map(({ frame }) => frame);
  const start = frames[0]!;
  assert(start.type === "start");
  return { frames, runId: start.runId, id: start.conversationId };
}

async function exported({ service, key }: Pick<Fixture, "service" | "key">, id: string) {
  const response = await service.fetch(`/v1/conversations/${id}/export`, { key });
  assertEquals(response.status, 200);
  assertEquals(response.headers.get("content-type"), "application/x-ndjson");
  return new Uint8Array(await response.arrayBuffer());
}

async function keyOf({ service }: Pick<Fixture, "service">): Promise<string> {
  const { keys } = await expectJson(await service.fetch("/v1/seal-keys"), 200);
  return keys.at(-1).kid;
}

/** A conversation of three runs, one of them with a tool call, and its export. */
async function openExport() {
  const on = await openConversations();
  const first = await ask(on, "May I return a book?");
  await ask(on, 'use nothing with {"q":"A-1042"}', first.id);
  await ask(on, "Thanks! 👋 Grüße", first.id);
  return { ...on, id: first.id, bytes: await exported(on, first.id), trusted: await keyOf(on) };
}

function edit(bytes: Uint8Array, change: (lines: string[]) => string[]): Uint8Array {
  const lines = new TextDecoder().decode(bytes).trimEnd().split("\n");
  return new TextEncoder().encode(change(lines).join("\n") + "\n");
}

/** Changes run number `n` (from 0) of an export, and signs the result with the installation's own key. */
async function forge(
  { bytes, kv }: { bytes: Uint8Array; kv: Deno.Kv },
  // deno-lint-ignore no-explicit-any -- a forger changes any field
  { n, change }: { n: number; change: (run: any) => void },
): Promise<Uint8Array> {
  const changed = edit(bytes, (lines) => {
    const run = JSON.parse(lines[n + 1]!);
    change(run);
    return lines.with(n + 1, JSON.stringify(run));
  });
  return await resign(changed, { kv, encryptionKey: TEST_ENCRYPTION_KEY });
}

Deno.test("GET …/seal: the frames that a client has received are what was signed", async () => {
  await using on = await openConversations();
  const { service, sessionToken, agent, key } = on;
  const questions = [
    ...["May I return a book?", 'use nothing with {"q":"A-1042"}'],
    'use nothing with {"q":"A-1042","9":1,"10":2,"!":3}',
  ];
  for (const content of questions) {
    const { frames, runId, id } = await ask(on, content);
    const headers = { "x-service-session": sessionToken, origin: ORIGIN };
    const seal: RunSeal = await expectJson(
      await service.fetch(`/v1/chat/runs/${runId}/seal`, { headers }),
      200,
    );
    const { keys } = await expectJson(await service.fetch("/v1/seal-keys"), 200);
    await sealOf(seal, keys[0]).requireProof({ frames, question: say(content) });
    const version = await expectJson(
      await service.fetch(`/v1/agents/${agent.id}/versions/1`, { key }),
      200,
    );
    await sealOf(seal, keys[0]).requireAgent(version);
    const usage = frames.find((frame) => frame.type === "usage")!;
    const { statement } = seal;
    assertEquals(
      [statement.runId, statement.conversationId, statement.agentVersion, statement.costUsd],
      [runId, id, 1, usage.costUsd],
    );
    assertEquals(statement.number, 0);
  }
});

Deno.test("GET …/seal: a run of which nothing is kept has none", async () => {
  await using on = await openConversations();
  const { service, key } = on;
  const { sessionToken, agent } = await embed(service, { retentionDays: 0 });
  const silent = await ask({ ...on, sessionToken, agent }, "Hello");
  const path = `/v1/chat/runs/${silent.runId}/seal`;
  await expectError(await service.fetch(path, { key }), "not_found");
});

Deno.test("verifyExport: proves questions, frames, versions and prices of the whole conversation", async () => {
  await using on = await openExport();
  const { bytes, trusted, id } = on;
  const proven = verifyExport(bytes, { trusted });
  assertEquals([proven.conversationId, proven.keyId, proven.unproven], [id, trusted, []]);
  assertEquals(proven.statements.map(({ number }) => number), [0, 1, 2]);
  const { data } = await on.list();
  const total = proven.statements.reduce((sum, { costUsd }) => sum + costUsd * 1e6, 0);
  assertEquals(Math.round(total), Math.round(data[0]!.costUsd * 1e6));
});

Deno.test("verifyExport: every export with one changed, missing or doubled byte is rejected", async () => {
  await using on = await openExport();
  const { bytes, trusted } = on;
  const accepted: string[] = [];
  const check = (what: string, changed: Uint8Array) => {
    try {
      verifyExport(changed, { trusted });
      accepted.push(what);
    } catch (error) {
      assert(error instanceof ExportRejectedError, `${what}: ${error}`);
    }
  };
  for (let at = 0; at < bytes.length; at++) {
    for (const bit of [0, 2, 5]) {
      check(`bit ${bit} of ${at}`, bytes.with(at, bytes[at]! ^ 1 << bit));
    }
    if (at % 7 > 0) continue;
    check(`without ${at}`, new Uint8Array([...bytes.subarray(0, at), ...bytes.subarray(at + 1)]));
    check(`doubled ${at}`, new Uint8Array([...bytes.subarray(0, at + 1), ...bytes.subarray(at)]));
  }
  assertEquals(accepted, []);
});

Deno.test("verifyExport: lines that are left out, moved, doubled or added are rejected", async () => {
  await using on = await openExport();
  const { bytes, trusted } = on;
  const forgeries: Record<string, (lines: string[]) => string[]> = {
    "no run": (lines) => lines.toSpliced(2, 1),
    "runs in another order": ([head, a, b, ...rest]) => [head!, b!, a!, ...rest],
    "a run twice": (lines) => lines.toSpliced(2, 0, lines[1]!),
    "no last line": (lines) => lines.slice(0, -1),
    "a line after the last": (lines) => [...lines, lines[1]!],
    "an empty line": (lines) => lines.toSpliced(1, 0, ""),
    "no line": () => [],
    "another first line": (lines) => lines.with(0, lines[1]!),
    "spaces in the last line": (lines) => lines.with(-1, lines.at(-1)!.replace(":", ": ")),
  };
  for (const [name, change] of Object.entries(forgeries)) {
    assertThrows(
      () => verifyExport(edit(bytes, change), { trusted }),
      ExportRejectedError,
      "",
      name,
    );
  }
});

Deno.test("verifyExport: an export that somebody signed with another key is untrusted", async () => {
  await using on = await openExport();
  await using other = await openConversations();
  await ask(other, "Hello");
  const forged = await resign(on.bytes, { kv: other.kv, encryptionKey: TEST_ENCRYPTION_KEY });
  assertThrows(() => verifyExport(forged, { trusted: on.trusted }), ExportRejectedError);
  const foreign = await exported(other, (await other.list()).data[0]!.id);
  assertThrows(() => verifyExport(foreign, { trusted: on.trusted }), UntrustedKeyError);
});

Deno.test("verifyExport: even with the installation's key, an export cannot change what was said", async () => {
  await using on = await openExport();
  const { trusted } = on;
  const delta = (frames: Frame[]) => frames.findIndex(({ type }) => type === "delta");
  const forgeries: [string, Parameters<typeof forge>[1]["change"], RegExp][] = [
    ["a changed word", ({ frames }) => frames[delta(frames)].text += "!", /frames were changed/],
    ["a frame left out", ({ frames }) => frames.splice(delta(frames), 1), /frames, but its seal/],
    ["frames swapped", ({ frames }) => frames.splice(1, 2, frames[2], frames[1]), /changed/],
    ["another price", ({ frames }) => frames.at(-2).costUsd += 1, /frames were changed/],
    ["a price in the statement", ({ seal }) => seal.statement.costUsd += 1, /wrong signature/],
    ["a swapped version", ({ seal }) => seal.statement.agentVersion = 2, /wrong signature/],
    ["another agent", ({ seal }) => seal.statement.agentDigest = seal.statement.head, /signature/],
    ["another question", ({ question }) => question.content = "Hi", /question was changed/],
    ["no question", (run) => delete run.question, /question was changed/],
    ["another nonce", ({ seal }) => seal.nonce = "A".repeat(22), /changed/],
    ["another run's id", (run) => run.runId = crypto.randomUUID(), /seal is that of another run/],
    ["an unknown key", ({ seal }) => seal.keyId = seal.statement.head, /unknown key/],
  ];
  for (const [name, change, reason] of forgeries) {
    const forged = await forge(on, { n: 1, change });
    const error = assertThrows(
      () => verifyExport(forged, { trusted }),
      ExportRejectedError,
      "",
      name,
    );
    assertMatch((error as Error).message, reason, name);
  }
  const moved = edit(on.bytes, (lines) => {
    const runs = lines.slice(1, 3).map((line) => JSON.parse(line));
    [runs[0].seal, runs[1].seal] = [runs[1].seal, runs[0].seal];
    return [lines[0]!, ...runs.map((run) => JSON.stringify(run)), ...lines.slice(3)];
  });
  const resigned = await resign(moved, { kv: on.kv, encryptionKey: TEST_ENCRYPTION_KEY });
  assertThrows(() => verifyExport(resigned, { trusted }), ExportRejectedError, "another run");
});

Deno.test("verifyExport: even with the installation's key, runs cannot be moved, doubled or left out unseen", async () => {
  await using on = await openExport();
  const { trusted } = on;
  const forgeries: Record<string, (lines: string[]) => string[]> = {
    "another order": ([head, a, b, ...rest]) => [head!, b!, a!, ...rest],
    "one twice": (lines) => lines.toSpliced(2, 0, lines[1]!),
    "one in place of another": (lines) => lines.with(2, lines[1]!),
  };
  const signed = (change: (lines: string[]) => string[]) =>
    resign(edit(on.bytes, change), { kv: on.kv, encryptionKey: TEST_ENCRYPTION_KEY });
  for (const [name, change] of Object.entries(forgeries)) {
    const forged = await signed(change);
    assertThrows(() => verifyExport(forged, { trusted }), ExportRejectedError, "place", name);
  }
  const missing = async (change: (lines: string[]) => string[]) =>
    verifyExport(await signed(change), { trusted }).missing;
  const unsealed = (lines: string[]) => {
    const { seal: _seal, ...run } = JSON.parse(lines[2]!);
    return lines.with(2, JSON.stringify(run));
  };
  assertEquals(await missing((lines) => lines), 0);
  assertEquals(await missing((lines) => lines.toSpliced(2, 1)), 1);
  assertEquals(await missing((lines) => lines.toSpliced(1, 2)), 2);
  assertEquals(await missing(unsealed), 0);
});

Deno.test("verifyExport: a run without its seal or its frames is named as unproven", async () => {
  await using on = await openExport();
  const { trusted } = on;
  for (const field of ["seal", "frames"]) {
    const forged = await forge(on, { n: 0, change: (run) => delete run[field] });
    const { unproven, statements } = verifyExport(forged, { trusted });
    assertEquals(unproven.length, 1);
    assertEquals(statements.length, field === "seal" ? 2 : 3);
  }
});

Deno.test("a changed record of a run breaks its seal", async () => {
  await using on = await openExport();
  const { kv, trusted, id } = on;
  for await (const { key, value } of kv.list<Record<string, unknown>>({ prefix: ["runs"] })) {
    await kv.set(key, { ...value, agentVersion: 7 });
  }
  const bytes = await exported(on, id);
  assertThrows(() => verifyExport(bytes, { trusted }), ExportRejectedError, "wrong signature");
});

Deno.test("a run whose process died is sealed with what it had said", async () => {
  const kv = await openTestKv();
  const paused = pausableRuntime();
  const env = { UNWATCHED_RUN_MS: "600000" };
  const dying = await TestService.start({ kv, keepKv: true, runtime: paused.runtime, env });
  const { agent, sessionToken } = await embed(dying);
  const key = await dying.key(["conversations:read", "agents:write"]);
  const body = { messages: [say("count slowly to 40")] };
  const response = await onPage(dying, { agent, sessionToken, body });
  const runId = response.headers.get("x-run-id")!;
  await using second = await TestService.start({ kv, keepKv: true, runtime: paused.runtime });
  const read = () => second.fetch(`/v1/chat/runs/${runId}/seal`, { key });
  await expectError(await read(), "run_not_ended");
  await sweepOrphaned(second.service.orphanedRuns, paused.advance);
  const seal: RunSeal = await expectJson(await read(), 200);
  assertEquals(seal.statement.finishReason, "interrupted");
  const trusted = await keyOf({ service: second });
  const bytes = await exported({ service: second, key }, seal.statement.conversationId);
  const { statements, unproven } = verifyExport(bytes, { trusted });
  assertEquals([statements[0], unproven], [seal.statement, []]);
  await response.body?.cancel();
  await dying[Symbol.asyncDispose]();
  kv.close();
});

Deno.test("seals: all processes sign with one key, which a new encryption key does not change", async () => {
  const kv = await openTestKv();
  const services = await Promise.all(
    [1, 2, 3].map(() => TestService.start({ kv, keepKv: true })),
  );
  const ids = await Promise.all(services.map((service) => keyOf({ service })));
  assertEquals(new Set(ids).size, 1);
  const [one] = services as [TestService];
  const { key: agentKey, agent } = await embed(one);
  const key = await one.key(["conversations:read"]);
  const asked = await byKey(one, { key: agentKey, body: { agentId: agent.id } });
  const [first] = await readFrames(asked);
  assert(first?.frame.type === "start");
  for (const service of services) await service[Symbol.asyncDispose]();

  const encryptionKeys = [NEW_ENCRYPTION_KEY, TEST_ENCRYPTION_KEY];
  const rotated = await TestService.start({ kv, keepKv: true, encryptionKeys });
  const { unreadable } = await rotated.service.reencryption.run();
  assertEquals(unreadable, {});
  await rotated[Symbol.asyncDispose]();
  await using later = await TestService.start({
    ...{ kv, keepKv: true, encryptionKeys: [NEW_ENCRYPTION_KEY] },
  });
  assertEquals(await keyOf({ service: later }), ids[0]);
  const bytes = await exported({ service: later, key }, first.frame.conversationId);
  assertEquals(verifyExport(bytes, { trusted: ids[0]! }).unproven, []);
  await later[Symbol.asyncDispose]();
  kv.close();
});

Deno.test("GET /v1/conversations/:id/export: 404 for another tenant's, 403 without the scope", async () => {
  await using on = await openExport();
  const { service, id } = on;
  const path = `/v1/conversations/${id}/export`;
  const { id: elsewhere } = await service.service.tenants.create("Elsewhere");
  const other = await service.key(["conversations:read"], elsewhere);
  await expectError(await service.fetch(path, { key: other }), "not_found");
  const without = await service.key(["agents:read"]);
  await expectError(await service.fetch(path, { key: without }), "insufficient_scope");
  const unknown = `/v1/conversations/${crypto.randomUUID()}/export`;
  await expectError(await service.fetch(unknown, { key: on.key }), "not_found");
});

Deno.test("deno task verify: 0 for what the service has said, 1 for anything else, 2 for wrong usage", async () => {
  await using on = await openExport();
  const { bytes, trusted, service, key, agent } = on;
  await inTempDir(async (dir) => {
    const verify = (...words: string[]) => runCli("verify", words, { dir, env: { INIT_CWD: dir } });
    await Deno.writeFile(`${dir}/whole.jsonl`, bytes);
    const changed = edit(bytes, (lines) => lines.with(1, lines[1]!.replace("book", "bike")));
    await Deno.writeFile(`${dir}/changed.jsonl`, changed);
    const unsealed = await forge(on, { n: 0, change: (run) => delete run.seal });
    await Deno.writeFile(`${dir}/unsealed.jsonl`, unsealed);
    const version = await service.fetch(`/v1/agents/${agent.id}/versions/1`, { key });
    await Deno.writeTextFile(`${dir}/agent.json`, await version.text());
    const other = { ...JSON.parse(await Deno.readTextFile(`${dir}/agent.json`)), name: "Other" };
    await Deno.writeTextFile(`${dir}/other.json`, JSON.stringify(other));

    const good = await verify("whole.jsonl", "--key", trusted, "--agent", "agent.json");
    assertEquals([good.code, good.err], [0, ""]);
    assertMatch(good.out, /PROVEN: conversation .*; 3 runs for /);
    const results: [words: string[], code: number, err: RegExp][] = [
      [["changed.jsonl", "--key", trusted], 1, /REJECTED: its text was changed/],
      [["whole.jsonl", "--key", "A".repeat(43)], 1, /REJECTED: it is signed with the key/],
      [["whole.jsonl", "--key", trusted, "--agent", "other.json"], 1, /was not what/],
      [["unsealed.jsonl", "--key", trusted], 1, /1 of its runs have no complete seal/],
      [["missing.jsonl", "--key", trusted], 1, /No such file/],
      [["whole.jsonl"], 2, new RegExp(`repeat this with --key ${trusted}`)],
      [["whole.jsonl", "--key", "short"], 2, /43 characters/],
      [[], 2, /name the file/],
    ];
    const codes = await Promise.all(results.map(async ([words, code, err]) => {
      const result = await verify(...words);
      assertMatch(result.err, err);
      assertFalse(result.out.includes("PROVEN") && code === 1 && !words.includes("unsealed.jsonl"));
      return [words, result.code];
    }));
    assertEquals(codes, results.map(([words, code]) => [words, code]));
    const allowed = await verify("unsealed.jsonl", "--key", trusted, "--allow-unproven");
    assertEquals(allowed.code, 0);
  });
});

Deno.test("the dashboard: a conversation's page downloads its proof, and the settings show the key", async () => {
  await using on = await openExport();
  const { service, id, trusted } = on;
  const dashboard = await Dashboard.join(service, "viewer");
  const html = await (await dashboard.get(`/conversations/${id}`)).text();
  const href = /href="([^"]*\/sealed-export[^"]*)"/.exec(html)![1]!.replaceAll("&amp;", "&");
  const answer = await dashboard.get(href);
  assertEquals(answer.status, 200);
  assertMatch(answer.headers.get("content-disposition")!, /^attachment; filename="conversation-/);
  const bytes = new Uint8Array(await answer.arrayBuffer());
  assertEquals(verifyExport(bytes, { trusted }).unproven, []);
  const settings = await (await dashboard.get("/settings")).text();
  assert(settings.includes(trusted));
  const { data } = await service.service.audit.list(await service.tenant(), { limit: 5 });
  const { action, target } = data[0]!;
  assertEquals([action, target.id], ["export", id]);
  assertEquals(
    await statusOf(dashboard.get(`/conversations/${crypto.randomUUID()}/sealed-export`)),
    404,
  );
});

async function statusOf(answer: Promise<Response>): Promise<number> {
  const { status, body } = await answer;
  await body?.cancel();
  return status;
}
