import { assert, assertEquals } from "@std/assert";
import { contentCipher } from "@/tests/support/content.ts";
import { FakeRuntime } from "@/tests/support/fake_runtime.ts";
import { RUN_END, runFacts } from "@/tests/support/run_requests.ts";
import { storedKeys } from "@/tests/support/store.ts";
import { GroupCommitter } from "../../store/tx/group_committer.ts";
import { newActiveRun } from "../../store/runs/active_run.ts";
import { StoreUnavailableError } from "../../store/tx/operation.ts";
import type { RunTranscript } from "../../store/conversations/conversation_record.ts";
import {
  ConversationStore,
  type RunWithTranscript,
} from "../../store/conversations/conversation_store.ts";
import { keys } from "../../store/keys/keys.ts";
import type { StoredMessage } from "../../store/conversations/conversation_record.ts";
import type { Frame } from "../../schemas/frames.ts";
import { ConversationLog } from "./conversation_log.ts";
import { RunInputStore } from "../run_input.ts";

const content = contentCipher();

const FACTS = runFacts(1, { startedAt: new FakeRuntime().now() });
const NAME = {
  tenant: FACTS.tenant,
  id: FACTS.conversationId,
  agentId: FACTS.agentId,
  page: "",
};
const LIVE = newActiveRun(FACTS, []);
const TEXT = "word ".repeat(20_000);
const ANSWER: Frame[] = [{ type: "delta", text: TEXT }];
const HELLO: StoredMessage[] = [{ role: "user", content: "Hello" }];

/** The decrypted transcript of a run. */
function said(run: RunWithTranscript | undefined): RunTranscript {
  assert(run !== undefined && run.transcript !== "unreadable");
  return run.transcript;
}

/** A log on a store; `write` may replace the store for writing ahead. */
function open(kv: Deno.Kv, write?: () => Promise<never>) {
  const runtime = new FakeRuntime();
  const committer = new GroupCommitter(kv, { runtime });
  const ahead = write === undefined ? committer : { run: write } as unknown as GroupCommitter;
  const log = new ConversationLog({ kv, committer: ahead, runtime, content });
  const inputs = new RunInputStore(kv, content);
  /** Settles a run of `messages` answered by `frames`. */
  const settle = async (messages: StoredMessage[], frames: Frame[]) => {
    const input = { days: 30, messages };
    const { conversation } = await inputs.startHook(FACTS, { input, isNew: false });
    const closing = await log.settleHook(conversation, { facts: FACTS, end: RUN_END, frames });
    await committer.run({
      keys: [...closing.keys, keys.activeRun(FACTS.tenant, FACTS.runId)],
      decide: (draft) => closing.write(draft, { charged: 7, excess: 0 }),
    });
    await closing.afterCommit?.({ late: false });
  };
  const store = new ConversationStore(kv, { runtime, content });
  const told = async () => (await store.listRuns(NAME, { from: 0, limit: 10 })).runs;
  return { runtime, inputs, log, committer, settle, store, told };
}

Deno.test("ConversationLog: a transcript written ahead is visible with the commit that settles its run", async () => {
  using kv = await Deno.openKv(":memory:");
  const { settle, told } = open(kv);
  await settle(HELLO, ANSWER);
  const [run] = await told();
  assertEquals([said(run).text, run!.row.cost], [TEXT, 7]);
  assertEquals(run!.row.parts, 3);
});

Deno.test("ConversationLog: if a large transcript cannot be written, the question and the beginning of the answer are stored", async () => {
  using kv = await Deno.openKv(":memory:");
  const { settle, told } = open(kv, () => Promise.reject(new StoreUnavailableError("away")));
  await settle(HELLO, ANSWER);
  const [run] = await told();
  assertEquals(said(run).messages, [{ ...HELLO[0]!, claimed: false }]);
  assertEquals(said(run).text, TEXT.slice(0, 16_000));
});

Deno.test("ConversationLog: a transcript written ahead for a deleted conversation is deleted", async () => {
  using kv = await Deno.openKv(":memory:");
  const { settle } = open(kv);
  await kv.set(keys.conversation(NAME), { v: 1, gone: [FACTS.runId] });
  await settle(HELLO, ANSWER);
  assertEquals(await storedKeys(kv), []);
});

Deno.test("ConversationLog: a run that no model accepted leaves no trace in a deleted conversation", async () => {
  using kv = await Deno.openKv(":memory:");
  const { settle } = open(kv);
  await kv.set(keys.conversation(NAME), { v: 1, gone: [FACTS.runId] });
  await settle(HELLO, []);
  assertEquals(await storedKeys(kv), []);
  await settle(HELLO, []);
  assertEquals(await storedKeys(kv), [], "nor in a conversation that does not exist");
});

Deno.test("ConversationLog: a late settlement deletes only what it wrote ahead", async () => {
  using kv = await Deno.openKv(":memory:");
  const { inputs, log, settle, told } = open(kv);
  const { conversation } = await inputs.startHook(FACTS, {
    input: { days: 30, messages: HELLO },
    isNew: false,
  });
  const late = () => log.settleHook(conversation, { facts: FACTS, end: RUN_END, frames: ANSWER });
  // Settled by another process, then deleted with its conversation.
  await (await late()).afterCommit?.({ late: true });
  assertEquals(await storedKeys(kv), []);
  await settle(HELLO, ANSWER);
  await kv.set(keys.run(FACTS.tenant, FACTS.runId), {});
  await (await late()).afterCommit?.({ late: true });
  assertEquals((await told()).length, 1);
});

Deno.test("ConversationLog: a settlement deletes what another process wrote ahead for a deleted conversation", async () => {
  using kv = await Deno.openKv(":memory:");
  const { inputs, log, settle } = open(kv);
  const { conversation } = await inputs.startHook(FACTS, {
    input: { days: 30, messages: HELLO },
    isNew: false,
  });
  // Died between writing ahead and the commit.
  await log.settleHook(conversation, { facts: FACTS, end: RUN_END, frames: ANSWER });
  await kv.set(keys.conversation(NAME), { v: 1, gone: [FACTS.runId] });
  await settle(HELLO, [{ type: "delta", text: "what was stored" }]);
  assertEquals(await storedKeys(kv), []);
});

Deno.test("ConversationLog: the input of a run is found by another process and deleted with the settlement", async () => {
  using kv = await Deno.openKv(":memory:");
  const { inputs, log, committer } = open(kv);
  const messages = Array.from({ length: 9 }, (_, n): StoredMessage => ({
    role: "user",
    content: `${n} ${"x".repeat(20_000)}`,
  }));
  const input = { days: 7, origin: "https://shop.example", messages };
  const hook = await inputs.startHook(FACTS, { input, isNew: true });
  await committer.run({ keys: [], decide: (draft) => hook.write!(draft) });
  const found = await inputs.find(LIVE);
  assertEquals(found?.input, { v: 1, ...input } as never);
  const end = { ...RUN_END, finishReason: "interrupted" } as const;
  const closing = await log.settleHook(found!, { facts: FACTS, end, frames: [] });
  await committer.run({
    keys: [...closing.keys, keys.activeRun(FACTS.tenant, FACTS.runId)],
    decide: (draft) => closing.write(draft, { charged: 0, excess: 0 }),
  });
  assertEquals(await inputs.find(LIVE), undefined);
});

Deno.test("ConversationLog: an input too large for admission is stored as its last message", async () => {
  using kv = await Deno.openKv(":memory:");
  const { inputs } = open(kv);
  const long = Array.from({ length: 12 }, (): StoredMessage => ({
    role: "user",
    content: "x".repeat(20_000),
  }));
  const input = { days: 7, messages: [...long, ...HELLO] };
  const { conversation, state } = await inputs.startHook(FACTS, { input, isNew: true });
  assertEquals(conversation.input.messages.length, 13);
  const found = await inputs.find({ ...LIVE, ...state });
  assertEquals([found?.chunks, found?.input.messages], [0, HELLO]);
});

Deno.test("ConversationLog: a corrupt transcript does not hide other runs", async () => {
  using kv = await Deno.openKv(":memory:");
  const { settle, told } = open(kv);
  await settle(HELLO, ANSWER);
  const part = keys.transcriptChunk(FACTS.tenant, FACTS.runId, 2);
  await kv.set(part, content.sealSync(new Uint8Array(10).fill(32), part));
  assertEquals(await told(), []);
});

Deno.test("ConversationLog: undoing an admission deletes its input", async () => {
  using kv = await Deno.openKv(":memory:");
  const { inputs, committer } = open(kv);
  const messages = [{ role: "user", content: "x".repeat(60_000) }] as const;
  const hook = await inputs.startHook(FACTS, {
    input: { days: 7, messages: [...messages] },
    isNew: true,
  });
  const decide = (change: "write" | "undo") =>
    committer.run({ keys: [], decide: (draft) => hook[change]!(draft) });
  await decide("write");
  assertEquals((await storedKeys(kv)).length, 2);
  await decide("undo");
  assertEquals(await storedKeys(kv), []);
});

Deno.test("ConversationLog: a transcript written ahead leaves out what the path before its run has, and no more", async () => {
  using kv = await Deno.openKv(":memory:");
  const { log, inputs, committer, told } = open(kv);
  const run = async (n: number, texts: string[], replaced?: number) => {
    const replaces = replaced === undefined ? {} : { replaces: { runId: "any", n: replaced } };
    const facts = { ...FACTS, runId: runFacts(n).runId, ...replaces };
    const messages = texts.map((content, i): StoredMessage => ({
      role: i % 2 === 0 ? "user" : "assistant",
      content,
    }));
    const hook = await inputs.startHook(facts, { input: { days: 30, messages }, isNew: false });
    const frames: Frame[] = [{ type: "delta", text: `${TEXT}${n}` }];
    const closing = await log.settleHook(hook.conversation, { facts, end: RUN_END, frames });
    assertEquals(
      await committer.run({
        keys: [...closing.keys, keys.activeRun(facts.tenant, facts.runId)],
        decide(draft) {
          const number = closing.numberIn!(draft);
          closing.write(draft, { charged: 7, excess: 0 });
          return number;
        },
      }),
      n,
    );
  };
  await run(0, ["q0"]);
  await run(1, ["q0", `${TEXT}0`, "q1"]);
  await run(2, ["q0", `${TEXT}0`, "q1", `${TEXT}1`, "q2"], 1);
  const own = (await told()).map((one) =>
    said(one).messages.map(({ content, claimed }) => `${claimed ? "+" : ""}${content.slice(-2)}`)
  );
  assertEquals(own, [["q0"], ["q1"], ["+q1", "+ 1", "q2"]]);
  assertEquals((await told()).map(({ row }) => row.parts > 1), [true, true, true]);
});
