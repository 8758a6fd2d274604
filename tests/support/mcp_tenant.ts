import { SETUP_TOKEN } from "./dashboard.ts";
import type { SeenRequest } from "./egress_server.ts";
import { onlyFrame } from "./frame_types.ts";
import { readFrames } from "./frames.ts";
import { MockAuthorizationServer, protectedMcp } from "./mock_authorization_server.ts";
import { openTestKv } from "./open_kv.ts";
import { rawMcp } from "./raw_mcp.ts";
import { TestService } from "./service.ts";
import { byKey, say } from "./widget_calls.ts";

/**
 * An MCP server with its authorization server, a service, and an agent that uses it. An authorization
 * server at another host sends its users on to sign in.
 */
export async function openMcpTenant({ issuerHost = "127.0.0.1" } = {}) {
  const answering: { answer?: (seen: SeenRequest) => Promise<Response> } = {};
  const server = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen: () => {} },
    async (request) => {
      const { method, url, headers } = request;
      return await answering.answer!({ method, url, headers, body: await request.text() });
    },
  );
  const { port } = server.addr;
  const host = `127.0.0.1:${port}`;
  const url = `http://${host}/mcp`;
  const issuer = `http://${issuerHost}:${port}/as`;
  const signInUrl = `http://${host}/sign-in`;
  const isElsewhere = !issuer.startsWith(`http://${host}/`);
  const mock = new MockAuthorizationServer({ issuer, ...isElsewhere && { signInUrl } });
  const mcp = protectedMcp(mock, { url, inner: rawMcp() });
  answering.answer = async (seen) => {
    if (seen.url.startsWith(`${signInUrl}?`)) return Response.redirect(mock.authorize(seen.url));
    return await mock.answer(seen) ?? await mcp(seen);
  };
  const kv = await openTestKv();
  const env = { EGRESS_ALLOW: `${host},${issuerHost}:${port}`, SETUP_TOKEN, DEMO: "off" };
  const service = await TestService.start({ kv, env });
  const key = await service.key();
  const tools = [{ type: "mcp", name: "crm", url }];
  const agent = await service.agent(key, { tools, allowedDomains: [host] });
  const use = async () => {
    const body = { agentId: agent.id, messages: [say("use ask with {}")] };
    const frames = await readFrames(await byKey(service, { key, body }));
    return JSON.stringify(onlyFrame(frames, "tool_result").output);
  };
  return {
    ...{ service, mock, url, host, agent, key, use, kv },
    page: `/settings/mcp?${new URLSearchParams({ url, agent: agent.id })}`,
    [Symbol.asyncDispose]: async () => {
      await service[Symbol.asyncDispose]();
      await server.shutdown();
    },
  };
}

export type McpTenant = Awaited<ReturnType<typeof openMcpTenant>>;
