import { isJsonObject, tryParseJson } from "../platform/json.ts";
import { type Runtime, setTimer } from "../platform/runtime.ts";
import { parseApiKeys } from "../schemas/api_keys.ts";
import type { ConnectionConfig, Protocol } from "../schemas/connection_config.ts";
import { MODEL_LISTS } from "./model_lists.ts";
import { PROTOCOL_FACTORIES } from "./model_registry.ts";
import { ProviderError } from "./provider_error.ts";
import { describeFailure } from "./provider_failure.ts";
import { ProviderClient, type ProviderClientOptions } from "./transport/provider_client.ts";
import { readResponseBody } from "./transport/read_body.ts";

const TIMEOUT_MS = 20_000;
const MAX_PAGES = 10;
/** The longest known list, with descriptions of some 500 models, takes 1.5 MB. */
const MAX_PAGE_BYTES = 8 * 1_048_576;
const MAX_MODELS = 2_000;

/** A model as its provider lists it; what the provider does not say is absent. USD per million tokens. */
export interface ListedModel {
  model: string;
  contextTokens?: number;
  maxOutputTokens?: number;
  inputUsdPerMTok?: number;
  outputUsdPerMTok?: number;
  cacheReadUsdPerMTok?: number;
  cacheWriteUsdPerMTok?: number;
  /** It answers chats, as far as the list or its name tells. */
  isChat: boolean;
}

export type ModelListResult =
  | { models: ListedModel[] }
  /** `words` are the provider's own, without the API key. */
  | { error: { message: string; status?: number; words?: string } };

/** Reads the provider's own list of models, which also tests the address and the first API key. */
export async function listModels(
  config: ConnectionConfig,
  { runtime }: { runtime: Runtime },
): Promise<ModelListResult> {
  const { baseUrl, protocol } = config;
  const apiKey = parseApiKeys(config.apiKey)?.[0]?.key ?? config.apiKey;
  const provider = "vendor_a";
  const lister = new ModelLister({ provider, apiKey, baseUrl, runtime, onFailure: () => {} });
  const timeout = new AbortController();
  const cancelTimer = setTimer(runtime, TIMEOUT_MS, () => timeout.abort());
  try {
    return { models: await lister.list(protocol, { apiKey, baseUrl, signal: timeout.signal }) };
  } catch (error) {
    if (timeout.signal.aborted) {
      return { error: { message: "the model provider did not answer in 20 seconds" } };
    }
    if (!(error instanceof ProviderError)) throw error;
    const { message, status, words } = describeFailure(error, {
      ...{ provider, model: "" },
      apiKeys: [apiKey],
    });
    return {
      error: {
        message: status === 404 ? "the address has no list of models (404)" : message,
        ...status !== undefined && { status },
        ...words && { words },
      },
    };
  } finally {
    cancelTimer();
    lister.close();
  }
}

class ModelLister extends ProviderClient {
  constructor(options: ProviderClientOptions) {
    super(options);
  }

  async list(
    protocol: Protocol,
    { apiKey, baseUrl, signal }: { apiKey: string; baseUrl: string; signal: AbortSignal },
  ): Promise<ListedModel[]> {
    const { pathOf, parse } = MODEL_LISTS[protocol];
    const headers = PROTOCOL_FACTORIES[protocol](baseUrl).headers(apiKey);
    const models: ListedModel[] = [];
    let cursor: string | undefined;
    for (let page = 0; page < MAX_PAGES && models.length < MAX_MODELS; page++) {
      const request = { path: pathOf(cursor), headers, accept: "application/json" };
      const { exchange } = await this.open(request, { signal });
      const text = await readResponseBody(exchange, MAX_PAGE_BYTES);
      const json = tryParseJson(text);
      const part = isJsonObject(json) || Array.isArray(json) ? parse(json) : undefined;
      if (part === undefined) {
        const errorBody = text.slice(0, 500);
        const message = "the address answered something that is no list of models";
        throw new ProviderError("provider_error", message, { errorBody });
      }
      models.push(...part.models);
      cursor = part.next;
      if (cursor === undefined) break;
    }
    return models.slice(0, MAX_MODELS);
  }
}
