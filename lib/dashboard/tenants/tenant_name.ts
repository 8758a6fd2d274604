import { t } from "../texts/translate.ts";

export const MAX_TENANT_NAME = 128;

/** What is wrong with a trimmed name. */
export function tenantNameIssue(name: string): string | undefined {
  if (name !== "" && name.length <= MAX_TENANT_NAME) return undefined;
  return t("Enter a name of 1 to {max} characters.", { max: MAX_TENANT_NAME });
}
