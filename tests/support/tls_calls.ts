/**
 * One call of everything that makes TLS connections, as a separate process with the test's environment.
 * Prints the results as one JSON object.
 *
 *     deno run -A tests/support/tls_calls.ts <port of an https server on loopback>
 */
import { ValidatorCache } from "@/lib/agent/tools/arguments/validator_cache.ts";
import { createToolset } from "@/lib/agent/tools/toolset.ts";
import { fetchPage } from "@/lib/doctor/fetch_page.ts";
import { Egress } from "@/lib/egress/egress.ts";
import { ModelRegistry } from "@/lib/providers/model_registry.ts";
import { testConnection } from "@/lib/providers/test_connection.ts";
import { systemRuntime } from "@/lib/platform/runtime.ts";
import { toolDefinitionSchema } from "@/lib/schemas/tool_definition.ts";
import { PROVIDER_IDS, type ProviderId } from "@/lib/schemas/provider_id.ts";

const host = `127.0.0.1:${Deno.args[0]}`;
const origin = `https://${host}`;
const tenant = "tenant";
const { signal } = new AbortController();
const egress = new Egress({ allow: [host], runtime: systemRuntime });
// A retry would only repeat the first result.
const deadline = 0;
const slots = {
  vendor_a: { protocol: "openai", embeddingModel: "m" },
  vendor_b: { protocol: "anthropic" },
  vendor_c: { protocol: "google" },
} as const;

function slotOf(vendor: ProviderId) {
  return { ...slots[vendor], baseUrl: `${origin}/${vendor}`, apiKey: "vendor-key" };
}

const models = new ModelRegistry(systemRuntime, {
  providers: {
    vendor_a: slotOf("vendor_a"),
    vendor_b: slotOf("vendor_b"),
    vendor_c: slotOf("vendor_c"),
  },
});

async function ask(vendor: ProviderId): Promise<string> {
  const answer = await models.find(vendor, "m").stream({
    model: "m",
    system: "Be helpful.",
    messages: [{ role: "user", content: "Hi" }],
    tools: [],
    maxOutputTokens: 10,
    deadline,
    signal,
  });
  await answer.read(() => {});
  return "answered";
}

async function embed(): Promise<string> {
  await models.embedder!.embed(["text"], { purpose: "query", deadline, signal });
  return "answered";
}

async function trySlotForm(): Promise<string> {
  const slot = { provider: "vendor_a", config: slotOf("vendor_a"), model: "m" } as const;
  return (await testConnection(slot, { runtime: systemRuntime }))?.message ?? "answered";
}

/** The output of an HTTP tool that sends a secret, and the notes of an MCP server that receives one. */
async function callTools(): Promise<unknown> {
  const headers = { authorization: "Bearer {{secret.TOKEN}}" };
  const tools = [
    {
      type: "http",
      name: "look_up",
      description: "Looks something up.",
      parameters: { type: "object" },
      request: { method: "GET", url: `${origin}/tool`, headers },
    },
    { type: "mcp", name: "shop", url: `${origin}/mcp`, headers },
  ];
  const toolset = createToolset({
    tools: tools.map((tool) => toolDefinitionSchema.parse(tool)),
    findSecret: () => ({ value: "tool-secret", domains: [host] }),
    tenant,
    allowedDomains: [host],
    validators: new ValidatorCache(),
    runtime: systemRuntime,
    listTimeoutMs: 5_000,
    egress,
  });
  await toolset.listTools(signal);
  const output = await toolset.execute("look_up", {}, { signal });
  await toolset.close();
  return { output, notes: toolset.notes };
}

async function readPage(): Promise<string> {
  const page = await fetchPage(origin, { egress, tenant, runtime: systemRuntime, signal });
  return page === undefined ? "not read" : "read";
}

async function outcome(call: Promise<unknown>): Promise<unknown> {
  return await call.catch((error: Error) => error.message);
}

console.log(JSON.stringify({
  models: await Promise.all(PROVIDER_IDS.map((vendor) => outcome(ask(vendor)))),
  form: await outcome(trySlotForm()),
  embedding: await outcome(embed()),
  tools: await outcome(callTools()),
  page: await outcome(readPage()),
}));
Deno.exit();
