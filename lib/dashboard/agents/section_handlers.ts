import { type Context, page } from "fresh";
import type { State } from "@/utils.ts";
import type { Agent } from "../../schemas/agent.ts";
import { isUuid } from "../../http/request_params.ts";
import { isEditor, signedIn } from "../authorization.ts";
import { withFlashMessage } from "../flash_messages.ts";
import { readForm } from "../read_form.ts";
import { diffAgents, type FieldDiff } from "./agent_diff.ts";
import {
  type AgentFormField,
  type AgentFormValues,
  NEW_AGENT,
  readAgentFields,
  toAgentPatch,
  toFormValues,
} from "./agent_form.ts";
import { type AgentFormIssues, splitIssues } from "./agent_form_issues.ts";
import { type AgentSectionName, sectionFields, sectionPath } from "./agent_sections.ts";
import { AGENT_TEMPLATES } from "./agent_templates.ts";
import { type EditorChoices, loadAgentChoices, loadEditorChoices } from "./editor_choices.ts";
import { findAgent, findAgentVersion, parseVersion } from "./find_agent.ts";
import { loadToolReport, withToolProblems } from "./load_tool_report.ts";
import { saveAgent } from "./save_agent.ts";
import type { ToolReport } from "./tool_problem.ts";
import { toVariableControls } from "./variable_rows.ts";

/** One page of the editor, with what is shown in its form. */
export interface SectionData {
  kind: "section";
  section: AgentSectionName;
  agent: Agent;
  values: AgentFormValues;
  issues: AgentFormIssues;
  /** Of the tools in the form; none on other pages. */
  toolReport: ToolReport;
  /** The values that the form was opened with, if it shows unsaved ones. */
  base?: Record<string, string>;
  /** What others changed in this page's fields since it was opened, if it cannot be merged. */
  theirs?: FieldDiff[];
  choices: EditorChoices;
  /** The widget's style sheet, for the playground. */
  widgetStyles: string;
  /** Id of the signed-in user. */
  user: string;
  editor: boolean;
}

/** Someone else deleted the agent: the edits can be saved as a new one. */
export interface DeletedData {
  kind: "deleted";
  user: string;
  values: AgentFormValues;
  choices: EditorChoices;
}

export type SectionPageData = SectionData | DeletedData | { kind: "missing" };

const MISSING = () => page<SectionPageData>({ kind: "missing" }, { status: 404 });

/** The handlers of one page of the editor; saving changes only the fields of its form. */
export function sectionHandlers(section: AgentSectionName) {
  return {
    async GET(ctx: Context<State>) {
      const agent = await findAgent(ctx);
      if (agent === undefined) return MISSING();
      const stored = toFormValues(agent);
      const suggested = section === "instructions" ? templateValues(ctx.url) : undefined;
      const values = { ...stored, ...suggested };
      const base = suggested && { base: pick(stored, sectionFields(section)) };
      return page<SectionPageData>(
        await sectionData(ctx, { section, agent, values, issues: {}, ...base }),
      );
    },

    async POST(ctx: Context<State>) {
      const agent = await findAgent(ctx);
      if (agent === undefined && !isUuid(ctx.params.id ?? "")) return MISSING();
      const fields = readAgentFields(await readForm(ctx.req, ctx.state.service.runtime));
      if (agent === undefined) return await offerNewAgent(ctx, fields);
      return await saveSection(ctx, { section, agent, fields });
    },
  };
}

/** The prompt of the template in `?template=`, as an unsaved change. */
function templateValues(url: URL): Partial<AgentFormValues> | undefined {
  const id = url.searchParams.get("template");
  const values = AGENT_TEMPLATES.find((template) => template.id === id)?.values;
  if (values?.systemPrompt === undefined) return undefined;
  const { systemPrompt, temperature = "" } = values;
  return { systemPrompt, temperature };
}

type Edited = Omit<
  SectionData,
  "kind" | "choices" | "toolReport" | "widgetStyles" | "user" | "editor"
>;

async function sectionData(ctx: Context<State>, edited: Edited): Promise<SectionData> {
  const user = signedIn(ctx.state);
  const { service } = ctx.state;
  const { section, values, agent } = edited;
  const choices = await loadEditorChoices(service, user.tenant);
  if (section === "tools") {
    choices.agents = await loadAgentChoices(service, { tenant: user.tenant, id: agent.id });
  }
  const toolReport = section === "tools"
    ? await loadToolReport(ctx, values, agent.tools)
    : { problems: [] };
  const isRejected = Object.keys(edited.issues).some((field) => field !== "form");
  return {
    kind: "section",
    ...edited,
    ...{ choices, toolReport, widgetStyles: service.widgetStyles },
    ...isRejected && { issues: withToolProblems(edited.issues, toolReport) },
    user: user.id,
    editor: isEditor(user),
  };
}

/** Saves that may get between reading the agent and storing this one before it counts as a conflict. */
const MAX_RETRIES = 3;

async function saveSection(
  ctx: Context<State>,
  { section, agent, fields, retries = MAX_RETRIES }: {
    section: AgentSectionName;
    agent: Agent;
    fields: Partial<AgentFormValues>;
    retries?: number;
  },
) {
  const { version = "", ...typed } = fields;
  const names = Object.keys(typed) as AgentFormField[];
  const values = { ...toFormValues(agent), ...typed, version };
  const opened = await findAgentVersion(ctx, agent, parseVersion(version));
  const clashes = clashingFields(names, { opened, agent, values });
  const saved = await saveAgent(values, () => {
    const ifMatch = [clashes?.length === 0 ? agent.version : Number(version)];
    const change = { patch: toAgentPatch(typed), ifMatch };
    return ctx.state.service.agents.patch(signedIn(ctx.state).tenant, agent.id, change);
  });
  if ("agent" in saved) {
    return ctx.redirect(withFlashMessage(sectionPath(agent.id, section), "agent_saved"), 303);
  }
  const isConflict = saved.status === 412 || clashes?.length !== 0;
  // Someone else may have saved after this request read the agent.
  const current = isConflict ? await findAgent(ctx) ?? agent : agent;
  if (clashes?.length === 0 && current.version !== agent.version && retries > 0) {
    return await saveSection(ctx, { section, agent: current, fields, retries: retries - 1 });
  }
  const data = await sectionData(ctx, {
    section,
    agent: current,
    values,
    issues: splitIssues(saved.issues, sectionFields(section)),
    ...opened && { base: pick(toFormValues(opened), names) },
    ...isConflict && { theirs: opened ? diffAgents(opened, current, names) : [] },
  });
  return page<SectionPageData>(data, { status: saved.status });
}

/**
 * The fields of the form that someone else changed to something else since it was opened. Without
 * any, the save merges with their changes. Undefined if the opened version is unknown.
 */
function clashingFields(
  names: readonly AgentFormField[],
  { opened, agent, values }: {
    opened: Agent | undefined;
    agent: Agent;
    values: AgentFormValues;
  },
): AgentFormField[] | undefined {
  if (opened === undefined) return undefined;
  const [from, now] = [toFormValues(opened), toFormValues(agent)];
  return names.filter((name) => now[name] !== from[name] && now[name] !== values[name]);
}

function pick(values: AgentFormValues, names: readonly AgentFormField[]): Record<string, string> {
  return {
    ...Object.fromEntries(names.map((name) => [name, values[name]])),
    ...names.includes("variables") && toVariableControls(values.variables),
  };
}

/** The form of a page has only some fields: the others start as in any new agent. */
async function offerNewAgent(ctx: Context<State>, fields: Partial<AgentFormValues>) {
  const { id: user, tenant } = signedIn(ctx.state);
  const choices = await loadEditorChoices(ctx.state.service, tenant);
  const first = choices.models[0]?.models[0];
  const model = first === undefined ? "" : `${first.vendor}/${first.model}`;
  const values = { ...NEW_AGENT, model, ...fields };
  return page<SectionPageData>({ kind: "deleted", user, values, choices }, { status: 404 });
}
