import { ApiError } from "../../schemas/api_error.ts";
import { type ChatContext, readChatMessage, type ReadMessageOptions } from "../chat_message.ts";
import { isUuid } from "../request_params.ts";
import { startChat, type StartedChat } from "../start_chat.ts";

/**
 * Starts the run of a request in one of OpenAI's formats. Only API keys may send them; a client that
 * leaves cancels its run.
 */
export async function startOpenAiChat(
  ctx: ChatContext,
  { protocol, convert }: Required<Pick<ReadMessageOptions, "protocol" | "convert">>,
): Promise<StartedChat> {
  try {
    const options = { protocol, convert, keysOnly: true, cancelsWhenGone: true };
    return await startChat(ctx, await readChatMessage(ctx, options));
  } catch (error) {
    const isUnknown = error instanceof ApiError && error.code === "not_found" &&
      error.details === undefined;
    throw isUnknown ? modelNotFound() : error;
  }
}

/** Throws the 404 for a model that cannot be an agent's id. */
export function requireAgentId(model: string): string {
  if (!isUuid(model)) throw modelNotFound();
  return model;
}

export function modelNotFound(): ApiError {
  return new ApiError("not_found", "there is no such model; use the id of one of your agents", {
    details: { param: "model", openAiCode: "model_not_found" },
  });
}
