import { MockProviders, type MockRequest } from "../mock_providers/mock_providers.ts";
import type { Script, ScriptedPart } from "../mock_providers/script.ts";

/** A gate where answers wait until the test opens it. */
export interface Gate {
  /** The message whose answer sends its first words and then waits at this gate. */
  readonly message: string;
  open(): void;
}

/** The message whose answer takes as long as a short one of a real model. */
export const PACED = "answer word by word";
const PACED_WORDS = 8;
const PACE_MS = 25;

/** The message that is answered immediately. */
export const AT_ONCE = "answer at once";

/**
 * The model provider of a fleet. The last message decides how it answers. Every answer reports the
 * maximum output tokens, so that the whole reservation is spent.
 */
export class FleetProvider implements AsyncDisposable {
  readonly #mock: MockProviders;
  readonly #gates = new Map<string, PromiseWithResolvers<void>>();

  private constructor(mock: MockProviders) {
    this.#mock = mock;
  }

  static async start(): Promise<FleetProvider> {
    const mock = await MockProviders.start({ otherwise: (request) => vendor.#answer(request) });
    const vendor = new FleetProvider(mock);
    return vendor;
  }

  get url(): string {
    return this.#mock.url;
  }

  /** A new gate, closed. */
  gate(): Gate {
    const message = `wait at gate ${this.#gates.size + 1}`;
    const gate = Promise.withResolvers<void>();
    this.#gates.set(message, gate);
    return { message, open: () => gate.resolve() };
  }

  #answer({ body }: MockRequest): Script {
    const { content } = body.messages.at(-1);
    const text: string = typeof content === "string" ? content : content[0].text;
    if (text === PACED) return pacedAnswer(body.max_tokens);
    const gate = this.#gates.get(text);
    const wait: ScriptedPart[] = gate === undefined ? [] : [{ wait: gate.promise }];
    return {
      say: [{ text: "Hello" }, ...wait, { text: " there." }],
      usage: { input: 0, output: body.max_tokens },
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const gate of this.#gates.values()) gate.resolve();
    await this.#mock[Symbol.asyncDispose]();
  }
}

function pacedAnswer(maxTokens: number): Script {
  const words = Array.from({ length: PACED_WORDS }, (_, n): ScriptedPart[] => [
    { text: `word ${n} ` },
    { wait: PACE_MS },
  ]);
  return { say: words.flat(), usage: { input: 0, output: maxTokens } };
}
