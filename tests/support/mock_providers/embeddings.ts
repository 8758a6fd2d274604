import type { MockRequest } from "./mock_providers.ts";
import type { Script } from "./script.ts";

/** The texts of an embeddings request; undefined for other requests. */
export function embeddedTexts(
  { path, body }: Pick<MockRequest, "path" | "body">,
): string[] | undefined {
  if (path.endsWith("/embeddings")) return body.input;
  if (!path.endsWith(":batchEmbedContents")) return undefined;
  return body.requests.map((one: { content: { parts: [{ text: string }] } }) =>
    one.content.parts[0].text
  );
}

/** A valid embeddings response, as documented by the protocol. */
export function embeddingsResponse(
  request: Pick<MockRequest, "protocol" | "model">,
  { vectors, tokens }: { vectors: readonly (readonly number[])[]; tokens?: number },
): Script {
  const { protocol, model } = request;
  const data = vectors.map((embedding, index) => ({ object: "embedding", index, embedding }));
  const body = protocol === "google"
    ? {
      embeddings: vectors.map((values) => ({ values })),
      ...(tokens === undefined ? {} : { usageMetadata: { promptTokenCount: tokens } }),
    }
    : {
      object: "list",
      data,
      model,
      ...(tokens === undefined ? {} : { usage: { prompt_tokens: tokens, total_tokens: tokens } }),
    };
  return { headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
}

/** Topics of texts (animals, vehicles, food); synonyms have the same vector. */
const MEANINGS = [
  ["dog", "hound", "puppy", "pet"],
  ["car", "automobile", "vehicle", "drive"],
  ["bread", "loaf", "bakery", "food"],
];

/** A vector by topic, so that tests can distinguish it from word matches. */
export function embeddingOf(text: string): number[] {
  const lower = text.toLowerCase();
  const about = MEANINGS.map((words) => words.some((word) => lower.includes(word)) ? 1 : 0);
  return [...about, 0.1];
}
