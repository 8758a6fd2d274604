/** When the bundled table of prices and context sizes was made: the release of its package. */
export const MODEL_FACTS_DATE = "2026-09-23";

/** What the bundled table knows of a model, before discounts and tiers. */
export interface ModelFacts {
  /** USD per million tokens. */
  inputUsdPerMTok?: number;
  outputUsdPerMTok?: number;
  cacheReadUsdPerMTok?: number;
  /** For five minutes, which is what this service asks for. */
  cacheWriteUsdPerMTok?: number;
  contextTokens?: number;
}

/**
 * The list prices and context size of a model at a provider's address; `{}` for servers that the table
 * does not know. It reads no network: the table is part of the package, loaded at the first call.
 */
export async function readModelFacts(
  models: readonly string[],
  baseUrl: string,
): Promise<Map<string, ModelFacts>> {
  const { calcPrice, findProvider } = await import("@pydantic/genai-prices");
  if (findProvider({ providerApiUrl: baseUrl }) === undefined) return new Map();
  return new Map(models.map((model) => {
    const found = calcPrice({ input_tokens: 1, output_tokens: 1 }, model, {
      providerApiUrl: baseUrl,
    });
    if (found === null) return [model, {}];
    const { context_window: contextTokens } = found.model;
    const { cache_read_mtok: read, cache_write_mtok: write } = found.model_price;
    return [model, {
      inputUsdPerMTok: perMillion(found.input_price),
      outputUsdPerMTok: perMillion(found.output_price),
      ...basePrice("cacheReadUsdPerMTok", read),
      ...basePrice("cacheWriteUsdPerMTok", write),
      ...contextTokens !== undefined && { contextTokens },
    }];
  }));
}

/** A price of the table, or of its lowest tier; nothing if it has none. */
function basePrice<Name extends keyof ModelFacts>(
  name: Name,
  price: number | { base: number } | undefined,
): { [name in Name]?: number } {
  const usd = typeof price === "object" ? price.base : price;
  return (usd === undefined ? {} : { [name]: usd }) as { [name in Name]?: number };
}

/** Rounded to a millionth of a dollar, against errors of floating point. */
function perMillion(usdPerToken: number): number {
  return Math.round(usdPerToken * 1e12) / 1e6;
}
