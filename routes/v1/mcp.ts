import { apiHandler } from "@/lib/http/api_handler.ts";
import { answerMcp } from "@/lib/http/mcp/answer_mcp.ts";
import { define } from "@/utils.ts";

export const handler = define.handlers(apiHandler({ POST: answerMcp }));
