import { z } from "zod";

/** An API key, and the share of conversations that it gets. */
export interface WeightedKey {
  key: string;
  weight: number;
}

export const MAX_API_KEYS = 16;

const key = z.string().min(1);
const listSchema = z.array(z.union([
  key.transform((key): WeightedKey => ({ key, weight: 1 })),
  z.strictObject({ key, weight: z.int().min(1).max(100).default(1) }),
])).min(1).max(MAX_API_KEYS);

export const API_KEYS_FORM =
  `must be a key, at most ${MAX_API_KEYS} keys separated by commas, or a JSON list of keys`;

/**
 * The keys of a connection: one key, several separated by commas, or a JSON list of keys and of
 * `{ "key", "weight" }`. Blank is one blank key, for servers without any; `undefined` is no valid list.
 */
export function parseApiKeys(text: string): WeightedKey[] | undefined {
  if (text === "") return [{ key: "", weight: 1 }];
  if (!text.startsWith("[")) {
    return listSchema.safeParse(text.split(",").map((one) => one.trim())).data;
  }
  try {
    return listSchema.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}
