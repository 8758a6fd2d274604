import { isJsonObject } from "../platform/json.ts";
import type { Protocol } from "../schemas/connection_config.ts";
import type { ListedModel } from "./list_models.ts";
import type { JsonObject } from "./stream_json.ts";

/** How a protocol lists models, one page at a time. */
interface ModelList {
  /** Relative to the base URL. */
  pathOf(cursor: string | undefined): string;
  /** `undefined` if the body is no list. */
  parse(body: unknown): { models: ListedModel[]; next?: string } | undefined;
}

export const MODEL_LISTS: Readonly<Record<Protocol, ModelList>> = {
  openai: {
    pathOf: () => "/models",
    // Together answers the array alone.
    parse: (body) => {
      const items = Array.isArray(body) ? body : isJsonObject(body) ? body.data : undefined;
      return Array.isArray(items) ? { models: named(items, "id", toOpenaiModel) } : undefined;
    },
  },
  anthropic: {
    pathOf: (cursor) =>
      `/models?limit=1000${cursor ? `&after_id=${encodeURIComponent(cursor)}` : ""}`,
    parse: (body) => {
      if (!isJsonObject(body) || !Array.isArray(body.data)) return undefined;
      const models = named(body.data, "id", (model, item) => ({
        model,
        ...size("contextTokens", item.max_input_tokens),
        ...size("maxOutputTokens", item.max_tokens),
        isChat: true,
      }));
      const hasMore = body.has_more === true && typeof body.last_id === "string";
      return { models, ...hasMore && { next: body.last_id as string } };
    },
  },
  google: {
    pathOf: (cursor) =>
      `/models?pageSize=1000${cursor ? `&pageToken=${encodeURIComponent(cursor)}` : ""}`,
    parse: (body) => {
      if (!isJsonObject(body) || !Array.isArray(body.models)) return undefined;
      const models = named(body.models, "name", (name, item) => ({
        model: name.replace(/^models\//, ""),
        ...size("contextTokens", item.inputTokenLimit),
        ...size("maxOutputTokens", item.outputTokenLimit),
        isChat: !OTHER_PURPOSE.test(name) && Array.isArray(item.supportedGenerationMethods) &&
          item.supportedGenerationMethods.includes("generateContent"),
      }));
      const next = body.nextPageToken;
      return { models, ...typeof next === "string" && next !== "" && { next } };
    },
  },
};

/** Names of models that make something other than text, or rate it. */
const OTHER_PURPOSE =
  /embed|whisper|tts|dall-e|image|imagen|veo|sora|moderation|audio|realtime|transcri|rerank|guard|aqa|live|computer-use/i;

/** Fields of OpenAI's list, and those that compatible servers add. */
function toOpenaiModel(model: string, item: JsonObject): ListedModel {
  const top = isJsonObject(item.top_provider) ? item.top_provider : {};
  const context = item.context_length ?? item.context_window ?? item.max_context_length ??
    item.max_model_len;
  return {
    model,
    ...size("contextTokens", context),
    ...size("maxOutputTokens", top.max_completion_tokens ?? item.max_completion_tokens),
    ...pricesOf(item.pricing),
    isChat: isChatModel(model, item),
  };
}

function isChatModel(model: string, { type, capabilities, architecture }: JsonObject): boolean {
  if (typeof type === "string" && type !== "model") return type === "chat" || type === "llm";
  if (isJsonObject(capabilities) && typeof capabilities.completion_chat === "boolean") {
    return capabilities.completion_chat;
  }
  const outputs = isJsonObject(architecture) ? architecture.output_modalities : undefined;
  if (Array.isArray(outputs) && !outputs.includes("text")) return false;
  return !OTHER_PURPOSE.test(model);
}

/** OpenRouter sends USD per token as text, Together USD per million tokens as numbers. */
function pricesOf(pricing: unknown): Partial<ListedModel> {
  if (!isJsonObject(pricing)) return {};
  const { prompt, completion, input, output } = pricing;
  const [perToken, perMTok] = [
    [prompt, completion].map((text) => Number(text) * 1e6),
    [input, output].map(Number),
  ];
  const [inputUsdPerMTok = NaN, outputUsdPerMTok = NaN] = prompt === undefined ? perMTok : perToken;
  // Negative prices stand for "depends".
  const isKnown = inputUsdPerMTok >= 0 && outputUsdPerMTok >= 0;
  if (!isKnown) return {};
  return {
    ...{ inputUsdPerMTok: round(inputUsdPerMTok), outputUsdPerMTok: round(outputUsdPerMTok) },
    ...cachePrice("cacheReadUsdPerMTok", pricing.input_cache_read),
    ...cachePrice("cacheWriteUsdPerMTok", pricing.input_cache_write),
  };
}

/** OpenRouter's; 0 stands for a model without a cache, whose input must not be free. */
function cachePrice(name: keyof ListedModel, usdPerToken: unknown): Partial<ListedModel> {
  const usd = Number(usdPerToken) * 1e6;
  return usd > 0 && Number.isFinite(usd) ? { [name]: round(usd) } : {};
}

/** To a millionth of a dollar: 0.15 per million tokens is not 0.15000000000000002. */
function round(usd: number): number {
  return Math.round(usd * 1e6) / 1e6;
}

function size<Name extends string>(name: Name, value: unknown): { [name in Name]?: number } {
  const isSize = Number.isSafeInteger(value) && (value as number) > 0;
  return (isSize ? { [name]: value } : {}) as { [name in Name]?: number };
}

/** The items that are objects with a usable name under `key`. */
function named(
  items: readonly unknown[],
  key: string,
  toModel: (name: string, item: JsonObject) => ListedModel,
): ListedModel[] {
  return items.flatMap((item) => {
    const name = isJsonObject(item) ? item[key] : undefined;
    const isName = typeof name === "string" && name !== "" && name.length <= 256;
    return isName ? [toModel(name, item as JsonObject)] : [];
  });
}
