import { IS_BROWSER } from "fresh/runtime";
import type { RefObject } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { TOOL_REPORT } from "@/lib/dashboard/browser/live_validation.ts";
import type { ControlAttributes } from "@/components/Field.tsx";
import { type AgentChoice, parseTools } from "@/lib/dashboard/agents/tool_draft.ts";
import type { ToolProblem, ToolReport } from "@/lib/dashboard/agents/tool_problem.ts";
import { CodeBlock } from "@/components/CodeBlock.tsx";
import ToolList from "./ToolList.tsx";
import { t } from "@/lib/dashboard/texts/translate.ts";

export interface ToolEditorProps {
  attributes: ControlAttributes;
  /** A JSON array. Anything else is only shown as JSON. */
  value: string;
  readOnly: boolean;
  /** When the page was made. */
  report: ToolReport;
  /** That a tool may ask. */
  agents: readonly AgentChoice[];
  /** Undefined for a new agent. */
  agentId?: string | undefined;
}

/**
 * A form over the JSON of an agent's tools. The JSON field is what is submitted, with and without
 * scripts; the form only writes into it.
 */
export default function ToolEditor(props: ToolEditorProps) {
  const { attributes, value, readOnly, agentId, agents } = props;
  const [ready, setReady] = useState(false);
  const [asJson, setAsJson] = useState(false);
  const [text, setText] = useState(() => restoredValue(attributes.id) ?? value);
  const area = useRef<HTMLTextAreaElement>(null);
  const { problems, setting, servers = {} } = useReport(area, props.report);
  const list = useRef<HTMLDivElement>(null);
  const written = useRef(text);
  useEffect(() => setReady(true), []);
  // A layout effect: dispatched later, the event would revert changes made in between.
  useLayoutEffect(() => {
    if (written.current === text) return;
    written.current = text;
    area.current?.dispatchEvent(new Event("input", { bubbles: true }));
  }, [text]);
  const tools = parseTools(text);
  // Then the message about the whole field would only repeat them.
  const hasErrors = problems.some(({ isWarning }) => !isWarning);
  const asForm = ready && !readOnly && !asJson && tools !== undefined;
  useEffect(() => {
    // The rejected JSON field had the focus and was just hidden.
    if (asForm && attributes.autofocus) {
      list.current?.querySelector<HTMLElement>(".tool button")?.focus();
    }
  }, [asForm]);
  return (
    // Links to the field lead to the visible view.
    <div
      class={["stack tool-editor", asForm && "as-form", asForm && hasErrors && "with-problems"]
        .filter(Boolean).join(" ")}
      ref={list}
      {...asForm && { id: attributes.id, tabIndex: -1 }}
    >
      <textarea
        {...attributes}
        id={asForm ? undefined : attributes.id}
        ref={area}
        class="mono"
        rows={6}
        spellcheck={false}
        hidden={asForm}
        value={text}
        data-default={value}
        onInput={({ currentTarget }) => setText(written.current = currentTarget.value)}
      />
      {!asForm && <Warnings problems={problems} />}
      {asForm && (
        <ToolList
          {...{ tools, agentId, agents, problems, servers }}
          onChange={(next) => setText(JSON.stringify(next, null, 2))}
        />
      )}
      {ready && !readOnly && (
        <JsonSwitch
          pressed={!asForm}
          possible={tools !== undefined}
          onClick={() => setAsJson(!asJson)}
        />
      )}
      {setting !== undefined && (
        <CodeBlock
          label={t("To allow these hosts, set this for the service and restart it")}
          code={setting}
        />
      )}
    </div>
  );
}

/** What the server said about the tools last: with the page, or while typing. */
function useReport(area: RefObject<HTMLTextAreaElement>, initial: ToolReport): ToolReport {
  const [report, setReport] = useState(initial);
  useEffect(() => {
    const form = area.current?.form;
    const onReport = (event: Event) => setReport((event as CustomEvent<ToolReport>).detail);
    form?.addEventListener(TOOL_REPORT, onReport);
    return () => form?.removeEventListener(TOOL_REPORT, onReport);
  }, []);
  return report;
}

function JsonSwitch(
  { pressed, possible, onClick }: { pressed: boolean; possible: boolean; onClick: () => void },
) {
  return (
    <div class="form-actions tool-json">
      <button
        type="button"
        class="button button-small"
        aria-pressed={pressed}
        disabled={!possible}
        onClick={onClick}
      >
        {t("Edit as JSON")}
      </button>
      {!possible && (
        <span class="help">{t("The form is available once the JSON is an array of tools.")}</span>
      )}
    </div>
  );
}

/** The value that the browser restored when the user navigated back. */
function restoredValue(id: string): string | undefined {
  if (!IS_BROWSER) return undefined;
  const area = document.getElementById(id);
  return area instanceof HTMLTextAreaElement ? area.value : undefined;
}

/** Without the form: what can be saved, but will not work. */
function Warnings({ problems }: { problems: readonly ToolProblem[] }) {
  return problems.filter(({ isWarning }) => isWarning).map(({ tool, message }) => (
    <p key={tool} class="tool-warning">
      {t("Tool {value}: {message}", { value: tool + 1, message })}
    </p>
  ));
}
