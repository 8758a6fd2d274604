/** Calls of the page's functions: each once, in the tab whose visitor has asked. */
import { actInOneTab, callPageTool, failedCall, type ToolAnswer } from "../../client/page_tool.ts";
import type { WaitingCall } from "../../state.ts";
import type { ExtrasContext } from "../extras_context.ts";
import { pause } from "../pause.ts";
import { answerCall } from "./answer_call.ts";

/** Returns what is to be called at each draw: it begins the calls that wait, and aborts those that do not. */
export function pageCalls({ ui, callService, changed }: ExtrasContext): () => void {
  const { conversation, tools } = ui;
  const begun = new Map<WaitingCall, AbortController>();

  const begin = (one: WaitingCall) => {
    const controller = new AbortController();
    const { signal } = controller;
    const { run, n, name, args, begun: isLeft } = one;
    begun.set(one, controller);
    actInOneTab(`${run}.${n}`, async () => {
      // A page that is loading may not have come to its functions.
      while (document.readyState !== "complete") await pause(0.1);
      if (signal.aborted) return;
      // The latest of a name.
      const tool = new Map(tools).get(name);
      one.begun = true;
      changed(true);
      // Whether it is done is not known if the page was left.
      let answer: ToolAnswer = isLeft
        ? { error: "the page was left" }
        : await callPageTool(tool, { name, args, signal });
      // Repeated until the service has it: of two answers it takes the first.
      for (let seconds = 1;; seconds *= 2) {
        const status = await answerCall(one, answer, callService);
        if ((status === 400 || status === 413) && "output" in answer) {
          answer = failedCall(name, "invalid output");
        } else if (status && status < 429 || signal.aborted) return;
        else await pause(seconds);
      }
    });
  };

  ui.handle.on("destroy", () => begun.forEach((controller) => controller.abort()));
  return () => {
    const { calls = [], attempt } = conversation.state;
    for (const [one, controller] of begun) calls.includes(one) || controller.abort();
    // Without a key, another tab has asked, and this one follows its answer.
    if (!attempt?.key) return;
    for (const one of calls) if (one.waitsFor === "page" && !begun.has(one)) begin(one);
  };
}
