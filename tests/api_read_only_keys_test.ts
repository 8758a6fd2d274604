/** A read-only key cannot spend money or see a conversation: CONTRACT section 11. */
import { assertEquals } from "@std/assert";
import { SCOPE_NAMES } from "@/lib/schemas/scopes.ts";
import { expectError } from "./support/expect_response.ts";
import { instantRuntime } from "./support/instant_runtime.ts";
import { TestService } from "./support/service.ts";
import { byKey, chat, embed, ORIGIN } from "./support/widget_calls.ts";

const READ_SCOPES = SCOPE_NAMES.filter((scope) => scope.endsWith(":read"));
const OTHER_SCOPES = SCOPE_NAMES.filter((scope) => !scope.endsWith(":read"));

Deno.test("/v1/chat: a key whose scopes all end in :read cannot chat, follow or cancel: 403 insufficient_scope", async () => {
  await using service = await TestService.start(instantRuntime());
  const { key: owner, agent, sessionToken } = await embed(service);
  const body = { agentId: agent.id };
  const first = await byKey(service, { key: owner, body });
  const runId = first.headers.get("x-run-id")!;
  await first.text();
  for (const scopes of [...READ_SCOPES.map((scope) => [scope]), READ_SCOPES]) {
    const key = await service.key(scopes);
    const messages = [{ role: "user", content: "Hello" }];
    const calls: [string, RequestInit & { json?: unknown }][] = [
      ["/v1/chat/stream", { method: "POST", json: { ...body, messages } }],
      ["/v1/chat/stream", { method: "POST", json: { nonsense: true } }],
      [`/v1/chat/runs/${runId}/stream`, {}],
      [`/v1/chat/runs/${crypto.randomUUID()}/stream`, {}],
      [`/v1/chat/runs/${runId}/cancel`, { method: "POST" }],
    ];
    for (const [path, init] of calls) {
      const rejected = await service.fetch(path, { ...init, key });
      assertEquals(rejected.headers.get("access-control-allow-origin"), "*");
      await expectError(rejected, "insufficient_scope");
    }
    // Adding a session does not help, because the key takes precedence.
    const headers = { authorization: `Bearer ${key}`, origin: ORIGIN };
    await expectError(
      await chat(service, agent, { sessionToken, headers }),
      "insufficient_scope",
    );
  }
});

Deno.test("/v1/chat: a key with any other scope may chat, follow and cancel", async () => {
  await using service = await TestService.start(instantRuntime());
  const { agent } = await embed(service);
  for (const scope of OTHER_SCOPES) {
    const key = await service.key([scope, "billing:read"]);
    const first = await byKey(service, { key, body: { agentId: agent.id } });
    assertEquals(first.status, 200, scope);
    const runId = first.headers.get("x-run-id")!;
    const wire = await first.text();
    const again = await service.fetch(`/v1/chat/runs/${runId}/stream`, { key });
    assertEquals(await again.text(), wire, scope);
    const cancel = `/v1/chat/runs/${runId}/cancel`;
    const cancelled = await service.fetch(cancel, { method: "POST", key });
    assertEquals([cancelled.status, await cancelled.text()], [202, ""], scope);
  }
});
