import type { ModelGroup } from "@/lib/dashboard/models/model_groups.ts";
import { sectionPath } from "@/lib/dashboard/agents/agent_sections.ts";
import type { SectionData, SectionPageData } from "@/lib/dashboard/agents/section_handlers.ts";
import { widgetLook } from "@/lib/dashboard/agents/widget_look.ts";
import { flashMessageOf } from "@/lib/dashboard/flash_messages.ts";
import Playground from "@/islands/Playground.tsx";
import { AgentForm } from "../AgentForm.tsx";
import { AgentHeader } from "../AgentHeader.tsx";
import { DeletedAgentForm } from "../DeletedAgentForm.tsx";
import { ErrorView } from "../ErrorView.tsx";
import { unsavedTitle } from "../FormIssuesNotice.tsx";
import { PageNotice } from "../Notice.tsx";
import { AgentConflict } from "./AgentConflict.tsx";
import { t } from "@/lib/dashboard/texts/translate.ts";

/** Notices after a save of this form. Restoring a version uses another form. */
const SAVED = ["agent_saved", "agent_created"];

/** A page of the agent editor: its form beside the playground. */
export function SectionPage({ data, url }: { data: SectionPageData; url: URL }) {
  if (data.kind === "missing") return <ErrorView status={404} />;
  if (data.kind === "deleted") return <DeletedAgentForm {...data} />;
  const { agent, section, editor, issues, theirs } = data;
  const { form: conflict, ...fieldIssues } = issues;
  return (
    <div class={editor ? "agent-page" : "agent-page agent-page-alone"}>
      <div class="agent-main">
        <AgentHeader
          agent={agent}
          tab={section}
          editor={editor}
          playground={editor}
          titlePrefix={unsavedTitle(issues)}
        />
        <PageNotice notice={flashMessageOf(url)} />
        {theirs !== undefined && (
          <AgentConflict
            path={sectionPath(agent.id, section)}
            {...{ agent, theirs, message: conflict, opened: data.values.version }}
          />
        )}
        <AgentForm
          {...formProps(data)}
          toolReport={data.toolReport}
          issues={theirs === undefined ? issues : fieldIssues}
          saved={SAVED.includes(url.searchParams.get("notice") ?? "")}
        />
      </div>
      {editor && (
        <aside class="agent-aside" id="playground">
          <Playground
            path={`/agents/${agent.id}`}
            version={agent.version}
            look={widgetLook(agent, data.widgetStyles)}
            models={modelNames(data.choices.models)}
          />
        </aside>
      )}
    </div>
  );
}

function formProps({ agent, section, values, base, choices, user, editor }: SectionData) {
  return {
    ...{ section, values, base, choices, user },
    agentId: agent.id,
    action: sectionPath(agent.id, section),
    submit: t("Save changes"),
    readOnly: !editor,
  };
}

function modelNames(groups: readonly ModelGroup[]): { value: string; label: string }[] {
  return groups.flatMap((group) =>
    group.models.map(({ vendor, model }) => ({
      value: `${vendor}/${model}`,
      label: `${group.label}: ${model}`,
    }))
  );
}
