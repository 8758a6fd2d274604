import { ApiError } from "../../schemas/api_error.ts";
import type { ValidationIssue } from "../../schemas/error_codes.ts";
import type { TestCases } from "../../services/test_sets/test_cases.ts";
import { translateMessage } from "../texts/service_message.ts";
import { t } from "../texts/translate.ts";

/** The most issues that are shown. */
const MAX_SHOWN = 5;

/** Adds a case for each line of JSON, or none; returns what is wrong, line by line. */
export async function importCases(
  testCases: Pick<TestCases, "addLines">,
  name: { tenant: string; id: string },
  text: string,
): Promise<{ issue: string; status: number } | undefined> {
  try {
    await testCases.addLines(name, text);
    return undefined;
  } catch (error) {
    if (!(error instanceof ApiError) || error.code === "not_found") throw error;
    const issues = (error.details?.issues ?? []) as ValidationIssue[];
    const shown = issues.slice(0, MAX_SHOWN).map(describe);
    const issue = shown.length === 0 ? translateMessage(error.message) : shown.join(" ");
    return { issue, status: error.status };
  }
}

function describe({ path, message }: ValidationIssue): string {
  const [, line, field] = /^lines\.(\d+)\.?(.*)$/.exec(path) ?? [];
  const text = translateMessage(message);
  const what = field ? `${field}: ${text}` : text;
  return line === undefined ? what : t("Line {line}: {issue}.", { line, issue: what });
}
