import { DEFAULT_BASE_URLS, type Protocol } from "./connection_config.ts";

/** A provider, or a server of one's own, that speaks one of the protocols. */
export interface ProviderPreset {
  id: string;
  name: string;
  protocol: Protocol;
  /** Empty if each customer has an own address. */
  baseUrl: string;
  /** Shows what an address looks like, if `baseUrl` is empty or likely to change. */
  baseUrlHint?: string;
  /** Where one gets an API key; absent for servers that need none. */
  keyUrl?: string;
}

/** In the order in which they are offered. */
export const PROVIDER_PRESETS: readonly ProviderPreset[] = [
  {
    id: "openai",
    name: "OpenAI",
    protocol: "openai",
    baseUrl: DEFAULT_BASE_URLS.openai,
    keyUrl: "https://platform.openai.com/api-keys",
  },
  {
    id: "anthropic",
    name: "Anthropic",
    protocol: "anthropic",
    baseUrl: DEFAULT_BASE_URLS.anthropic,
    keyUrl: "https://console.anthropic.com/settings/keys",
  },
  {
    id: "google",
    name: "Google Gemini",
    protocol: "google",
    baseUrl: DEFAULT_BASE_URLS.google,
    keyUrl: "https://aistudio.google.com/apikey",
  },
  {
    id: "azure",
    name: "Azure OpenAI",
    protocol: "openai",
    baseUrl: "",
    baseUrlHint: "https://<resource>.openai.azure.com/openai/v1",
    keyUrl: "https://ai.azure.com",
  },
  {
    id: "mistral",
    name: "Mistral",
    protocol: "openai",
    baseUrl: "https://api.mistral.ai/v1",
    keyUrl: "https://console.mistral.ai/api-keys",
  },
  {
    id: "groq",
    name: "Groq",
    protocol: "openai",
    baseUrl: "https://api.groq.com/openai/v1",
    keyUrl: "https://console.groq.com/keys",
  },
  {
    id: "openrouter",
    name: "OpenRouter",
    protocol: "openai",
    baseUrl: "https://openrouter.ai/api/v1",
    keyUrl: "https://openrouter.ai/settings/keys",
  },
  {
    id: "deepseek",
    name: "DeepSeek",
    protocol: "openai",
    baseUrl: "https://api.deepseek.com/v1",
    keyUrl: "https://platform.deepseek.com/api_keys",
  },
  {
    id: "together",
    name: "Together AI",
    protocol: "openai",
    baseUrl: "https://api.together.xyz/v1",
    keyUrl: "https://api.together.ai/settings/api-keys",
  },
  {
    id: "ollama",
    name: "Ollama",
    protocol: "openai",
    baseUrl: "http://127.0.0.1:11434/v1",
  },
  {
    id: "vllm",
    name: "vLLM",
    protocol: "openai",
    baseUrl: "http://127.0.0.1:8000/v1",
  },
  {
    id: "lmstudio",
    name: "LM Studio",
    protocol: "openai",
    baseUrl: "http://127.0.0.1:1234/v1",
  },
  {
    id: "other",
    name: "OpenAI-compatible",
    protocol: "openai",
    baseUrl: "",
    baseUrlHint: "https://models.example.com/v1",
  },
];

export function findPreset(id: string | null | undefined): ProviderPreset | undefined {
  return PROVIDER_PRESETS.find((preset) => preset.id === id);
}

/** The provider whose own address this is. */
export function findPresetByAddress(baseUrl: string): ProviderPreset | undefined {
  return PROVIDER_PRESETS.find((preset) => preset.baseUrl === baseUrl);
}
