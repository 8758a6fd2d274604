import type { CatalogueEntry } from "@/lib/store/providers/catalogue_store.ts";
import { unsealRunDetails } from "@/lib/store/runs/run_details.ts";
import { type RunRecord, runRecordSchema } from "@/lib/store/runs/run_record.ts";
import { PROVIDER_IDS } from "@/lib/schemas/provider_id.ts";
import { catalogueEntry } from "./chat.ts";
import { instantRuntime } from "./instant_runtime.ts";
import type { MockProviders } from "./mock_providers/mock_providers.ts";
import { TestService, type TestServiceOptions } from "./service.ts";
import { KEYS } from "./provider_connections.ts";
import { contentCipher } from "./content.ts";
import { byKey } from "./widget_calls.ts";
import { openTestKv } from "./open_kv.ts";

export interface ProviderServiceOptions extends Omit<TestServiceOptions, "kv"> {
  /** By default, one model named `mid` per connection. */
  catalogue?: readonly CatalogueEntry[];
  /** File of the store; in memory by default. */
  kvPath?: string;
}

/** A service on the mock providers: `vendor_a` speaks openai, `vendor_b` anthropic, `vendor_c` google. */
export class ProviderService implements AsyncDisposable {
  readonly service: TestService;
  readonly kv: Deno.Kv;
  readonly mock: MockProviders;
  readonly key: string;
  readonly #process: TestServiceOptions;

  private constructor(
    parts: {
      service: TestService;
      kv: Deno.Kv;
      mock: MockProviders;
      key: string;
      process: TestServiceOptions;
    },
  ) {
    this.service = parts.service;
    this.kv = parts.kv;
    this.mock = parts.mock;
    this.key = parts.key;
    this.#process = parts.process;
  }

  static async start(
    mock: MockProviders,
    { catalogue, env, kvPath, ...options }: ProviderServiceOptions = {},
  ): Promise<ProviderService> {
    const kv = await openTestKv(kvPath);
    const process: TestServiceOptions = {
      ...instantRuntime(),
      ...options,
      kv,
      env: {
        VENDOR_A_BASE_URL: mock.url,
        VENDOR_A_API_KEY: KEYS.openai,
        VENDOR_B_BASE_URL: mock.url,
        VENDOR_B_API_KEY: KEYS.anthropic,
        VENDOR_C_BASE_URL: mock.url,
        VENDOR_C_API_KEY: KEYS.google,
        ...env,
      },
    };
    const service = await TestService.start(process);
    await service.service.catalogue.addMissing(
      catalogue ?? PROVIDER_IDS.map((vendor) => catalogueEntry({ vendor })),
    );
    const key = await service.key(["agents:write", "widget:mint", "billing:read"]);
    return new ProviderService({ service, kv, mock, key, process });
  }

  /** Another process on the same store. */
  startAnother(): Promise<TestService> {
    return TestService.start({ ...this.#process, keepKv: true });
  }

  /** An agent on the model `mid` of a connection, changed by `change`. */
  agent(provider: string, change: Record<string, unknown> = {}) {
    return this.service.agent(this.key, { modelPolicy: { provider, model: "mid" }, ...change });
  }

  /** A message to an agent, as a backend sends it. */
  send(agent: { id: string }, body: Record<string, unknown> = {}): Promise<Response> {
    return byKey(this.service, { key: this.key, body: { agentId: agent.id, ...body } });
  }

  /** Sends a message to a new agent on `provider`, with an optional fallback. */
  async ask(provider: string, fallback?: string): Promise<Response> {
    const spare = fallback === undefined ? {} : { fallback: { provider: fallback, model: "mid" } };
    return await this.send(await this.agent(provider, spare));
  }

  /** Every run that was recorded. */
  async records(): Promise<RunRecord[]> {
    const found = await Array.fromAsync(this.kv.list({ prefix: ["runs"] }));
    const content = contentCipher();
    const records = found.map(({ value }) => runRecordSchema.parse(value));
    return await Promise.all(records.map((record) => unsealRunDetails(record, { content })));
  }

  /** Parsed log lines of a level. */
  logged(level: string): Record<string, unknown>[] {
    return this.service.logged.map((line) => JSON.parse(line)).filter((one) => one.level === level);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.service[Symbol.asyncDispose]();
  }
}
