/** Runs and transcripts as the releases before prices by bucket stored them. */
import { assertEquals } from "@std/assert";
import { runTranscriptSchema } from "../conversations/conversation_record.ts";
import { runRecordSchema } from "./run_record.ts";
import { sumUsage, usageRowSchema, usageShares } from "./usage_rows.ts";

const RUN = {
  v: 1,
  runId: "7b5fd2a8-6f0e-4f0e-9c53-0f0f5a1d6c01",
  tenant: "7b5fd2a8-6f0e-4f0e-9c53-0f0f5a1d6c02",
  agentId: "7b5fd2a8-6f0e-4f0e-9c53-0f0f5a1d6c03",
  agentVersion: 4,
  conversationId: "7b5fd2a8-6f0e-4f0e-9c53-0f0f5a1d6c04",
  source: { kind: "session", id: "7b5fd2a8-6f0e-4f0e-9c53-0f0f5a1d6c05" },
  provider: "vendor_a",
  model: "gpt-4o",
  startedAt: 1_763_000_000_000,
  endedAt: 1_763_000_004_000,
  steps: 2,
  toolCalls: 1,
  inputTokens: 900,
  outputTokens: 80,
  models: [
    ...[{ provider: "vendor_a", model: "gpt-4o", steps: 1, inputTokens: 500, outputTokens: 20 }],
    ...[{ provider: "vendor_b", model: "haiku", steps: 1, inputTokens: 400, outputTokens: 60 }],
  ].map((share) => ({ ...share, cost: 30 })),
  finishReason: "stop",
  cost: 60,
  excess: 0,
};

Deno.test("an early run record is read, and its usage has no parts", () => {
  const run = runRecordSchema.parse(RUN);
  assertEquals(run, RUN as typeof run);
  const [first, second] = usageShares(run);
  assertEquals(sumUsage(first!, second!), {
    ...{ runs: 1, failed: 0, inputTokens: 900, outputTokens: 80, cost: 60 },
  });
});

Deno.test("an early usage row is added to a new one", () => {
  const early = { runs: 3, inputTokens: 30, outputTokens: 6, cost: 9 };
  const { models } = usageRowSchema.parse({ v: 1, models: { "vendor_a/gpt-4o": early } });
  const usage = { runs: 1, failed: 0, inputTokens: 10, outputTokens: 2, cost: 1 };
  const parts = { cachedInputTokens: 8, cacheSavings: 5 };
  assertEquals(sumUsage(models["vendor_a/gpt-4o"]!, { ...usage, ...parts }), {
    ...{ runs: 4, failed: 0, inputTokens: 40, outputTokens: 8, cost: 10 },
    ...parts,
  });
});

Deno.test("an early transcript is read without reasoning", () => {
  const early = {
    messages: [{ role: "user", content: "Are you open?", claimed: false }],
    text: "Until six.",
    tools: [{ name: "opening_hours", args: {}, output: { until: 18 } }],
  };
  assertEquals(
    runTranscriptSchema.parse(early),
    early as ReturnType<typeof runTranscriptSchema.parse>,
  );
});
