import { assertEquals } from "@std/assert";
import { agUiInputSchema } from "../schemas/ag_ui.ts";
import { fromAgUi } from "./ag_ui_message.ts";

Deno.test("fromAgUi: the output of a page's tool is its JSON, or its text", () => {
  const outputOf = (content: string) => {
    const message = { role: "tool", toolCallId: "run.2", content };
    const input = agUiInputSchema.parse({ threadId: "t", runId: "r", messages: [message] });
    const answer = fromAgUi(input, { agentId: "agent", sessionToken: undefined });
    return "calls" in answer && answer.calls[0];
  };
  for (
    const [content, output] of [['{"a":1}', { a: 1 }], ["null", null], ["sold out", "sold out"]]
  ) {
    assertEquals(outputOf(content as string), { id: "run.2", output } as never);
  }
});
