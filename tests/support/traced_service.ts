import { catalogueEntry } from "./chat.ts";
import { MockProviders, type MockProvidersOptions } from "./mock_providers/mock_providers.ts";
import { runCli } from "./command_line.ts";
import { httpTool } from "./agent_bodies.ts";
import { OtelCollector } from "./otel_collector.ts";
import { agentBody } from "./service.ts";
import { createKey, type StartedService, startService } from "./started_service.ts";

export const HMAC_SECRET_OF_TRACES = "a signing secret that is in no trace";

export interface TracedServiceOptions extends Pick<MockProvidersOptions, "otherwise"> {
  env?: Record<string, string>;
}

/** A service process with OpenTelemetry on, a model provider, a tool's server and a collector. */
export class TracedService implements AsyncDisposable {
  readonly key: string;
  readonly agentId: string;
  readonly tenant: string;
  /** The trace contexts that the tool's server received, and the addresses. */
  readonly toolTraces: (string | null)[];
  readonly toolUrls: string[];
  readonly #mock: MockProviders;
  readonly #service: StartedService;
  readonly #collector: OtelCollector;
  readonly #owned: AsyncDisposableStack;

  private constructor(
    parts: Pick<TracedService, "key" | "agentId" | "tenant" | "toolTraces" | "toolUrls"> & {
      mock: MockProviders;
      service: StartedService;
      collector: OtelCollector;
      owned: AsyncDisposableStack;
    },
  ) {
    this.key = parts.key;
    this.agentId = parts.agentId;
    this.tenant = parts.tenant;
    this.toolTraces = parts.toolTraces;
    this.toolUrls = parts.toolUrls;
    this.#mock = parts.mock;
    this.#service = parts.service;
    this.#collector = parts.collector;
    this.#owned = parts.owned;
  }

  static async start({ otherwise, env = {} }: TracedServiceOptions): Promise<TracedService> {
    await using owned = new AsyncDisposableStack();
    const mock = owned.use(await MockProviders.start(otherwise === undefined ? {} : { otherwise }));
    const collector = owned.use(new OtelCollector());
    const [toolTraces, toolUrls]: [(string | null)[], string[]] = [[], []];
    const tool = owned.use(Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, (req) => {
      toolTraces.push(req.headers.get("traceparent"));
      const { pathname, search } = new URL(req.url);
      toolUrls.push(pathname + search);
      return Response.json({ price: 12 });
    }));
    const dir = await Deno.makeTempDir();
    owned.defer(() => Deno.remove(dir, { recursive: true }));
    const host = `127.0.0.1:${tool.addr.port}`;
    await Deno.writeTextFile(`${dir}/models.json`, JSON.stringify([catalogueEntry()]));
    const own = {
      VENDOR_A_BASE_URL: mock.url,
      VENDOR_A_API_KEY: "sk-test-0123456789abcdef",
      EGRESS_ALLOW: host,
      CATALOGUE: `${dir}/models.json`,
      API_KEY_HMAC_SECRET: HMAC_SECRET_OF_TRACES,
      LOG_LEVEL: "error",
    };
    const service = owned.use(await startService(dir, { ...own, ...collector.env, ...env }));
    const scopes = "agents:write,conversations:read,billing:read";
    const key = await createKey(dir, { scopes });
    const request = { method: "GET", url: `http://${host}/items`, query: { q: "{{q}}" } };
    const made = await fetch(`${service.base}/v1/agents`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify({
        ...agentBody(),
        modelPolicy: { provider: "vendor_a", model: "mid" },
        allowedDomains: [host],
        tools: [httpTool({ request })],
      }),
    });
    if (made.status !== 201) throw new Error(await made.text());
    const { id: agentId } = await made.json();
    const { out } = await runCli("metrics", ["tenants"], { dir: `${dir}/data` });
    const tenant = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/.exec(out)![0];
    return new TracedService({
      ...{ key, agentId, tenant, toolTraces, toolUrls, mock, service, collector },
      owned: owned.move(),
    });
  }

  /** The trace contexts that the model provider received. */
  get providerTraces(): (string | undefined)[] {
    return this.#mock.requests.map(({ headers }) => headers.traceparent);
  }

  /** Sends a request; with `json` it is a POST. */
  fetch(
    path: string,
    { json, headers, signal }: {
      json?: unknown;
      headers?: Record<string, string>;
      signal?: AbortSignal;
    },
  ): Promise<Response> {
    const all = { authorization: `Bearer ${this.key}`, "content-type": "application/json" };
    return fetch(this.#service.base + path, {
      method: json === undefined ? "GET" : "POST",
      headers: { ...all, ...headers },
      ...json !== undefined && { body: JSON.stringify(json) },
      ...signal !== undefined && { signal },
    });
  }

  /** Stops the service, which exports its last spans, and returns all. */
  async stop(): Promise<Pick<OtelCollector, "spans" | "bodies">> {
    await this.#service.stop();
    return this.#collector;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#owned.disposeAsync();
  }
}
