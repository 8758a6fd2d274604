import { type Runtime, setTimer } from "../platform/runtime.ts";
import type { ConnectionConfig } from "../schemas/connection_config.ts";
import type { ProviderId } from "../schemas/provider_id.ts";
import { ModelError } from "./model.ts";
import { ModelRegistry } from "./model_registry.ts";
import type { ProviderFailure } from "./provider_failure.ts";

/** Long enough for a model that has to be loaded, short enough for a form. */
const TEST_TIMEOUT_MS = 20_000;

/** Why a test failed. */
export interface ConnectionTestError {
  message: string;
  /** The provider's own, without the API key. */
  words?: string;
  /** HTTP status of the provider's response. */
  status?: number;
}

/**
 * Sends a short request as a run would, which tests address, protocol, API key and model at once.
 * Returns `undefined` if the provider answers.
 */
export async function testConnection(
  { provider, config, model }: { provider: ProviderId; config: ConnectionConfig; model: string },
  { runtime, report }: { runtime: Runtime; report?: (failure: ProviderFailure) => void },
): Promise<ConnectionTestError | undefined> {
  let last: ProviderFailure | undefined;
  const onFailure = (failure: ProviderFailure) => {
    last = failure;
    report?.(failure);
  };
  const registry = new ModelRegistry(runtime, { providers: { [provider]: config }, onFailure });
  const timeout = new AbortController();
  const cancelTimer = setTimer(runtime, TEST_TIMEOUT_MS, () => timeout.abort());
  try {
    await registry.find(provider, model).stream({
      model,
      system: "Answer with one word.",
      messages: [{ role: "user", content: "Hello" }],
      tools: [],
      maxOutputTokens: 16,
      maxRetryWaitMs: 0,
      signal: timeout.signal,
    });
    return undefined;
  } catch (error) {
    if (error instanceof ModelError) {
      const { status, words } = last ?? {};
      return {
        message: error.message,
        ...status !== undefined && { status },
        ...words && { words },
      };
    }
    if (timeout.signal.aborted) {
      return { message: "the model provider did not answer in 20 seconds" };
    }
    throw error;
  } finally {
    cancelTimer();
    timeout.abort();
    registry.close();
  }
}
