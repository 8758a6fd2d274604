import { instantRuntime } from "./instant_runtime.ts";
import { readFrames } from "./frames.ts";
import { TestService } from "./service.ts";

const SHOP = "https://shop.example";
/** Only the session's message cap rejects. */
const LIMITS = { ipRequests: 1e6, ipMessages: 1e6, keyRequests: 1e6, streams: 500 };

/**
 * Sends `messages` concurrently with one session, round-robin over one process per store handle.
 * Returns the count per outcome: the last frame's type, or the status and error code.
 */
export async function floodSession(
  messages: number,
  stores: readonly Deno.Kv[],
): Promise<Record<string, number>> {
  const { runtime } = instantRuntime();
  await using processes = new AsyncDisposableStack();
  const services: TestService[] = [];
  for (const kv of stores) {
    const service = await TestService.start({ runtime, kv, keepKv: true, limits: LIMITS });
    services.push(processes.use(service));
  }
  const key = await services[0]!.key();
  const agent = await services[0]!.agent(key, { allowedOrigins: [SHOP] });
  const token = await services[0]!.mint(key, agent.id, SHOP);
  const json = {
    agentId: agent.id,
    sessionToken: token,
    messages: [{ role: "user", content: "Hello" }],
  };
  const headers = { "x-service-session": token, origin: SHOP };
  const outcomes = await Promise.all(Array.from({ length: messages }, async (_, n) => {
    const service = services[n % services.length]!;
    const response = await service.fetch("/v1/chat/stream", { method: "POST", json, headers });
    if (response.status !== 200) return `${response.status} ${(await response.json()).code}`;
    return (await readFrames(response)).at(-1)!.frame.type;
  }));
  const byOutcome = Map.groupBy(outcomes, String);
  return Object.fromEntries([...byOutcome].map(([outcome, all]) => [outcome, all.length]));
}
