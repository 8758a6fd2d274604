import { PROVIDER_IDS } from "@/lib/schemas/provider_id.ts";
import { catalogueEntry } from "./chat.ts";
import type { ReceivedFrame } from "./frames.ts";
import type { MockProviders, MockRequest } from "./mock_providers/mock_providers.ts";
import type { Script } from "./mock_providers/script.ts";
import { ProviderService, type ProviderServiceOptions } from "./provider_service.ts";

/** The callee's model is dearer. */
const PRICES = { vendor_a: [3, 15], vendor_b: [10, 50], vendor_c: [1, 2] } as const;
export const USAGE = { input: 400, output: 100 };
export const BUDGET = { maxCostUsd: 1, maxSteps: 8, wallClockMs: 30_000 };

export const asks = (agentId: string, change: Record<string, unknown> = {}) => ({
  ...{ type: "agent", name: "ask_expert", description: "Knows parcels.", agentId, ...change },
});
export const callExpert = (message = "Where is it?"): Script => ({
  say: [{ calls: [{ id: "c1", name: "ask_expert", args: [JSON.stringify({ message })] }] }],
  usage: USAGE,
});
export const text = (words: string): Script => ({ say: [{ text: words }], usage: USAGE });

/** Agents on `vendor_a` ask once and then answer; all others answer. */
export function askThenAnswer({ protocol, body }: MockRequest): Script {
  const hasAnswer = JSON.stringify(body).includes("tool_call_id");
  return protocol === "openai" && !hasAnswer ? callExpert() : text(`${protocol} says hello.`);
}

export async function startProviders(mock: MockProviders, options: ProviderServiceOptions = {}) {
  const catalogue = PROVIDER_IDS.map((vendor) =>
    catalogueEntry({
      ...{ vendor, inputUsdPerMTok: PRICES[vendor][0], outputUsdPerMTok: PRICES[vendor][1] },
    })
  );
  return await ProviderService.start(mock, { catalogue, ...options });
}

export const patchAgent = (on: ProviderService, id: string, json: unknown) =>
  on.service.fetch(`/v1/agents/${id}`, { method: "PATCH", key: on.key, json });

export function outputs(frames: readonly ReceivedFrame[]): unknown[] {
  return frames.flatMap(({ frame }) => frame.type === "tool_result" ? [frame.output] : []);
}
