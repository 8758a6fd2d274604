import { ApiError } from "../../schemas/api_error.ts";
import type { ValidationIssue } from "../../schemas/error_codes.ts";
import type { AgentService } from "../../services/agent_service.ts";
import {
  APPEARANCE_FIELDS,
  type AppearanceIssues,
  readAppearanceValues,
  toAppearance,
  toAppearanceIssues,
} from "./appearance_form.ts";

/** True for the form of the Appearance page, which is checked like the editor's other pages. */
export function isAppearanceForm(form: URLSearchParams): boolean {
  return Object.keys(APPEARANCE_FIELDS).every((name) => form.has(name));
}

/** What is invalid in the form of the Appearance page; stores nothing. */
export async function checkAppearance(
  agents: Pick<AgentService, "preview">,
  { tenant, agentId, form }: { tenant: string; agentId: string; form: URLSearchParams },
): Promise<AppearanceIssues> {
  try {
    await agents.preview(tenant, agentId, { appearance: toAppearance(readAppearanceValues(form)) });
    return {};
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== "schema_validation_failed") throw error;
    return toAppearanceIssues((error.details?.issues ?? []) as ValidationIssue[]);
  }
}
