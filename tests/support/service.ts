import { Builder } from "fresh/dev";
import { createApp } from "@/app.ts";
import type { ScryptCost } from "@/lib/platform/crypto/password_hasher.ts";
import { type Config, readConfig } from "@/lib/server/config/config.ts";
import { createLogger } from "@/lib/platform/log.ts";
import type { BuiltScripts } from "@/lib/server/composition/open_scripts.ts";
import { type MemoryLimits, openService } from "@/lib/server/composition/open_service.ts";
import type { Limits } from "@/lib/billing/limits.ts";
import type { Service } from "@/lib/http/service.ts";
import { type Runtime, systemRuntime } from "@/lib/platform/runtime.ts";
import type { Agent } from "@/lib/schemas/agent.ts";
import type { Scope } from "@/lib/schemas/scopes.ts";
import { runAs } from "@/lib/store/audit/actor.ts";
import { openTestKv } from "./open_kv.ts";
import { testWorker } from "./worker.ts";
import { buildScripts } from "@/tools/bundle_widget.ts";
import { TEST_ENCRYPTION_KEY } from "./encryption_keys.ts";

const root = new URL("../../", import.meta.url).pathname;

/** Built once for all services of a test file: file routes, islands, and the widget. */
const built = (() => {
  let parts: Promise<[Awaited<ReturnType<typeof build>>, BuiltScripts]> | undefined;
  const build = () => new Builder({ root }).build({ snapshot: "memory", mode: "production" });
  return () => parts ??= Promise.all([build(), buildScripts({ root })]);
})();

export interface TestServiceOptions {
  env?: Record<string, string>;
  runtime?: Partial<Runtime>;
  /** A store from `openTestKv`. */
  kv?: Deno.Kv;
  /** The store is shared and stays open after this service. */
  keepKv?: boolean;
  /** Use the specification's request limits; other tests have none. */
  limits?: Partial<Limits>;
  /** Scripts to use instead of the built ones. */
  scripts?: Partial<BuiltScripts>;
  isStoreInPlace?: () => boolean;
  /** Cost of password hashes; minimal by default. */
  passwordCost?: ScryptCost;
  /** The first key encrypts, all of them decrypt. */
  encryptionKeys?: readonly string[];
  /** Bounds for a process with little memory. */
  memory?: MemoryLimits;
  /** Whether parser processes can be started; true by default. */
  workers?: boolean;
  /** Open services that no chat needs in the background. */
  inHaste?: boolean;
  /** Store timeout; an hour by default, because a test's clock would expire a shorter one. */
  storeTimeoutMs?: number;
}

/** The default signing secret of test services. */
export const TEST_HMAC_SECRET = "test secret that is long enough to sign";

/** Cheap hashes, because tests create many users. */
const CHEAP_HASH: ScryptCost = { N: 2 ** 10, r: 8, p: 1 };

const NO_LIMITS: Partial<Limits> = {
  ipRequests: 1_000_000,
  ipMessages: 1_000_000,
  ipResumes: 1_000_000,
  keyRequests: 1_000_000,
};

/** A complete service on a real port and an in-memory store, with helpers for tests. */
export class TestService implements AsyncDisposable {
  readonly service: Service;
  readonly url: string;
  /** Every log line. */
  readonly logged: string[];
  #server: Deno.HttpServer;
  #crash: AbortController;

  private constructor(
    parts: {
      service: Service;
      url: string;
      server: Deno.HttpServer;
      crash: AbortController;
      logged: string[];
    },
  ) {
    this.service = parts.service;
    this.url = parts.url;
    this.#server = parts.server;
    this.#crash = parts.crash;
    this.logged = parts.logged;
  }

  static async start(options: TestServiceOptions = {}): Promise<TestService> {
    const [apply, scripts] = await built();
    const opened = Promise.withResolvers<Service>();
    const app = createApp(() => opened.promise);
    apply(app as never);
    const crash = new AbortController();
    const server = Deno.serve(
      { port: 0, hostname: "127.0.0.1", onListen: () => {}, signal: crash.signal },
      app.handler(),
    );
    const url = `http://127.0.0.1:${server.addr.port}`;
    const config: Config = readConfig({ LOG_LEVEL: "debug", ...options.env });
    const kv = options.kv ?? await openTestKv();
    const logged: string[] = [];
    const service = await openService({
      config,
      kv,
      hmacSecrets: [TEST_HMAC_SECRET],
      encryptionKeys: options.encryptionKeys ?? [TEST_ENCRYPTION_KEY],
      runtime: { ...systemRuntime, ...options.runtime },
      log: createLogger({ level: "debug", json: true, write: (line) => logged.push(line) }),
      baseUrl: config.publicUrl ?? url,
      scripts: { ...scripts, ...options.scripts },
      limits: options.limits ?? NO_LIMITS,
      storeTimeoutMs: options.storeTimeoutMs ?? 3_600_000,
      passwordCost: options.passwordCost ?? CHEAP_HASH,
      // A frozen clock would never reach it.
      egressRejectionMs: 0,
      isStoreInPlace: options.isStoreInPlace ?? (() => true),
      memory: options.memory,
      openDemoInBackground: options.inHaste ?? false,
      worker: options.workers === false ? undefined : testWorker(),
      close: () => Promise.resolve(options.keepKv ? undefined : kv.close()),
    });
    opened.resolve(service);
    return new TestService({ service, url, server, crash, logged });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.service.close();
    await this.#server.shutdown();
  }

  /** Closes all connections and accepts no new ones, while the service keeps running. */
  async crash(): Promise<void> {
    this.#crash.abort();
    await this.#server.finished;
  }

  /** The default tenant's id. */
  async tenant(): Promise<string> {
    return (await this.service.tenants.ensureDefault()).id;
  }

  /** Creates an API key and returns its secret. */
  async key(scopes: Scope[] = ["agents:write", "widget:mint"], tenant?: string): Promise<string> {
    const owner = tenant ?? await this.tenant();
    const create = () => this.service.apiKeys.create(owner, { name: "test", scopes });
    // A test can begin in the async context of an earlier one.
    return (await runAs({ kind: "service" }, create)).secret;
  }

  /** Sends a request; `json` is the body, `key` the bearer token. */
  fetch(
    path: string,
    init: RequestInit & { json?: unknown; key?: string | undefined } = {},
  ): Promise<Response> {
    const { json, key, headers, ...rest } = init;
    const all = new Headers(headers);
    if (key !== undefined) all.set("authorization", `Bearer ${key}`);
    if (json !== undefined) all.set("content-type", "application/json");
    const body = json === undefined ? {} : { body: JSON.stringify(json) };
    return fetch(this.url + path, { redirect: "manual", ...rest, ...body, headers: all });
  }

  /** Creates an agent from the smallest body, changed by `change`. */
  async agent(key: string, change: Record<string, unknown> = {}): Promise<Agent> {
    const json = { ...agentBody(), ...change };
    const response = await this.fetch("/v1/agents", { method: "POST", key, json });
    if (response.status !== 201) throw new Error(await response.text());
    return await response.json();
  }

  /** Mints a widget session for a page at `origin`. */
  async mint(key: string, agentId: string, origin: string): Promise<string> {
    const response = await this.fetch("/v1/widget/session", {
      method: "POST",
      key,
      json: { agentId },
      headers: { origin },
    });
    if (response.status !== 201) throw new Error(await response.text());
    return (await response.json()).sessionToken;
  }
}

/** The smallest agent on the demo model. */
export function agentBody() {
  return {
    name: "Helper",
    systemPrompt: "Be helpful.",
    modelPolicy: { provider: "vendor_a", model: "demo" },
    budget: { maxCostUsd: 1, maxSteps: 4, wallClockMs: 30_000 },
    tools: [] as unknown[],
    allowedDomains: [] as string[],
  };
}
