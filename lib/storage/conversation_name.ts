import { sha256 } from "../credentials/hashing.ts";
import type { ConversationName } from "./keys.ts";

/** Under which name the conversation of an agent with whoever is on a page, or holds an API key, is kept. */
export async function conversationName(
  id: string,
  of: { tenant: string; agentId: string; origin?: string | undefined },
): Promise<ConversationName> {
  const { tenant, agentId, origin } = of;
  // A host may be longer than a key can be.
  return { tenant, id, agentId, page: origin === undefined ? "" : await sha256(origin) };
}
