import { assertEquals, assertStringIncludes } from "@std/assert";
import { systemRuntime } from "../platform/runtime.ts";
import type { ConnectionConfig, Protocol } from "../schemas/connection_config.ts";
import { listModels } from "./list_models.ts";

interface Asked {
  path: string;
  headers: Headers;
}

/** A provider that answers each path with JSON, text or a status. */
async function withProvider(
  answers: Record<string, unknown>,
  use: (
    list: (protocol: Protocol, apiKey?: string) => ReturnType<typeof listModels>,
    asked: Asked[],
  ) => Promise<void>,
): Promise<void> {
  const asked: Asked[] = [];
  const options = { port: 0, hostname: "127.0.0.1", onListen() {} };
  await using server = Deno.serve(options, (req) => {
    const { pathname, search } = new URL(req.url);
    const path = (pathname + search).replace("/base", "");
    asked.push({ path, headers: req.headers });
    const answer = answers[path];
    if (answer instanceof Response) return answer.clone();
    return answer === undefined ? new Response(null, { status: 404 }) : Response.json(answer);
  });
  const baseUrl = `http://127.0.0.1:${server.addr.port}/base`;
  const list = (protocol: Protocol, apiKey = "sk-secret-0123456789") => {
    const config: ConnectionConfig = { protocol, baseUrl, apiKey };
    return listModels(config, { runtime: systemRuntime });
  };
  await use(list, asked);
}

Deno.test("listModels: reads OpenAI's list with the key, and tells chat models by their names", async () => {
  const data = ["gpt-5-mini", "text-embedding-3-small", "gpt-image-1", "whisper-1"]
    .map((id) => ({ id, object: "model" }));
  await withProvider({ "/models": { object: "list", data } }, async (list, asked) => {
    assertEquals(await list("openai"), {
      models: [
        { model: "gpt-5-mini", isChat: true },
        { model: "text-embedding-3-small", isChat: false },
        { model: "gpt-image-1", isChat: false },
        { model: "whisper-1", isChat: false },
      ],
    });
    assertEquals(asked[0]?.headers.get("authorization"), "Bearer sk-secret-0123456789");
  });
});

Deno.test("listModels: takes sizes and prices from the lists of compatible servers", async () => {
  const openrouter = {
    id: "acme/large",
    context_length: 200_000,
    pricing: {
      ...{ prompt: "0.00000015", completion: "0.0000006" },
      ...{ input_cache_read: "0.000000075", input_cache_write: "0" },
    },
    top_provider: { max_completion_tokens: 16_384 },
    architecture: { output_modalities: ["text"] },
  };
  const auto = { id: "acme/auto", pricing: { prompt: "-1", completion: "-1" } };
  const mistral = {
    id: "m-small",
    max_context_length: 32_768,
    capabilities: { completion_chat: true },
  };
  await withProvider({ "/models": { data: [openrouter, auto, mistral] } }, async (list) => {
    assertEquals(await list("openai"), {
      models: [
        {
          model: "acme/large",
          contextTokens: 200_000,
          maxOutputTokens: 16_384,
          inputUsdPerMTok: 0.15,
          outputUsdPerMTok: 0.6,
          // A price of 0 for writes stands for none.
          cacheReadUsdPerMTok: 0.075,
          isChat: true,
        },
        { model: "acme/auto", isChat: true },
        { model: "m-small", contextTokens: 32_768, isChat: true },
      ],
    });
  });
  const together = {
    id: "acme/turbo",
    type: "chat",
    context_length: 131_072,
    pricing: { input: 0.88, output: 0.9 },
  };
  await withProvider({ "/models": [together, { id: "sd", type: "image" }] }, async (list) => {
    assertEquals(await list("openai"), {
      models: [
        {
          model: "acme/turbo",
          contextTokens: 131_072,
          inputUsdPerMTok: 0.88,
          outputUsdPerMTok: 0.9,
          isChat: true,
        },
        { model: "sd", isChat: false },
      ],
    });
  });
});

Deno.test("listModels: follows the pages of Anthropic and Google", async () => {
  const anthropic = {
    "/models?limit=1000": { data: [{ id: "a", max_tokens: 64_000 }], has_more: true, last_id: "a" },
    "/models?limit=1000&after_id=a": { data: [{ id: "b" }], has_more: false, last_id: "b" },
  };
  await withProvider(anthropic, async (list, asked) => {
    assertEquals(await list("anthropic"), {
      models: [{ model: "a", maxOutputTokens: 64_000, isChat: true }, { model: "b", isChat: true }],
    });
    assertEquals(asked[1]?.headers.get("x-api-key"), "sk-secret-0123456789");
  });
  const gemini = {
    name: "models/gemini-x",
    inputTokenLimit: 1_048_576,
    outputTokenLimit: 65_536,
    supportedGenerationMethods: ["generateContent", "countTokens"],
  };
  const google = {
    "/models?pageSize=1000": { models: [gemini], nextPageToken: "p 2" },
    "/models?pageSize=1000&pageToken=p%202": {
      models: [{ name: "models/embedding-001", supportedGenerationMethods: ["embedContent"] }],
    },
  };
  await withProvider(google, async (list) => {
    assertEquals(await list("google"), {
      models: [
        { model: "gemini-x", contextTokens: 1_048_576, maxOutputTokens: 65_536, isChat: true },
        { model: "embedding-001", isChat: false },
      ],
    });
  });
});

Deno.test("listModels: a server without a key gets no credential header", async () => {
  await withProvider({ "/models": { data: [{ id: "llama3" }] } }, async (list, asked) => {
    assertEquals(await list("openai", ""), { models: [{ model: "llama3", isChat: true }] });
    assertEquals(asked[0]?.headers.get("authorization"), null);
  });
});

Deno.test("listModels: an error has the provider's own words, without the key", async () => {
  const words = "Incorrect API key provided: sk-secret-0123456789.";
  const rejected = Response.json({ error: { message: words } }, { status: 401 });
  await withProvider({ "/models": rejected }, async (list) => {
    const result = await list("openai");
    if (!("error" in result)) throw new Error("expected an error");
    assertEquals([result.error.status, result.error.message], [
      401,
      "the model provider did not accept the API key (401)",
    ]);
    assertStringIncludes(result.error.words ?? "", "Incorrect API key provided");
    assertEquals(JSON.stringify(result).includes("sk-secret"), false);
  });
});

Deno.test("listModels: an address without a list, and one with another page, say so", async () => {
  await withProvider({}, async (list) => {
    assertEquals(await list("openai"), {
      error: { message: "the address has no list of models (404)", status: 404 },
    });
  });
  await withProvider({ "/models": { hello: "world" } }, async (list) => {
    const result = await list("openai");
    assertEquals(
      "error" in result && result.error.message,
      "the address answered something that is no list of models",
    );
  });
});

Deno.test("listModels: endless pages and nameless items end", async () => {
  const endless = {
    data: [{ id: "a" }, { id: 7 }, {}, null, { id: "" }],
    has_more: true,
    last_id: "a",
  };
  const answers = {
    "/models?limit=1000": endless,
    "/models?limit=1000&after_id=a": endless,
  };
  await withProvider(answers, async (list, asked) => {
    const result = await list("anthropic");
    assertEquals("models" in result && result.models.length, 10);
    assertEquals(asked.length, 10);
  });
});
