import type { ModelEvent, ModelMessage, ModelRequest } from "@/lib/providers/model.ts";
import { ModelRegistry } from "@/lib/providers/model_registry.ts";
import type { ProviderFailure } from "@/lib/providers/provider_failure.ts";
import { PROTOCOLS } from "@/lib/schemas/connection_config.ts";
import type { ProviderId } from "@/lib/schemas/provider_id.ts";
import { FakeRuntime } from "./fake_runtime.ts";
import { MockProviders } from "./mock_providers/mock_providers.ts";
import type { ProtocolName, Script } from "./mock_providers/script.ts";

export { PROTOCOLS };

/** API keys that no log, report or message may contain. */
export const KEYS = {
  openai: "sk-test-0123456789abcdef",
  anthropic: "sk-ant-test-0123456789abcdef",
  google: "AIzaTest0123456789abcdef",
} as const satisfies Record<ProtocolName, string>;

/** Protocols may share a slot, because each has its own registry. */
const SLOTS: Readonly<Record<ProtocolName, ProviderId>> = {
  openai: "vendor_a",
  anthropic: "vendor_b",
  google: "vendor_c",
};

export const user = (content: string): ModelMessage => ({ role: "user", content });

/** The outcome of a request. */
export interface Answer {
  events: ModelEvent[];
  text: string;
  /** Thrown before the first event, or after the last. */
  // deno-lint-ignore no-explicit-any -- tests state what they expect
  error: any;
  /** Whether the model began to answer. */
  accepted: boolean;
}

/** One connection per protocol to a mock provider, with a stopped clock. */
export class ProviderConnections implements AsyncDisposable {
  readonly mock: MockProviders;
  readonly clock = new FakeRuntime();
  readonly reports: ProviderFailure[] = [];
  /** Delays between attempts, which end immediately. */
  readonly pauses: number[] = [];
  readonly stop = new AbortController();
  readonly #registries: ReadonlyMap<ProtocolName, ModelRegistry>;
  readonly #arrived = Promise.withResolvers<void>();
  #clockReads = 0;
  readonly #textRead = Promise.withResolvers<void>();

  private constructor(
    mock: MockProviders,
    slots: { baseUrl: string; apiKey?: string | undefined },
  ) {
    this.mock = mock;
    const slot = (protocol: ProtocolName) => ({
      protocol,
      baseUrl: slots.baseUrl,
      apiKey: slots.apiKey ?? KEYS[protocol],
    });
    const sleep = (ms: number, signal?: AbortSignal) => {
      // A retry delay uses the request's own signal; all other sleeps are timeouts.
      if (signal !== this.stop.signal) return this.clock.sleep(ms, signal);
      this.pauses.push(ms);
      return Promise.resolve();
    };
    const { uuid, randomBytes } = this.clock;
    const now = () => {
      // An exchange reads the clock at its start, for the headers and for each chunk.
      if (++this.#clockReads === 3) this.#arrived.resolve();
      return this.clock.now();
    };
    const open = (protocol: ProtocolName) =>
      new ModelRegistry({ now, uuid, randomBytes, sleep }, {
        providers: { [SLOTS[protocol]]: slot(protocol) },
        onFailure: (event) => this.reports.push(event),
      });
    this.#registries = new Map(PROTOCOLS.map((protocol) => [protocol, open(protocol)]));
  }

  static async start(
    options: { baseUrl?: (port: number) => string; apiKey?: string } = {},
  ): Promise<ProviderConnections> {
    const mock = await MockProviders.start();
    const baseUrl = options.baseUrl?.(mock.port) ?? mock.url;
    return new ProviderConnections(mock, { baseUrl, apiKey: options.apiKey });
  }

  /** Resolves when the first bytes of the first response's body have arrived. */
  get arrived(): Promise<void> {
    return this.#arrived.promise;
  }

  /** Resolves when the first text was read: a connection reset discards unread data. */
  get textRead(): Promise<void> {
    return this.#textRead.promise;
  }

  request(change: Partial<ModelRequest> = {}): ModelRequest {
    return {
      model: "m-1",
      system: "Be helpful.",
      messages: [user("Hi")],
      tools: [],
      maxOutputTokens: 1000,
      signal: this.stop.signal,
      ...change,
    };
  }

  open(protocol: ProtocolName, change: Partial<ModelRequest> = {}) {
    const request = this.request(change);
    return this.#registries.get(protocol)!.find(SLOTS[protocol], request.model).stream(request);
  }

  /** Sends a request, with a script for each attempt, and reads the response to its end. */
  async ask(
    protocol: ProtocolName,
    scripts: Script | Script[] = {},
    change: Partial<ModelRequest> = {},
  ): Promise<Answer> {
    this.mock.next(...[scripts].flat());
    const answer: Answer = { events: [], text: "", error: undefined, accepted: false };
    try {
      const stream = await this.open(protocol, change);
      answer.accepted = true;
      await stream.read((event) => {
        answer.events.push(event);
        if (event.type !== "text") return;
        answer.text += event.text;
        this.#textRead.resolve();
      });
    } catch (error) {
      answer.error = error;
    }
    return answer;
  }

  /** Closes the registries, but not the mock provider. */
  close(): void {
    for (const registry of this.#registries.values()) registry.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.close();
    await this.mock[Symbol.asyncDispose]();
  }
}

/** The only event of a type. */
export function onlyEvent<Type extends ModelEvent["type"]>(
  events: readonly ModelEvent[],
  type: Type,
): Extract<ModelEvent, { type: Type }> {
  const found = events.filter((event) => event.type === type);
  if (found.length !== 1) throw new Error(`${found.length} events of type ${type}`);
  return found[0] as Extract<ModelEvent, { type: Type }>;
}
