import { assert, assertEquals } from "@std/assert";
import { readFrames } from "./frames.ts";
import { MockProviders } from "./mock_providers/mock_providers.ts";
import { TestService } from "./service.ts";
import { signedInCookie } from "./signed_in_cookie.ts";
import { ProviderService } from "./provider_service.ts";

/** A service with a signed-in owner. */
export interface Reports {
  service: TestService;
  /** The owner's `Cookie` header. */
  cookie: string;
}

/** A conversation with its start time in milliseconds. */
export interface StartedChat {
  conversationId: string;
  runId: string;
  agentId: string;
  startedAt: number;
}

/**
 * A service with a completed conversation, one that ended with a provider error, and a rejected origin;
 * and an empty service.
 */
export async function serviceWithReports() {
  const mock = await MockProviders.start();
  const on = await ProviderService.start(mock);
  const { service, key } = on;
  const agent = await on.agent("vendor_a", { name: "Shop assistant" });
  const chat = async (): Promise<StartedChat> => {
    const frames = await readFrames(await on.send(agent));
    const start = frames[0]?.frame;
    assert(start?.type === "start");
    const { conversationId, runId } = start;
    const startedAt = service.service.runtime.now();
    return { conversationId, runId, agentId: agent.id, startedAt };
  };
  const first = await chat();
  mock.next({ say: [{ text: "Half an ans" }, { error: "overloaded" }], end: "none" });
  const failed = await chat();
  const refused = await service.fetch("/v1/widget/session", {
    ...{ method: "POST", key, json: { agentId: agent.id } },
    headers: { origin: "https://evil.example" },
  });
  assertEquals(refused.status, 403);
  await refused.body?.cancel();
  const idle = await TestService.start();
  const empty: Reports = { service: idle, cookie: await signedInCookie(idle) };
  return {
    ...{ service, mock, cookie: await signedInCookie(service), agent, key, first, failed, empty },
    chat,
    async [Symbol.asyncDispose]() {
      await idle[Symbol.asyncDispose]();
      await on[Symbol.asyncDispose]();
      await mock[Symbol.asyncDispose]();
    },
  };
}
