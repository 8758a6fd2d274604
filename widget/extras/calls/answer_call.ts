import type { ToolAnswer } from "../../client/page_tool.ts";
import type { WaitingCall } from "../../state.ts";
import type { ServiceCall } from "../service_call.ts";

/** Sends the decision on a call, or its output. Returns the status; 0 without a connection. */
export async function answerCall(
  { run, n }: WaitingCall,
  body: ToolAnswer | { readonly approve: boolean },
  callService: ServiceCall,
): Promise<number> {
  const path = `runs/${run}/calls/${n}/${"approve" in body ? "decision" : "output"}`;
  return await callService(path, { method: "POST", body }).then(({ status }) => status, () => 0);
}
