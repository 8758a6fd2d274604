/** Answers to calls of tools that wait. */
import type { ToolAnswer } from "../../../widget/client/page_tool.ts";
import { type SessionOptions, sessionRequest, succeeded } from "./session_request.ts";

/** Documented in tool_calls.d.ts. */
export interface ToolCalls {
  decide(runId: string, n: number, approve: boolean): Promise<void>;
  sendToolOutput(runId: string, n: number, answer: ToolAnswer): Promise<void>;
}

export function toolCalls(options: SessionOptions): ToolCalls {
  const request = sessionRequest(options);
  const post = async (path: string, body: ToolAnswer | { readonly approve: boolean }) =>
    void await succeeded(await request(path, { method: "POST", body }));
  const pathOf = (runId: string, n: number) => `runs/${encodeURIComponent(runId)}/calls/${n}`;
  return {
    decide: (runId, n, approve) => post(`${pathOf(runId, n)}/decision`, { approve }),
    sendToolOutput: (runId, n, answer) => post(`${pathOf(runId, n)}/output`, answer),
  };
}
