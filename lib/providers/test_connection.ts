import type { ConnectionConfig } from "../schemas/connection_config.ts";
import type { Runtime } from "../platform/runtime.ts";
import type { ProviderId } from "../schemas/provider_id.ts";
import { ModelError } from "./model.ts";
import { ModelRegistry } from "./model_registry.ts";
import type { ProviderFailure } from "./provider_failure.ts";

/** Long enough for a model that has to be loaded first, short enough to wait for at a form. */
const TEST_TIMEOUT_MS = 20_000;

/** `undefined` when the vendor answered; else why not, in our own words, with its status if it gave one. */
export type ConnectionTestError = { message: string; status?: number } | undefined;

/**
 * Asks a vendor for a few words the way a run would, so that address, protocol, credential and model
 * are all proven by one request.
 */
export async function testConnection(
  { vendor, config, model }: { vendor: ProviderId; config: ConnectionConfig; model: string },
  options: { runtime: Runtime; report?: (event: ProviderFailure) => void },
): Promise<ConnectionTestError> {
  const { runtime } = options;
  let status: number | undefined;
  const report = (event: ProviderFailure) => {
    status = event.status;
    options.report?.(event);
  };
  const registry = new ModelRegistry(runtime, {
    providers: { [vendor]: config },
    onFailure: report,
  });
  const enough = new AbortController();
  const patience = runtime.sleep(TEST_TIMEOUT_MS, enough.signal).then(
    () => enough.abort(),
    () => {},
  );
  try {
    await registry.find(vendor, model).stream({
      model,
      system: "Answer with one word.",
      messages: [{ role: "user", content: "Hello" }],
      tools: [],
      maxOutputTokens: 16,
      maxRetryWaitMs: 0,
      signal: enough.signal,
    });
    return undefined;
  } catch (error) {
    if (error instanceof ModelError) {
      return { message: error.message, ...(status === undefined ? {} : { status }) };
    }
    if (enough.signal.aborted) return { message: "the model vendor did not answer in 20 seconds" };
    throw error;
  } finally {
    enough.abort();
    await patience;
    registry.close();
  }
}
