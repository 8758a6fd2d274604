import { useId, useRef, useState } from "preact/hooks";
import { ToolTestResult } from "@/components/tools/ToolTestResult.tsx";
import { callDashboard } from "@/lib/dashboard/call_dashboard.ts";
import {
  parseJsonOrUndefined,
  sampleArguments,
  type ToolDraft,
} from "@/lib/dashboard/agents/tool_draft.ts";
import type { ToolTestReport as Result } from "@/lib/schemas/playground.ts";
import { t } from "@/lib/dashboard/texts/translate.ts";

type State = { at: "idle" } | { at: "busy" } | { at: "done"; result: Result } | {
  at: "failed";
  message: string;
};
interface Call {
  name: string;
  args: unknown;
}

/** Calls a tool with the editor's current values and shows the result. */
export default function ToolTest(
  { tool, agentId }: { tool: ToolDraft; agentId: string | undefined },
) {
  const [state, setState] = useState<State>({ at: "idle" });
  const id = useId();
  const args = useRef<HTMLTextAreaElement>(null);
  const name = useRef<HTMLInputElement>(null);
  const isServer = tool.type === "mcp";
  const busy = state.at === "busy";

  async function run(call?: Call) {
    setState({ at: "busy" });
    setState(await requestTest({ tool, ...agentId !== undefined && { agentId } }, call));
  }
  const runCall = () =>
    run({
      name: isServer ? name.current!.value.trim() : String(tool.name),
      args: parseJsonOrUndefined(args.current!.value),
    });
  return (
    <div class="stack tool-test">
      {isServer && (
        <div class="field">
          <label for={`${id}-tool`}>{t("Tool")}</label>
          <input id={`${id}-tool`} ref={name} class="mono" autocomplete="off" />
        </div>
      )}
      <div class="field">
        <label for={`${id}-args`}>{t("Arguments (JSON)")}</label>
        <textarea id={`${id}-args`} ref={args} class="mono" rows={3} spellcheck={false}>
          {JSON.stringify(sampleArguments(tool.parameters), null, 2)}
        </textarea>
        <p class="help">{t("Sends a real request with the URL and domains entered here.")}</p>
      </div>
      <div class="form-actions">
        <button type="button" class="button" onClick={runCall} disabled={busy}>
          {t("Run test")}
        </button>
        {isServer && (
          <button type="button" class="button" onClick={() => run()} disabled={busy}>
            {t("List tools")}
          </button>
        )}
      </div>
      <TestStatus state={state} />
    </div>
  );
}

function TestStatus({ state }: { state: State }) {
  return (
    <div role="status">
      {state.at === "busy" && <p class="help">{t("Running…")}</p>}
      {state.at === "failed" && <p class="field-error">{state.message}</p>}
      {state.at === "done" && <ToolTestResult result={state.result} />}
    </div>
  );
}

async function requestTest(
  subject: { tool: ToolDraft; agentId?: string },
  call: Call | undefined,
): Promise<State> {
  if (call !== undefined && call.args === undefined) {
    return { at: "failed", message: t("The arguments are not valid JSON.") };
  }
  try {
    const body = { ...subject, allowedDomains: allowedDomains(), ...(call && { call }) };
    const response = await callDashboard("/agents/test-tool", body);
    return { at: "done", result: await response.json() };
  } catch (error) {
    return { at: "failed", message: (error as Error).message };
  }
}

/** The editor's current domains, saved or not. */
function allowedDomains(): string[] {
  const area = document.getElementById("allowedDomains") as HTMLTextAreaElement | null;
  return (area?.value ?? "").split("\n").map((line) => line.trim()).filter((line) => line !== "");
}
