import type { ModelEvent, ModelMessage, ModelRequest } from "@/lib/providers/model.ts";
import { ModelRegistry } from "@/lib/providers/model_registry.ts";
import type { ProviderFailure } from "@/lib/providers/provider_failure.ts";
import type { ProviderId } from "@/lib/schemas/provider_id.ts";
import { FakeRuntime } from "./fake_runtime.ts";
import { MockProviders } from "./mock_providers/mock_providers.ts";
import type { ProtocolName, Script } from "./mock_providers/script.ts";

export const PROTOCOLS = ["openai", "anthropic", "google"] as const;

/** Credentials that no log, report or message may hold. */
export const KEYS = {
  openai: "sk-test-0123456789abcdef",
  anthropic: "sk-ant-test-0123456789abcdef",
  google: "AIzaTest0123456789abcdef",
} as const;

const SLOTS: Readonly<Record<ProtocolName, ProviderId>> = {
  openai: "vendor_a",
  anthropic: "vendor_b",
  google: "vendor_c",
};

export const user = (content: string): ModelMessage => ({ role: "user", content });

/** What came of asking a model. */
export interface Answer {
  events: ModelEvent[];
  text: string;
  /** Thrown before the first event, or after the last. */
  // deno-lint-ignore no-explicit-any -- a test says what it expects of it
  error: any;
  /** Whether the model had begun to answer. */
  accepted: boolean;
}

/** The three slots of a service, each on the mock vendor of its protocol, with a clock that stands. */
export class ProviderConnections implements AsyncDisposable {
  readonly mock: MockProviders;
  readonly clock = new FakeRuntime();
  readonly reports: ProviderFailure[] = [];
  /** Pauses between attempts, which are over at once. */
  readonly pauses: number[] = [];
  readonly stop = new AbortController();
  readonly registry: ModelRegistry;
  readonly #arrived = Promise.withResolvers<void>();
  #clockReads = 0;
  readonly #heard = Promise.withResolvers<void>();

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
      // A pause hangs on the call's own signal; all else that sleeps is a limit on silence.
      if (signal !== this.stop.signal) return this.clock.sleep(ms, signal);
      this.pauses.push(ms);
      return Promise.resolve();
    };
    const { uuid, randomBytes } = this.clock;
    const now = () => {
      // A connection reads the clock as it begins, for its head, and for each chunk.
      if (++this.#clockReads === 3) this.#arrived.resolve();
      return this.clock.now();
    };
    this.registry = new ModelRegistry({ now, uuid, randomBytes, sleep }, {
      providers: {
        vendor_a: slot("openai"),
        vendor_b: slot("anthropic"),
        vendor_c: slot("google"),
      },
      onFailure: (event) => this.reports.push(event),
    });
  }

  static async start(
    options: { baseUrl?: (port: number) => string; apiKey?: string } = {},
  ): Promise<ProviderConnections> {
    const mock = await MockProviders.start();
    const baseUrl = options.baseUrl?.(mock.port) ?? mock.url;
    return new ProviderConnections(mock, { baseUrl, apiKey: options.apiKey });
  }

  /** Settles when the first bytes of the first response's body have come, whatever they are. */
  get arrived(): Promise<void> {
    return this.#arrived.promise;
  }

  /** Settles when an answer's first text has been heard: a reset takes what was not yet read. */
  get heard(): Promise<void> {
    return this.#heard.promise;
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
    return this.registry.find(SLOTS[protocol], request.model).stream(request);
  }

  /** Asks, with `scripts` for the attempts that this takes, and hears the answer to its end. */
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
      for await (const event of stream) {
        answer.events.push(event);
        if (event.type !== "text") continue;
        answer.text += event.text;
        this.#heard.resolve();
      }
    } catch (error) {
      answer.error = error;
    }
    return answer;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.registry.close();
    await this.mock[Symbol.asyncDispose]();
  }
}

/** The one event of a kind. */
export function eventsOfType<Type extends ModelEvent["type"]>(
  events: readonly ModelEvent[],
  type: Type,
): Extract<ModelEvent, { type: Type }> {
  const found = events.filter((event) => event.type === type);
  if (found.length !== 1) throw new Error(`${found.length} events of type ${type}`);
  return found[0] as Extract<ModelEvent, { type: Type }>;
}
