import { ToolsetFactory } from "@/lib/agent/tools/toolset_factory.ts";
import { ModelAccess } from "@/lib/billing/model_access.ts";
import { ChatService } from "@/lib/chat/chat_service.ts";
import type { ChatRequest } from "@/lib/chat/chat_request.ts";
import type { Run } from "@/lib/chat/run.ts";
import { Egress } from "@/lib/egress/egress.ts";
import { createLogger } from "@/lib/platform/log.ts";
import type { Model } from "@/lib/providers/model.ts";
import { type CatalogueEntry, CatalogueStore } from "@/lib/store/providers/catalogue_store.ts";
import { TenantStore } from "@/lib/store/tenants/tenant_store.ts";
import type { Frame } from "@/lib/schemas/frames.ts";
import { agentOf } from "./agents.ts";
import { FakeRuntime, fakeUuid } from "./fake_runtime.ts";

/** A priced model, changed by `change`. */
export function catalogueEntry(change: Partial<CatalogueEntry> = {}): CatalogueEntry {
  return {
    vendor: "vendor_a",
    model: "mid",
    inputUsdPerMTok: 3,
    outputUsdPerMTok: 15,
    contextTokens: 128_000,
    maxOutputTokens: 8_192,
    ...change,
  };
}

/** Stores nothing. */
const memoryRuns = {
  startHook: () => Promise.resolve({}),
  createLogWriter: () => ({ onAppend: () => {} }),
  settleHook: () => Promise.resolve({ keys: [], bytes: 0, write: () => {} }),
  interruptedCalls: () => Promise.resolve([]),
  sealEnd: (_facts: unknown, end: unknown) => end,
  add: () => {},
  remove: () => {},
  isFollowedElsewhere: () => Promise.resolve(false),
  cancelRunsOf: () => Promise.resolve(),
} as never;

/** A chat service on a fake runtime with `models` by name, whose tools reach `egress`. */
export async function openChat(
  kv: Deno.Kv,
  models: Record<string, Model>,
  { runtime = new FakeRuntime(), egress = new Egress({ runtime }) }: {
    runtime?: FakeRuntime;
    egress?: Pick<Egress, "fetch" | "open">;
  } = {},
) {
  const logged: string[] = [];
  const catalogue = new CatalogueStore(kv, { demoModel: true });
  await catalogue.addMissing(Object.keys(models).map((model) => catalogueEntry({ model })));
  const chat = new ChatService({
    access: new ModelAccess({ catalogue, tenants: new TenantStore(kv, runtime) }),
    models: { find: (_vendor: string, model: string) => models[model]! } as never,
    runtime,
    log: createLogger({ json: true, write: (line) => logged.push(line) }),
    abandonedAfterMs: 30_000,
    admission: {
      settle: (_runId, { cost }) => Promise.resolve({ charged: cost, excess: 0 }),
      reserve: (_runId, { hold }) => Promise.resolve(hold),
    },
    runs: memoryRuns,
    attachments: undefined as never,
    agents: { getServed: () => Promise.resolve(undefined) },
    memories: undefined as never,
    replacedRuns: undefined as never,
    handoffs: {
      prepare: (_place: unknown, { message }: { message: { system: string } }) =>
        Promise.resolve({ system: message.system }),
    } as never,
    toolsets: new ToolsetFactory({ egress, runtime, findSecret: () => undefined }),
  });
  /** Starts a message without limits, once `admission` resolves. */
  const begin = async (request: ChatRequest, admission?: Promise<void>) => {
    const admitted = { kind: "admitted", hold: Infinity } as never;
    const started = await chat.start(request, {
      admit: () => Promise.resolve(admission).then(() => admitted),
    });
    return await started.open() as Run;
  };
  return { chat, begin, runtime, logged };
}

/** One message for an agent on `model`, with an optional `fallback`. */
export function chatRequest(
  model: string,
  change: Partial<ChatRequest> & { fallback?: string; budget?: Record<string, unknown> } = {},
): ChatRequest {
  const { fallback, budget, ...rest } = change;
  const agent = agentOf({
    modelPolicy: { provider: "vendor_a", model },
    budget: { maxCostUsd: 1, maxSteps: 4, wallClockMs: 30_000, ...budget },
    ...(fallback === undefined ? {} : { fallback: { provider: "vendor_a", model: fallback } }),
  });
  return {
    tenant: fakeUuid(801),
    agent,
    body: { agentId: agent.id, messages: [{ role: "user", content: "hi" }] },
    runId: crypto.randomUUID(),
    requestId: "request-1",
    source: { kind: "key", id: "key-1" },
    ...rest,
  };
}

/** All frames of a run, once its `done` is written. */
export async function finishedFrames(run: {
  log: {
    closed: boolean;
    nextAppend(): Promise<void>;
    after(n: number): { frame: Frame }[];
  };
}): Promise<Frame[]> {
  while (!run.log.closed) await run.log.nextAppend();
  return run.log.after(0).map(({ frame }) => frame);
}
